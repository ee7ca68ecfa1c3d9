//! The explorer against the reference semantics, on random small systems.

use std::collections::{BTreeMap, BTreeSet};

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::diagnostic::Span;
use crate::model::semantics::{Point, Semantics, State, Value, distinct_tuples, replay, tuples};
use crate::model::*;
use crate::observer::Silent;
use crate::options::{CflChoice, Restart};
use crate::oracle::{Answer, Growth, Oracle};

mod left_out;

const T: EnumId = EnumId(1);

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// Which variables a random system may have.
struct Shape {
    rng: ChaCha8Rng,
    vars: Vec<(&'static str, VarKind, Type)>,
}

impl Shape {
    fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let all = [
            ("S", VarKind::Array(1), Type::Enum(T)),
            ("G", VarKind::Global, Type::Enum(T)),
            ("B", VarKind::Global, Type::Enum(BOOL)),
            ("P", VarKind::Global, Type::Proc),
            ("Q", VarKind::Global, Type::Proc),
            ("M", VarKind::Array(2), Type::Enum(BOOL)),
            ("R", VarKind::Array(1), Type::Proc),
            ("D", VarKind::Array(1), Type::Abstract(AbstractId(0))),
            ("A", VarKind::Global, Type::Abstract(AbstractId(0))),
        ];
        let vars = all.into_iter().enumerate().filter(|(i, _)| *i == 0 || rng.random_ratio(1, 3));
        let vars = vars.map(|(_, v)| v).collect();
        Self { rng, vars }
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.random_range(0..n)
    }

    fn cell(&mut self, scope: u8) -> Option<(Cell, Type)> {
        let v = self.below(self.vars.len());
        let (_, kind, ty) = self.vars[v];
        let n = if let VarKind::Array(n) = kind { n } else { 0 };
        if n > 0 && scope == 0 {
            return None;
        }
        let index = (0..n).map(|_| ProcRef::Var(self.below(usize::from(scope)) as u8)).collect();
        Some((Cell { var: VarId(v as u16), index }, ty))
    }

    fn same_type(&mut self, ty: Type, scope: u8) -> Option<Cell> {
        (0..20).find_map(|_| self.cell(scope).filter(|(_, t)| *t == ty).map(|(c, _)| c))
    }

    fn literal(&mut self, scope: u8, order: bool) -> Option<Literal> {
        let (cell, ty) = self.cell(scope)?;
        let negated = self.rng.random_ratio(1, 3);
        let other = self.rng.random_ratio(1, 4);
        Some(match ty {
            Type::Enum(e) if !other => {
                let all = if e == BOOL { 3 } else { 7 };
                let one = 1 << self.below(if e == BOOL { 2 } else { 3 });
                Literal::In { cell, values: if negated { all & !one } else { one } }
            }
            Type::Proc if !other && scope > 0 => {
                let p = Term::Proc(ProcRef::Var(self.below(usize::from(scope)) as u8));
                if order && self.rng.random_bool(0.5) {
                    Literal::Less { left: Term::Cell(cell), right: p, strict: negated }
                } else {
                    Literal::Eq { left: Term::Cell(cell), right: p, negated }
                }
            }
            ty => {
                let right = Term::Cell(self.same_type(ty, scope)?);
                let left = Term::Cell(cell);
                if order && ty == Type::Proc && self.rng.random_bool(0.5) {
                    Literal::Less { left, right, strict: negated }
                } else {
                    Literal::Eq { left, right, negated }
                }
            }
        })
    }

    fn conj(&mut self, scope: u8, max: usize, order: bool) -> Conj {
        (0..self.below(max + 1)).filter_map(|_| self.literal(scope, order)).collect()
    }

    /// A disjunct of init; a tight one says something about most variables.
    fn initial(&mut self, params: u8, tight: bool, order: bool) -> Conj {
        let mut conj = self.conj(params, if tight { 1 } else { 4 }, order);
        for v in 0..self.vars.len() {
            let (_, kind, ty) = self.vars[v];
            if !tight || self.rng.random_ratio(1, 6) {
                continue;
            }
            let arity = if let VarKind::Array(n) = kind { n } else { 0 };
            let index = (0..arity).map(|i| ProcRef::Var(i.min(params - 1))).collect();
            let cell = Cell { var: VarId(v as u16), index };
            match ty {
                Type::Enum(_) => conj.push(Literal::In { cell, values: 1 }),
                Type::Proc => {
                    let (left, right) = (Term::Cell(cell), Term::Proc(ProcRef::Var(0)));
                    conj.push(Literal::Eq { left, right, negated: self.rng.random_ratio(2, 3) });
                }
                _ => {}
            }
        }
        conj
    }

    fn value(&mut self, ty: Type, scope: u8) -> Option<Term> {
        Some(match ty {
            Type::Enum(BOOL) if self.rng.random_bool(0.7) => Term::Constructor(self.below(2) as u8),
            Type::Enum(_) if self.rng.random_bool(0.7) => Term::Constructor(self.below(3) as u8),
            Type::Proc if scope > 0 && self.rng.random_bool(0.6) => {
                Term::Proc(ProcRef::Var(self.below(usize::from(scope)) as u8))
            }
            ty => Term::Cell(self.same_type(ty, scope)?),
        })
    }

    fn transition(&mut self, order: bool) -> Transition {
        let params = self.below(3) as u8;
        let guard = self.conj(params, 2, order);
        let universals = if self.rng.random_ratio(1, 4) {
            let body = Dnf((0..=self.below(2)).map(|_| self.conj(params + 1, 2, order)).collect());
            vec![Universal { body, spans: Vec::new() }]
        } else {
            Vec::new()
        };
        let mut updates = Vec::new();
        for v in 0..self.vars.len() {
            let (_, kind, ty) = self.vars[v];
            if self.below(3) > 0 {
                continue;
            }
            let arity = if let VarKind::Array(n) = kind { n } else { 0 };
            if arity == 0 && self.rng.random_ratio(1, 4) {
                updates.push(Update { var: VarId(v as u16), assignment: Assignment::Nondet });
                continue;
            }
            let scope = params + arity;
            let mut branches = Vec::new();
            if let Some(value) = self.value(ty, scope) {
                let when = if arity == 1 && params > 0 && self.rng.random_bool(0.7) {
                    Dnf(vec![vec![Literal::Eq {
                        left: Term::Proc(ProcRef::Var(params)),
                        right: Term::Proc(ProcRef::Var(0)),
                        negated: false,
                    }]])
                } else {
                    Dnf(vec![self.conj(scope, 2, order)])
                };
                branches.push(Branch { when, value });
            }
            let own =
                Cell { var: VarId(v as u16), index: (0..arity).map(|i| ProcRef::Var(params + i)).collect() };
            branches.push(Branch { when: Dnf::truth(), value: Term::Cell(own) });
            updates.push(Update { var: VarId(v as u16), assignment: Assignment::Cases(branches) });
        }
        Transition {
            name: "t".into(),
            origin: 0,
            params: vec!["p".into(); usize::from(params)],
            hidden: 0,
            guard,
            spans: Vec::new(),
            universals,
            updates,
            span: Span::default(),
        }
    }

    fn system(&mut self, order: bool) -> System {
        let params = 1 + self.below(2) as u8;
        let disjuncts = 1 + self.below(2);
        let tight = self.rng.random_ratio(3, 4);
        let body = Dnf((0..disjuncts).map(|_| self.initial(params, tight, order)).collect());
        let transitions = (0..=self.below(3)).map(|_| self.transition(order)).collect();
        let bad = (0..2)
            .map(|i| {
                let params = self.below(3) as u8;
                let mut cube = self.conj(params, 3, order);
                if cube.is_empty() {
                    cube.extend(self.literal(params, order));
                }
                let span = Span::default();
                Bad {
                    name: String::new(),
                    number: i + 1,
                    kind: BadKind::Unsafe,
                    params,
                    cube,
                    span,
                    spans: Vec::new(),
                }
            })
            .collect();
        let span = Span::default();
        System {
            max_procs: None,
            proc_constants: 0,
            enums: vec![
                EnumDecl { name: "bool".into(), constructors: names(&["False", "True"]) },
                EnumDecl { name: "t".into(), constructors: names(&["A", "B", "C"]) },
            ],
            abstracts: names(&["data"]),
            vars: self
                .vars
                .iter()
                .map(|(n, kind, ty)| Var { name: (*n).into(), kind: *kind, ty: *ty, range: u64::MAX, span })
                .collect(),
            init: Init { params, body, without_processes: Dnf::truth(), span },
            axioms: Vec::new(),
            bad,
            transitions,
            orders_processes: order,
        }
    }
}

/// All reachable concrete states, by the reference semantics and nothing else. Nameless values are
/// numbered by first occurrence, or by rank where processes are ordered.
struct Brute<'a> {
    system: &'a System,
    semantics: Semantics<'a>,
    procs: usize,
    /// Type of each cell.
    types: Vec<Type>,
}

impl<'a> Brute<'a> {
    fn new(system: &'a System, procs: usize) -> Self {
        let types =
            system.vars.iter().flat_map(|v| std::iter::repeat_n(v.ty, procs.pow(v.arity() as u32))).collect();
        Self { system, semantics: Semantics::new(system, procs), procs, types }
    }

    /// Values that a cell can take beside the nameless ones in `used`.
    fn domain(&self, ty: Type, used: &[Value]) -> Vec<Value> {
        match ty {
            Type::Enum(e) => {
                let n = self.system.enumeration(e).constructors.len();
                (0..n as u8).map(Value::Constructor).collect()
            }
            Type::Abstract(_) => (0..=used.len() as u32).map(Value::Abstract).collect(),
            Type::Proc if self.system.orders_processes => {
                // Every used value, and a new one between any two neighbours (or beyond the ends).
                let mut points: Vec<i64> = (0..self.procs).map(|p| Point::process(p).0).collect();
                points.extend(
                    used.iter().filter_map(|v| if let Value::Proc(p) = v { Some(p.0) } else { None }),
                );
                points.sort_unstable();
                points.dedup();
                let mut all = points.clone();
                all.push(points.first().map_or(-1, |p| p - (1 << 19)));
                all.extend(points.windows(2).map(|w| i64::midpoint(w[0], w[1])));
                if let Some(last) = points.last() {
                    all.push(last + (1 << 19));
                }
                all.into_iter().map(|p| Value::Proc(Point(p))).collect()
            }
            Type::Proc => {
                let inside = (0..self.procs).map(|p| Value::Proc(Point::process(p)));
                inside.chain((1..=used.len() as i64 + 1).map(|n| Value::Proc(Point(-n)))).collect()
            }
            Type::Int | Type::Real => unreachable!("random systems have no numbers"),
        }
    }

    fn canonical(&self, state: &State) -> State {
        let mut state = state.clone();
        let mut map: BTreeMap<Value, Value> = BTreeMap::new();
        if self.system.orders_processes {
            let mut points: Vec<i64> = Vec::new();
            for v in &state.values {
                if let Value::Proc(p) = v
                    && p.as_process(self.procs).is_none()
                {
                    points.push(p.0);
                }
            }
            points.sort_unstable();
            points.dedup();
            let stride = crate::model::semantics::PROC_STRIDE;
            let gap = |p: i64| p.div_euclid(stride).clamp(-1, self.procs as i64 - 1);
            for p in &points {
                let rank = points.iter().filter(|q| gap(**q) == gap(*p) && *q < p).count() as i64;
                // Room for values between any two: ranks are 1024 apart.
                map.insert(Value::Proc(Point(*p)), Value::Proc(Point(gap(*p) * stride + 1024 * (rank + 1))));
            }
        }
        let (mut outside, mut nameless) = (0, 0);
        for value in &mut state.values {
            let renamed = map.entry(*value).or_insert_with(|| match *value {
                Value::Proc(p) if p.as_process(self.procs).is_none() => {
                    outside += 1;
                    Value::Proc(Point(-outside))
                }
                Value::Abstract(_) => {
                    nameless += 1;
                    Value::Abstract(nameless - 1)
                }
                other => other,
            });
            *value = *renamed;
        }
        state
    }

    fn initial(&self) -> BTreeSet<Vec<Value>> {
        let mut out = BTreeSet::new();
        let mut partial: Vec<Vec<Value>> = vec![Vec::new()];
        for ty in &self.types {
            partial = partial
                .into_iter()
                .flat_map(|p| {
                    self.domain(*ty, &p).into_iter().map(move |v| p.iter().copied().chain([v]).collect())
                })
                .collect();
        }
        for values in partial {
            let state = State { procs: self.procs, values };
            if self.semantics.initial(&state) {
                out.insert(self.canonical(&state).values);
            }
        }
        out
    }

    fn reachable(&self) -> BTreeSet<Vec<Value>> {
        let mut seen = self.initial();
        let mut todo: Vec<Vec<Value>> = seen.iter().cloned().collect();
        while let Some(values) = todo.pop() {
            let state = State { procs: self.procs, values };
            for (t, transition) in self.system.transitions.iter().enumerate() {
                let id = TransitionId(t as u16);
                for args in distinct_tuples(self.procs, transition.arity()) {
                    if self.semantics.enabled(&state, id, &args) != Some(true) {
                        continue;
                    }
                    let mut choices: Vec<Vec<Value>> = vec![Vec::new()];
                    for update in &transition.updates {
                        if update.assignment == Assignment::Nondet {
                            let ty = self.system.var(update.var).ty;
                            choices = choices
                                .into_iter()
                                .flat_map(|c| {
                                    let mut used = state.values.clone();
                                    used.extend(&c);
                                    let domain = self.domain(ty, &used);
                                    domain.into_iter().map(move |v| c.iter().copied().chain([v]).collect())
                                })
                                .collect();
                        }
                    }
                    for nondet in choices {
                        let next = self.semantics.fire(&state, id, &args, &nondet).expect("it is enabled");
                        let next = self.canonical(&next).values;
                        if seen.insert(next.clone()) {
                            todo.push(next);
                        }
                    }
                }
            }
            assert!(seen.len() < 200_000, "random systems stay small");
        }
        seen
    }

    /// What the explorer does not tell apart: nameless values that nothing compares.
    fn collapsed(&self, states: &BTreeSet<Vec<Value>>, classes: &classes::Classes) -> BTreeSet<Vec<Value>> {
        let vars: Vec<usize> = (0..self.system.vars.len())
            .flat_map(|v| std::iter::repeat_n(v, self.procs.pow(self.system.vars[v].arity() as u32)))
            .collect();
        let stride = crate::model::semantics::PROC_STRIDE;
        states
            .iter()
            .map(|values| {
                // Names per class, so that classes do not share them.
                let mut maps: BTreeMap<(usize, Value), u32> = BTreeMap::new();
                let mut ranks: BTreeMap<(usize, i64), BTreeSet<i64>> = BTreeMap::new();
                let outside = |v: &Value| match v {
                    Value::Proc(p) if p.as_process(self.procs).is_none() => Some(p.0),
                    _ => None,
                };
                let gap = |p: i64| p.div_euclid(stride).clamp(-1, self.procs as i64 - 1);
                for (v, value) in vars.iter().zip(values) {
                    if let Some(p) = outside(value) {
                        ranks.entry((classes.of[*v], gap(p))).or_default().insert(p);
                    }
                }
                vars.iter()
                    .zip(values)
                    .map(|(v, value)| {
                        let class = classes.of[*v];
                        let nameless = outside(value).is_some() || matches!(value, Value::Abstract(_));
                        if !nameless {
                            return *value;
                        }
                        match classes.names[class] {
                            classes::Names::Single => Value::Abstract(9999),
                            classes::Names::Partition => {
                                let n = maps.len() as u32;
                                Value::Abstract(*maps.entry((class, *value)).or_insert(n))
                            }
                            names => {
                                let p = outside(value).expect("only processes are ordered");
                                let rank = ranks[&(class, gap(p))].range(..p).count() as i64;
                                let rank = if names == classes::Names::Gaps { 0 } else { rank };
                                Value::Proc(Point(gap(p) * stride + 1 + rank))
                            }
                        }
                    })
                    .collect()
            })
            .collect()
    }

    /// Orbits of a set of states under renaming of processes.
    fn orbits(&self, states: &BTreeSet<Vec<Value>>, classes: &classes::Classes) -> usize {
        let mut representatives = BTreeSet::new();
        for values in states {
            let least = distinct_tuples(self.procs, self.procs)
                .map(|perm| {
                    let mut renamed = values.clone();
                    let mut at = 0;
                    for var in &self.system.vars {
                        for index in tuples(self.procs, var.arity()) {
                            let to = index.iter().fold(0, |a, i| a * self.procs + perm[*i]);
                            let from = index.iter().fold(0, |a, i| a * self.procs + i);
                            renamed[at + to] = match values[at + from] {
                                Value::Proc(p) => match p.as_process(self.procs) {
                                    Some(p) => Value::Proc(Point::process(perm[p])),
                                    None => Value::Proc(p),
                                },
                                other => other,
                            };
                        }
                        at += self.procs.pow(var.arity() as u32);
                    }
                    let state = self.canonical(&State { procs: self.procs, values: renamed });
                    self.collapsed(&BTreeSet::from([state.values]), classes).pop_first().expect("one state")
                })
                .min()
                .expect("there is the identity");
            representatives.insert(least);
        }
        representatives.len()
    }
}

fn explored(system: &System, procs: usize, options: &ForwardOptions) -> Explored {
    explore(system, procs, options, &Interrupt::default(), &mut Silent)
}

fn run(system: &System, procs: usize, options: &ForwardOptions) -> Exploration {
    explored(system, procs, options).exploration
}

fn options() -> ForwardOptions {
    ForwardOptions { stop_at_unsafe: false, deadlock: true, ..ForwardOptions::default() }
}

fn compare(seed: u64, order: bool) {
    let mut shape = Shape::new(seed);
    let system = shape.system(order);
    let classes = classes::Classes::new(&system);
    for procs in [1, 2, 3] {
        let brute = Brute::new(&system, procs);
        let cells: usize = brute.types.len();
        let wide = brute.types.iter().filter(|t| !matches!(t, Type::Enum(_))).count();
        if cells > 12 || wide > if order { 3 } else { 4 } || procs == 3 && cells > 8 {
            continue;
        }
        let reachable = brute.reachable();
        let context = format!("seed {seed}, order {order}, {procs} processes, {system:#?}");
        let concrete = ForwardOptions { symmetry: false, undefined_cells: false, ..options() };
        let count = brute.collapsed(&reachable, &classes).len();
        let stored = explored(&system, procs, &concrete);
        let plain = &stored.exploration;
        assert_eq!(plain.stop, Stop::Complete, "{context}");
        assert_eq!(plain.states, count, "{context}");
        let dfs = run(&system, procs, &ForwardOptions { strategy: Strategy::Dfs, ..concrete.clone() });
        assert_eq!((dfs.stop, dfs.states), (plain.stop, count), "{context}");
        let orbits = explored(&system, procs, &ForwardOptions { symmetry: true, ..concrete });
        let symmetric = &orbits.exploration;
        if symmetric.symmetry {
            assert_eq!(symmetric.states, brute.orbits(&reachable, &classes), "{context}");
        } else {
            assert_eq!(symmetric.states, count, "{context}");
        }
        let with_undefined = explored(&system, procs, &options());
        let compressed = &with_undefined.exploration;
        if seed.is_multiple_of(10) {
            let cfl = ForwardOptions { strategy: Strategy::Cfl, seed, ..options() };
            for how in [
                ForwardOptions { strategy: Strategy::Random, ..cfl.clone() },
                ForwardOptions { strategy: Strategy::Dfs, restart: Some(Restart::default()), ..cfl.clone() },
                ForwardOptions { jobs: 2, ..cfl.clone() },
                ForwardOptions { jumpstart: true, ..cfl.clone() },
                ForwardOptions { cfl_choice: CflChoice::Uniform, ..cfl },
            ] {
                let walk = run(&system, procs, &how);
                let what = |e: &Exploration| {
                    let unsafe_cubes = e.more_unsafe_traces.len() + usize::from(e.unsafe_trace.is_some());
                    (e.stop, e.states, e.deadlock_states, unsafe_cubes)
                };
                assert_eq!(what(&walk), what(compressed), "{how:?} {context}");
            }
        }
        let bad = reachable.iter().any(|values| {
            let state = State { procs, values: values.clone() };
            (0..system.bad.len()).any(|b| brute.semantics.satisfies(&state, b).is_some())
        });
        let deadlock = reachable.iter().any(|values| {
            let state = State { procs, values: values.clone() };
            system.transitions.iter().enumerate().all(|(t, transition)| {
                distinct_tuples(procs, transition.arity())
                    .all(|args| brute.semantics.enabled(&state, TransitionId(t as u16), &args) == Some(false))
            })
        });
        for (found, name) in
            [(plain, "plain"), (&dfs, "dfs"), (symmetric, "symmetric"), (compressed, "compressed")]
        {
            assert_eq!(found.unsafe_trace.is_some(), bad, "{name} {context}");
            let traces = found.deadlocks.iter().chain(&found.outside_deadlocks);
            assert_eq!(found.deadlock_states > 0, deadlock, "{name} {context}");
            if found.stop == Stop::Complete && found.depth < 10 {
                let outside = found.outside_deadlock_states;
                // Where cells are undefined, states overlap, and it is not told of each whether it counts.
                let (told, all) = (traces.clone().count(), found.deadlock_states);
                assert!(name == "compressed" || (all.min(256)..=all).contains(&told), "{name} {context}");
                assert!(found.outside_deadlocks.len() <= outside, "{name} {context}");
            }
            for trace in traces.chain(&found.unsafe_trace) {
                replay(&system, trace).expect("every trace replays");
            }
        }
        for cube in &system.bad {
            let satisfied = reachable.iter().any(|values| {
                let state = State { procs, values: values.clone() };
                let one = System { bad: vec![cube.clone()], ..system.clone() };
                Semantics::new(&one, procs).satisfies(&state, 0).is_some()
            });
            let expected = match (usize::from(cube.params) <= procs, satisfied) {
                (false, _) => Answer::Untested,
                (true, true) => Answer::Reached,
                (true, false) => Answer::Unseen,
            };
            for found in [&stored, &orbits, &with_undefined] {
                let space = StateSpace::new(vec![found.clone()]);
                assert_eq!(space.ask(cube.params, &cube.cube), expected, "{context}");
            }
        }
    }
}

#[test]
fn explorations_agree_with_the_reference_semantics() {
    for seed in 0..60 {
        compare(seed, false);
    }
}

#[test]
fn explorations_agree_where_processes_are_ordered() {
    for seed in 0..60 {
        compare(seed, true);
    }
}

/// A system whose orbits at k = 6 are too many for one level to fit in a chunk.
fn wide_system() -> System {
    let mut shape = Shape::new(0);
    shape.vars = vec![
        ("S", VarKind::Array(1), Type::Enum(T)),
        ("R", VarKind::Array(1), Type::Enum(T)),
        ("P", VarKind::Global, Type::Proc),
    ];
    let mut system = shape.system(false);
    let cell = |v: u16, p: u8| Cell { var: VarId(v), index: [ProcRef::Var(p)].into_iter().collect() };
    let is = |v: u16, p: u8, c: u8| Literal::In { cell: cell(v, p), values: 1 << c };
    system.init.params = 1;
    system.init.body = Dnf(vec![vec![is(0, 0, 0), is(1, 0, 0)]]);
    system.bad = vec![Bad {
        name: String::new(),
        number: 1,
        kind: BadKind::Unsafe,
        params: 4,
        cube: vec![is(0, 0, 2), is(1, 1, 2), is(0, 2, 1), is(0, 3, 1)],
        span: Span::default(),
        spans: Vec::new(),
    }];
    let set = |v: u16, c: u8| {
        let when = Dnf(vec![vec![Literal::Eq {
            left: Term::Proc(ProcRef::Var(1)),
            right: Term::Proc(ProcRef::Var(0)),
            negated: false,
        }]]);
        let branches = vec![
            Branch { when, value: Term::Constructor(c) },
            Branch { when: Dnf::truth(), value: Term::Cell(cell(v, 1)) },
        ];
        Update { var: VarId(v), assignment: Assignment::Cases(branches) }
    };
    let template = shape.transition(false);
    let transition = |guard, updates| Transition {
        params: vec!["p".into()],
        universals: vec![],
        guard,
        updates,
        ..template.clone()
    };
    system.transitions = (0..2u16)
        .flat_map(|v| (0..3u8).map(move |c| (v, c)))
        .map(|(v, c)| transition(vec![is(v, 0, c)], vec![set(v, (c + 1) % 3)]))
        .collect();
    system
}

#[test]
fn the_number_of_threads_makes_no_difference() {
    let system = wide_system();
    for base in [
        ForwardOptions { stop_at_unsafe: true, symmetry: false, ..options() },
        ForwardOptions { symmetry: false, ..options() },
        ForwardOptions { symmetry: false, max_states: Some(30_000), ..options() },
        ForwardOptions { symmetry: false, memory: Some(400_000), ..options() },
        ForwardOptions { symmetry: false, deadlock: true, ..options() },
        options(),
        ForwardOptions { strategy: Strategy::Cfl, max_states: Some(3_000), ..options() },
        ForwardOptions { strategy: Strategy::Random, epochs: Some(3), ..options() },
    ] {
        let one = explored(&system, 5, &base);
        let stored = |a: &Explored| a.states.as_ref().map(super::space::Seen::stored);
        // Few threads share their work in one way, many in another.
        for jobs in [2, 3, 5] {
            let some = explored(&system, 5, &ForwardOptions { jobs, ..base.clone() });
            assert!(stored(&one) == stored(&some), "{jobs} {base:?}");
            let same = |a: &Exploration, b: &Exploration| {
                assert_eq!((a.stop, a.states, a.depth), (b.stop, b.states, b.depth), "{jobs} {base:?}");
                assert_eq!((&a.fired, a.deadlock_states), (&b.fired, b.deadlock_states), "{jobs} {base:?}");
                assert_eq!(a.unsafe_trace, b.unsafe_trace, "{jobs} {base:?}");
            };
            same(&one.exploration, &some.exploration);
        }
        assert!(one.exploration.states > 1_000, "too few states to need threads: {base:?}");
    }
}

#[test]
fn the_memory_limit_bounds_what_is_stored() {
    let system = wide_system();
    for strategy in [Strategy::Bfs, Strategy::Dfs, Strategy::Random] {
        let memory = Some(1_000_000);
        let base = ForwardOptions { strategy, symmetry: false, ..options() };
        let cut = run(&system, 5, &ForwardOptions { memory, ..base.clone() });
        assert_eq!(cut.stop, Stop::Memory, "{strategy:?}");
        assert!(cut.states > 5_000, "{strategy:?}: {} states", cut.states);
    }
}

#[test]
fn an_oracle_grows_and_learns() {
    let system = wide_system();
    let bad = &system.bad[0];
    for strategy in [Strategy::Bfs, Strategy::Cfl] {
        let few = ForwardOptions { strategy, max_states: Some(20), ..options() };
        let full = StateSpace::new(vec![explored(&system, 4, &options())]);
        assert_eq!(full.ask(bad.params, &bad.cube), Answer::Reached);
        assert_eq!(full.grow(), Growth::Nothing);
        let space = StateSpace::new(vec![explored(&system, 4, &few)]);
        assert_eq!(space.ask(bad.params, &bad.cube), Answer::Unseen);
        let trace = loop {
            match space.grow() {
                Growth::More => {}
                Growth::Unsafe(trace) => break trace,
                Growth::Nothing => panic!("a bad state is reachable"),
            }
        };
        replay(&system, &trace).expect("every trace replays");
        assert_eq!(space.ask(bad.params, &bad.cube), Answer::Reached);
        let blank = StateSpace::new(vec![explored(&system, 4, &few)]);
        blank.learn(&trace);
        assert_eq!(blank.ask(bad.params, &bad.cube), Answer::Reached);
    }
}

#[test]
fn walks_find_short_runs() {
    let system = wide_system();
    let steps = |options: &ForwardOptions| {
        let found = run(&system, 4, options);
        found.unsafe_trace.expect("a bad state is reachable").steps.len()
    };
    let stop = ForwardOptions { stop_at_unsafe: true, ..options() };
    assert_eq!(steps(&stop), 6);
    for seed in 0..5 {
        let walk = ForwardOptions { strategy: Strategy::Random, seed, ..stop.clone() };
        assert!(steps(&walk) <= 30, "a random walk makes detours, which are to be cut");
    }
}

#[test]
fn an_expected_end_is_no_deadlock() {
    let mut system = wide_system();
    // Without the steps that leave them, S = C and R = C are final.
    system.transitions.retain(|t| !t.guard.iter().any(|l| matches!(l, Literal::In { values: 4, .. })));
    let found = run(&system, 3, &options());
    assert_eq!((found.deadlock_states, found.deadlocks.len()), (1, 1));
    let last = |v: u16| {
        let index = [ProcRef::Var(0)].into_iter().collect();
        Literal::In { cell: Cell { var: VarId(v), index }, values: 4 }
    };
    let ended = ForwardOptions { expected_end: vec![last(0), last(1)], ..options() };
    assert_eq!(run(&system, 3, &ended).deadlock_states, 0);
    let elsewhere = Literal::In {
        values: 1,
        cell: Cell { var: VarId(0), index: [ProcRef::Var(0)].into_iter().collect() },
    };
    let other = ForwardOptions { expected_end: vec![elsewhere], ..options() };
    assert_eq!(run(&system, 3, &other).deadlock_states, 1);
}

#[test]
fn an_oracle_goes_deeper_than_breadth_first_search() {
    let system = wide_system();
    let breadth =
        run(&system, 6, &ForwardOptions { symmetry: false, max_states: Some(100_000), ..options() });
    assert_eq!(breadth.stop, Stop::States);
    let options = ForwardOptions { symmetry: false, ..options() };
    let oracle = explore_oracle(&system, 6, &options, &Interrupt::default(), &mut Silent).exploration;
    assert_eq!((oracle.stop, oracle.states), (Stop::States, 175_000));
    assert!(oracle.depth > breadth.depth, "{} against {}", oracle.depth, breadth.depth);
    let again = explore_oracle(&system, 6, &options, &Interrupt::default(), &mut Silent).exploration;
    assert_eq!((again.fired, again.depth), (oracle.fired, oracle.depth));
}

#[test]
fn the_state_limit_is_exact() {
    let mut shape = Shape::new(7);
    let system = shape.system(false);
    let all = run(&system, 2, &options()).states;
    for limit in 1..=all {
        let cut = run(&system, 2, &ForwardOptions { max_states: Some(limit), ..options() });
        assert_eq!(cut.states, limit);
        assert_eq!(cut.stop, if limit == all { Stop::Complete } else { Stop::States });
    }
}
