//! All reachable states of a small instance, by brute force with the reference semantics.
//!
//! Concrete states are enumerated one by one. Values without a name of their own are canonical: those
//! of an abstract type by first occurrence, outside processes likewise or, when the system orders
//! processes, by their place in the gaps between processes and their rank there.

use cubicle::model::semantics::{
    Env, Layout, PROC_STRIDE, Point, Semantics, State, Value, admits, distinct_tuples, tuples,
};
use cubicle::model::{
    Assignment, Conj, Forbidden, Literal, ProcRef, Rational, System, Term, Transition, TransitionId, Type,
    VarId,
};
use indexmap::IndexMap;

/// Distance between the canonical points of outside values in one gap.
const RANK: i64 = 1 << 8;

/// The result of brute force for one instance.
pub struct Reached {
    /// Number of processes.
    pub procs: usize,
    /// Canonical reachable states, in breadth-first order, each with the step that first led to it.
    pub states: IndexMap<State, Option<(usize, TransitionId, Vec<usize>)>>,
    /// Whether these are all: no limit was reached and no numbers were left out.
    pub complete: bool,
    /// First state that satisfies a bad cube (an invariant's, too: none is trusted), and which.
    pub bad: Option<(usize, usize)>,
    /// States in which no transition is enabled.
    pub deadlocks: Vec<usize>,
}

impl Reached {
    /// The names of the transitions, with their arguments (from 1), on a shortest run to a state.
    pub fn run_to(&self, system: &System, state: usize) -> String {
        let mut steps = Vec::new();
        let mut at = state;
        while let Some((parent, transition, args)) = &self.states[at] {
            let args: Vec<String> = args.iter().map(|a| format!("#{}", a + 1)).collect();
            steps.push(format!("{}({})", system.transition(*transition).name, args.join(", ")));
            at = *parent;
        }
        steps.reverse();
        format!("{:?} {}", self.states.get_index(at).expect("an initial state").0.values, steps.join(" "))
    }

    /// Number of orbits of the states under renaming of processes other than process constants.
    pub fn orbits(&self, system: &System) -> usize {
        if system.orders_processes {
            return self.states.len();
        }
        let fixed = usize::from(system.proc_constants);
        let permutations: Vec<Vec<usize>> = distinct_tuples(self.procs, self.procs)
            .filter(|p| p.iter().take(fixed).enumerate().all(|(i, &to)| i == to))
            .collect();
        let layout = Layout::new(system, self.procs);
        let least = |state: &State| {
            permutations.iter().map(|p| canonical(system, &renamed(system, &layout, state, p)).values).min()
        };
        let representatives: std::collections::BTreeSet<_> = self.states.keys().map(least).collect();
        representatives.len()
    }

    /// Whether some state satisfies `exists distinct p0 .. : cube`, the processes being none of the
    /// process constants.
    pub fn satisfies(&self, system: &System, asked: &Forbidden) -> bool {
        let layout = Layout::new(system, self.procs);
        let fixed = usize::from(system.proc_constants);
        let holds = |state: &State, procs: &[usize], conj: &Conj| {
            Env { layout: &layout, state, procs }.conj(conj) == Some(true)
        };
        self.states.keys().any(|state| {
            let named = distinct_tuples(self.procs, asked.params.into());
            named.filter(|t| t.iter().all(|&p| p >= fixed)).any(|named| {
                let mut others = (0..self.procs).filter(|p| !named.contains(p));
                let is_other = |p: usize| {
                    let procs = [&named[..], &[p]].concat();
                    asked.others.iter().any(|conj| holds(state, &procs, conj))
                };
                holds(state, &named, &asked.cube) && !others.any(is_other)
            })
        })
    }
}

/// Explores the instance with `procs` processes, up to about `limit` states; `None` when the system has
/// no such instance.
pub fn explore(system: &System, procs: usize, limit: usize) -> Option<Reached> {
    if !admits(system, procs) {
        return None;
    }
    let semantics = Semantics::new(system, procs);
    let (initial, mut complete) = initial_states(system, procs, limit);
    let mut states: IndexMap<State, _> = initial.into_iter().map(|state| (state, None)).collect();
    let (mut bad, mut deadlocks) = (None, Vec::new());
    let mut at = 0;
    while at < states.len() {
        if states.len() > limit {
            complete = false;
            break;
        }
        let state = states.get_index(at).expect("below the length").0.clone();
        if bad.is_none() {
            bad = (0..system.bad.len()).find(|&b| semantics.satisfies(&state, b).is_some()).map(|b| (at, b));
        }
        let mut stuck = true;
        for (transition, args, successors) in steps(system, &semantics, &state) {
            stuck = false;
            let (successors, all) = successors;
            complete &= all;
            for successor in successors {
                let entry = states.entry(canonical(system, &successor));
                entry.or_insert_with(|| Some((at, transition, args.clone())));
            }
        }
        if stuck {
            deadlocks.push(at);
        }
        at += 1;
    }
    Some(Reached { procs, states, complete, bad, deadlocks })
}

type Instance = (TransitionId, Vec<usize>, (Vec<State>, bool));

/// All enabled transition instances in a state, with their successors (not canonical) and whether
/// these are all: a number may leave the range, and `N := ?` has too many values.
pub fn steps(system: &System, semantics: &Semantics<'_>, state: &State) -> Vec<Instance> {
    let mut found = Vec::new();
    for (id, transition) in system.transitions.iter().enumerate() {
        let id = TransitionId(id as u16);
        for args in distinct_tuples(state.procs, transition.arity()) {
            match semantics.enabled(state, id, &args) {
                Some(false) => {}
                None => found.push((id, args, (Vec::new(), false))),
                Some(true) => {
                    let successors = fire_all(system, semantics, state, id, transition, &args);
                    found.push((id, args, successors));
                }
            }
        }
    }
    found
}

fn fire_all(
    system: &System,
    semantics: &Semantics<'_>,
    state: &State,
    id: TransitionId,
    transition: &Transition,
    args: &[usize],
) -> (Vec<State>, bool) {
    let mut complete = true;
    let mut choices: Vec<Vec<Value>> = vec![Vec::new()];
    for update in transition.updates.iter().filter(|u| u.assignment == Assignment::Nondet) {
        let ty = system.var(update.var).ty;
        complete &= !ty.is_numeric();
        choices = choices
            .into_iter()
            .flat_map(|choice| {
                // Chosen values count as present, so that two of them may be one fresh value.
                let present: Vec<Value> = state.values.iter().chain(&choice).copied().collect();
                domain(system, ty, state.procs, &present)
                    .into_iter()
                    .map(move |value| choice.iter().copied().chain([value]).collect())
            })
            .collect();
    }
    let successors: Vec<Option<State>> =
        choices.iter().map(|choice| semantics.fire(state, id, args, choice)).collect();
    complete &= successors.iter().all(Option::is_some);
    (successors.into_iter().flatten().collect(), complete)
}

/// Values that a cell can take beside the values that are `present`, one of each kind that formulas
/// can distinguish; for numbers, a window.
pub fn domain(system: &System, ty: Type, procs: usize, present: &[Value]) -> Vec<Value> {
    match ty {
        Type::Enum(id) => {
            (0..system.enumeration(id).constructors.len()).map(|c| Value::Constructor(c as u8)).collect()
        }
        Type::Abstract(_) => {
            // Values of two abstract types never meet, so one numbering serves all of them.
            let mut values: Vec<Value> =
                present.iter().copied().filter(|v| matches!(v, Value::Abstract(_))).collect();
            values.sort_unstable();
            values.dedup();
            let fresh = (0..=values.len() as u32)
                .map(Value::Abstract)
                .find(|v| !values.contains(v))
                .expect("some number is free");
            values.push(fresh);
            values
        }
        Type::Proc => {
            let mut points: Vec<Point> = outside(present, procs);
            if system.orders_processes {
                let mut all: Vec<i64> = points.iter().map(|p| p.0).collect();
                all.extend((0..procs).map(|p| Point::process(p).0));
                all.extend([-PROC_STRIDE, Point::process(procs).0]);
                all.sort_unstable();
                points.extend(all.windows(2).map(|w| Point(i64::midpoint(w[0], w[1]))));
            } else {
                let lowest = points.iter().map(|p| p.0).min().unwrap_or(0);
                points.push(Point(lowest - 1));
            }
            points.extend((0..procs).map(Point::process));
            points.sort_unstable();
            points.into_iter().map(Value::Proc).collect()
        }
        Type::Int => {
            let (low, high) = window(system);
            (low..=high).map(|n| Value::Number(Rational::integer(n))).collect()
        }
        // The constants of the generated models are multiples of one half.
        Type::Real => {
            let (low, high) = window(system);
            let half = |n| Rational::new(i128::from(n), 2).expect("a small number");
            (2 * low..=2 * high).map(|n| Value::Number(half(n))).collect()
        }
    }
}

/// The distinct outside points among `values`, in order.
fn outside(values: &[Value], procs: usize) -> Vec<Point> {
    let mut points: Vec<Point> = values
        .iter()
        .filter_map(|v| match v {
            Value::Proc(p) if p.as_process(procs).is_none() => Some(*p),
            _ => None,
        })
        .collect();
    points.sort_unstable();
    points.dedup();
    points
}

/// The integers tried for a number that init leaves free: those that init names, and two more on
/// either side.
fn window(system: &System) -> (i64, i64) {
    let axioms = system.axioms.iter().map(|axiom| &axiom.cube);
    let literals = system.init.body.0.iter().chain(&system.init.without_processes.0).chain(axioms).flatten();
    let constants: Vec<i64> = literals
        .filter_map(|l| match l {
            Literal::Linear { expr, .. } => Some(expr.constant.floor()),
            _ => None,
        })
        .flat_map(|n| [n, -n])
        .chain([0])
        .collect();
    let bound = |n: Option<&i64>| *n.expect("0 is there");
    (bound(constants.iter().min()) - 2, bound(constants.iter().max()) + 2)
}

/// Whether some distinct processes satisfy the cube of an axiom.
fn violates_an_axiom(system: &System, layout: &Layout, state: &State) -> bool {
    system.axioms.iter().any(|axiom| {
        tuples(state.procs, usize::from(axiom.params))
            .filter(|procs| (1..procs.len()).all(|i| !procs[..i].contains(&procs[i])))
            .any(|procs| {
                let env = Env { layout, state, procs: &procs };
                axiom.cube.iter().all(|literal| env.literal(literal) == Some(true))
            })
    })
}

/// The canonical initial states, and whether these are all.
pub fn initial_states(system: &System, procs: usize, limit: usize) -> (Vec<State>, bool) {
    let layout = Layout::new(system, procs);
    let body = if procs == 0 { &system.init.without_processes } else { &system.init.body };
    // Each instance of init: its processes and its disjuncts, each literal with how many first cells it needs.
    let mut instances = Vec::new();
    let counts = |literal: &Literal| literal.cells().iter().any(|it| system.count_of(it.var).is_some());
    let needed = |literal: &Literal, tuple: &[usize]| {
        // What is counted is known at the end.
        if counts(literal) { usize::MAX } else { cells_needed(&layout, literal, tuple) }
    };
    for tuple in tuples(procs, if procs == 0 { 0 } else { usize::from(system.init.params) }) {
        let disjuncts: Vec<Vec<(&Literal, usize)>> =
            (body.0.iter()).map(|conj| conj.iter().map(|l| (l, needed(l, &tuple))).collect()).collect();
        instances.push((tuple, disjuncts));
    }
    let types: Vec<Type> =
        system.vars.iter().flat_map(|var| tuples(procs, var.arity()).map(|_| var.ty)).collect();
    let follows: Vec<bool> = (0..)
        .map(VarId)
        .zip(&system.vars)
        .flat_map(|(id, var)| tuples(procs, var.arity()).map(move |_| system.count_of(id).is_some()))
        .collect();
    let dummy = |ty: &Type| match ty {
        Type::Enum(_) => Value::Constructor(0),
        Type::Proc => Value::Proc(Point(-1)),
        Type::Abstract(_) => Value::Abstract(0),
        Type::Int | Type::Real => Value::Number(Rational::ZERO),
    };
    let mut partial = vec![State { procs, values: types.iter().map(dummy).collect() }];
    // An instance is refuted when each disjunct has a false literal among those whose cells are known.
    let possible = |state: &State, known: usize| {
        instances.iter().all(|(tuple, disjuncts)| {
            let env = Env { layout: &layout, state, procs: tuple };
            let open = |conj: &Vec<(&Literal, usize)>| {
                conj.iter().all(|&(l, needed)| needed > known || env.literal(l) != Some(false))
            };
            disjuncts.iter().any(open)
        })
    };
    let mut complete = true;
    partial.retain(|state| possible(state, 0));
    for (cell, ty) in types.iter().enumerate() {
        let mut next = Vec::new();
        for state in partial {
            let known = || domain(system, *ty, procs, &state.values[..cell]);
            for value in if follows[cell] { vec![dummy(ty)] } else { known() } {
                let mut state = state.clone();
                state.values[cell] = value;
                if possible(&state, cell + 1) {
                    next.push(state);
                }
            }
        }
        if next.len() > limit {
            complete = false;
            next.truncate(limit);
        }
        partial = next;
    }
    let semantics = Semantics::new(system, procs);
    let counted = |state| semantics.with_counts(state).filter(|state| possible(state, usize::MAX));
    partial = partial.into_iter().filter_map(counted).collect();
    partial.retain(|state| !violates_an_axiom(system, &layout, state));
    // The cells of witnesses hold processes.
    partial.retain(|state| system.witnesses.is_empty() || semantics.initial(state));
    let found: indexmap::IndexSet<State> = partial.iter().map(|s| canonical(system, s)).collect();
    // A number that init leaves open may have more values than the window has. Integers between
    // bounds do not reach the window's ends.
    let (low, high) = window(system);
    let end = [low, high].map(|n| Value::Number(Rational::integer(n)));
    for (cell, ty) in types.iter().enumerate() {
        let mut values = found.iter().map(|s| s.values[cell]);
        complete &= match ty {
            Type::Int => follows[cell] || !values.any(|v| end.contains(&v)),
            Type::Real => {
                let first = values.next();
                first.is_some() && values.all(|v| Some(v) == first)
            }
            _ => true,
        };
    }
    (found.into_iter().collect(), complete)
}

/// How many cells, from the first, must be known to decide a literal.
fn cells_needed<'a>(layout: &Layout, literal: &'a Literal, procs: &[usize]) -> usize {
    let process = |p: &ProcRef| match p {
        ProcRef::Var(i) => procs[usize::from(*i)],
        ProcRef::Const(k) => usize::from(*k),
    };
    let cells: Vec<_> = match literal {
        Literal::In { cell, .. } => vec![cell],
        Literal::Eq { left, right, .. } | Literal::Less { left, right, .. } => {
            let cell = |t: &'a Term| match t {
                Term::Cell(cell) => Some(cell),
                _ => None,
            };
            [left, right].into_iter().filter_map(cell).collect()
        }
        Literal::Linear { expr, .. } => expr.terms.iter().map(|(cell, _)| cell).collect(),
    };
    cells.iter().map(|c| layout.position(c.var, c.index.iter().map(process)) + 1).max().unwrap_or(0)
}

/// Renames process `p` to `to[p]`, as a value and as an index.
fn renamed(system: &System, layout: &Layout, state: &State, to: &[usize]) -> State {
    let mut result = state.clone();
    for (id, var) in system.vars.iter().enumerate() {
        let id = cubicle::model::VarId(id as u16);
        for index in tuples(state.procs, var.arity()) {
            let value = match state.values[layout.position(id, index.iter().copied())] {
                Value::Proc(point) => {
                    Value::Proc(point.as_process(state.procs).map_or(point, |p| Point::process(to[p])))
                }
                value => value,
            };
            result.values[layout.position(id, index.iter().map(|&p| to[p]))] = value;
        }
    }
    result
}

/// The representative of the states that differ only in the choice of nameless values.
pub fn canonical(system: &System, state: &State) -> State {
    let mut seen: Vec<(Type, Value)> = Vec::new();
    let mut result = state.clone();
    let points = outside(&state.values, state.procs);
    let types = system.vars.iter().flat_map(|var| tuples(state.procs, var.arity()).map(|_| var.ty));
    for (ty, value) in types.zip(&mut result.values) {
        let nameless = match value {
            Value::Abstract(_) => true,
            Value::Proc(p) => p.as_process(state.procs).is_none(),
            _ => false,
        };
        if !nameless {
            continue;
        }
        let number = seen.iter().position(|&s| s == (ty, *value)).unwrap_or_else(|| {
            seen.push((ty, *value));
            seen.len() - 1
        });
        let earlier = seen[..number].iter().filter(|(t, _)| *t == ty).count();
        *value = match *value {
            Value::Proc(point) if system.orders_processes => {
                let gap = |p: Point| p.0.div_euclid(PROC_STRIDE).clamp(-1, state.procs as i64 - 1);
                let rank = points.iter().filter(|&&p| gap(p) == gap(point) && p <= point).count() as i64;
                Value::Proc(Point(gap(point) * PROC_STRIDE + rank * RANK))
            }
            Value::Proc(_) => Value::Proc(Point(-1 - earlier as i64)),
            _ => Value::Abstract(earlier as u32),
        };
    }
    result
}
