//! The reachable states by brute force.

use std::collections::{BTreeMap, BTreeSet};

use cubicle_lang::list::sequences;
use cubicle_lang::model::classes::{Classes, Distinctness};
use cubicle_lang::model::semantics::{PROC_STRIDE, Point, Semantics, State, Value, distinct_tuples, tuples};
use cubicle_lang::model::*;

/// All reachable concrete states, by the reference semantics and nothing else. Nameless values are
/// numbered by first occurrence, or by rank where processes are ordered.
pub struct Brute<'a> {
    pub system: &'a System,
    pub semantics: Semantics<'a>,
    pub procs: usize,
    /// Type of each cell.
    pub types: Vec<Type>,
}

impl<'a> Brute<'a> {
    pub fn new(system: &'a System, procs: usize) -> Self {
        let types =
            system.vars.iter().flat_map(|v| std::iter::repeat_n(v.ty, procs.pow(v.arity() as u32))).collect();
        Self { system, semantics: Semantics::new(system, procs), procs, types }
    }

    /// Values that a cell can take beside the nameless ones in `used`.
    pub fn domain(&self, ty: Type, used: &[Value]) -> Vec<Value> {
        match ty {
            Type::Enum(e) => {
                let n = self.system.enumeration(e).constructors.len();
                (0..n as u8).map(Value::Constructor).collect()
            }
            Type::Abstract(_) => (0..=used.len() as u32).map(Value::Abstract).collect(),
            Type::Proc if self.system.orders_processes => {
                // Every value in use, and a new one between any two neighbours (or beyond the ends).
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
            // Only counts are numbers.
            Type::Int | Type::Real => vec![Value::Number(Rational::ZERO)],
        }
    }

    /// The place of a value that is not a process among the points.
    fn outside(&self, value: &Value) -> Option<i64> {
        match value {
            Value::Proc(p) if p.as_process(self.procs).is_none() => Some(p.0),
            _ => None,
        }
    }

    /// The last process before a point.
    fn gap(&self, point: i64) -> i64 {
        point.div_euclid(PROC_STRIDE).clamp(-1, self.procs as i64 - 1)
    }

    pub fn canonical(&self, state: &State) -> State {
        let mut state = state.clone();
        let mut map: BTreeMap<Value, Value> = BTreeMap::new();
        if self.system.orders_processes {
            let points: BTreeSet<i64> = state.values.iter().filter_map(|v| self.outside(v)).collect();
            for p in &points {
                let gap = self.gap(*p);
                let rank = points.range(..p).filter(|q| self.gap(**q) == gap).count() as i64;
                // Room for values between any two: ranks are 1024 apart.
                map.insert(Value::Proc(Point(*p)), Value::Proc(Point(gap * PROC_STRIDE + 1024 * (rank + 1))));
            }
        }
        let (mut outside, mut nameless) = (0, 0);
        for value in &mut state.values {
            let renamed = map.entry(*value).or_insert_with(|| match *value {
                Value::Proc(_) if self.outside(value).is_some() => {
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

    pub fn initial(&self) -> BTreeSet<Vec<Value>> {
        let mut out = BTreeSet::new();
        for values in sequences(self.types.len(), |known| self.domain(self.types[known.len()], known)) {
            let state = State { procs: self.procs, values };
            let state = self.semantics.with_counts(state).expect("small numbers");
            if self.semantics.initial(&state) {
                out.insert(self.canonical(&state).values);
            }
        }
        out
    }

    /// All steps from a state: the transition, its arguments, and the successor.
    pub fn steps(&self, from: &State) -> Vec<((TransitionId, Vec<usize>), State)> {
        let mut steps = Vec::new();
        for (t, transition) in self.system.transitions.iter().enumerate() {
            let id = TransitionId(t as u16);
            for args in distinct_tuples(self.procs, transition.arity()) {
                if self.semantics.enabled(from, id, &args) != Some(true) {
                    continue;
                }
                let open: Vec<VarId> = transition.open().collect();
                let next = |chosen: &[Value]| {
                    let used: Vec<Value> = from.values.iter().chain(chosen).copied().collect();
                    self.domain(self.system.var(open[chosen.len()]).ty, &used)
                };
                for nondet in sequences(open.len(), next) {
                    let next = self.semantics.fire(from, id, &args, &nondet).expect("it is enabled");
                    steps.push(((id, args.clone()), self.canonical(&next)));
                }
            }
        }
        steps
    }

    pub fn reachable(&self) -> BTreeSet<Vec<Value>> {
        let mut seen = self.initial();
        let mut todo: Vec<Vec<Value>> = seen.iter().cloned().collect();
        while let Some(values) = todo.pop() {
            let state = State { procs: self.procs, values };
            for (_, next) in self.steps(&state) {
                if seen.insert(next.values.clone()) {
                    todo.push(next.values);
                }
            }
            assert!(seen.len() < 200_000, "random systems stay small");
        }
        seen
    }

    /// The states as the explorer distinguishes them: without the identity of nameless values that nothing compares.
    pub fn collapsed(&self, states: &BTreeSet<Vec<Value>>, classes: &Classes) -> BTreeSet<Vec<Value>> {
        let vars: Vec<usize> = (0..self.system.vars.len())
            .flat_map(|v| std::iter::repeat_n(v, self.procs.pow(self.system.vars[v].arity() as u32)))
            .collect();
        states
            .iter()
            .map(|values| {
                // Names per class, so that classes do not share them.
                let mut maps: BTreeMap<(usize, Value), u32> = BTreeMap::new();
                let mut ranks: BTreeMap<(usize, i64), BTreeSet<i64>> = BTreeMap::new();
                for (v, value) in vars.iter().zip(values) {
                    if let Some(p) = self.outside(value) {
                        ranks.entry((classes.of[*v], self.gap(p))).or_default().insert(p);
                    }
                }
                vars.iter()
                    .zip(values)
                    .map(|(v, value)| {
                        let class = classes.of[*v];
                        let nameless = self.outside(value).is_some() || matches!(value, Value::Abstract(_));
                        if !nameless {
                            return *value;
                        }
                        match classes.names[class] {
                            Distinctness::Single => Value::Abstract(9999),
                            Distinctness::Partition => {
                                let n = maps.len() as u32;
                                Value::Abstract(*maps.entry((class, *value)).or_insert(n))
                            }
                            names => {
                                let p = self.outside(value).expect("only processes are ordered");
                                let gap = self.gap(p);
                                let rank = ranks[&(class, gap)].range(..p).count() as i64;
                                let rank = if names == Distinctness::Gaps { 0 } else { rank };
                                Value::Proc(Point(gap * PROC_STRIDE + 1 + rank))
                            }
                        }
                    })
                    .collect()
            })
            .collect()
    }

    /// Orbits of a set of states under renaming of processes.
    pub fn orbits(&self, states: &BTreeSet<Vec<Value>>, classes: &Classes) -> usize {
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
                                Value::Proc(p) => Value::Proc(
                                    p.as_process(self.procs).map_or(p, |p| Point::process(perm[p])),
                                ),
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
