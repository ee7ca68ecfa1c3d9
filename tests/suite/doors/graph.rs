//! All states of an instance and all steps between them, and properties of runs on them, according to the documents.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::ast::{Fair, Formula, Model, Run, RunKind, Value};
use super::instance::{Failures, Instance, Label, State};

pub struct Graph<'m> {
    pub instance: Instance<'m>,
    pub states: Vec<State>,
    steps: Vec<Vec<(Label, usize)>>,
    pub initial: usize,
    /// Whether these are all states; the states seen are there in any case.
    pub complete: bool,
}

/// A formula of linear temporal logic over two formulas about states.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    Always,
    Eventually,
    AgainAndAgain,
    FromSomeTimeOn,
    LeadsTo,
    Next,
    Until,
    Arrows,
    OtherArrows,
}

pub struct Temporal<'m> {
    pub shape: Shape,
    pub params: usize,
    pub left: &'m Formula,
    pub right: &'m Formula,
}

/// A fairness condition: one of these steps is not put off for ever.
struct Demand {
    strong: bool,
    steps: BTreeSet<(usize, Vec<usize>)>,
}

const GROWS: Value = 40;

/// All states, up to a limit; `None` when there are too many initial ones.
pub fn explore(model: &Model, procs: usize, failures: Failures, most: usize) -> Option<Graph<'_>> {
    let instance = Instance::new(model, procs, failures);
    let first = instance.initial(most)?;
    let mut graph =
        Graph { instance, initial: first.len(), states: Vec::new(), steps: Vec::new(), complete: true };
    let mut known = BTreeMap::new();
    let mut waiting = VecDeque::new();
    let mut number = |state: State, states: &mut Vec<State>, waiting: &mut VecDeque<usize>| {
        *known.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            waiting.push_back(states.len() - 1);
            states.len() - 1
        })
    };
    for state in first {
        number(state, &mut graph.states, &mut waiting);
    }
    while let Some(at) = waiting.pop_front() {
        graph.steps.resize(graph.states.len(), Vec::new());
        // A number may grow for ever.
        if graph.states.len() > most || graph.states[at].contains(&GROWS) {
            graph.complete = false;
            break;
        }
        let steps = graph.instance.steps(&graph.states[at]);
        graph.steps[at] =
            steps.into_iter().map(|(l, next)| (l, number(next, &mut graph.states, &mut waiting))).collect();
    }
    graph.steps.resize(graph.states.len(), Vec::new());
    Some(graph)
}

impl Graph<'_> {
    pub fn bad(&self) -> bool {
        self.states.iter().any(|state| self.instance.is_bad(state))
    }

    /// States without any step.
    pub fn deadlocks(&self) -> usize {
        self.steps.iter().filter(|steps| steps.iter().all(|(label, _)| *label == Label::Stutter)).count()
            * usize::from(self.complete)
    }

    /// Whether a property of runs is violated; for a cover, whether it is not reached.
    pub fn violates(&self, run: &Run) -> bool {
        let tuples = self.instance.distinct(run.params);
        let holds = |formula: &Formula, tuple: &[usize]| -> Vec<bool> {
            self.states.iter().map(|state| self.instance.holds(formula, state, tuple)).collect()
        };
        // A promise to a crashed process counts as kept.
        let promised = |formula: &Formula, tuple: &[usize]| -> Vec<bool> {
            let stopped = |state: &State| tuple.iter().any(|p| !self.instance.is_alive(state, *p));
            let holds = holds(formula, tuple);
            self.states.iter().zip(holds).map(|(state, holds)| holds || stopped(state)).collect()
        };
        let demands = demands(&self.instance);
        match run.kind {
            RunKind::Cover => !tuples.iter().any(|tuple| holds(&run.when, tuple).contains(&true)),
            RunKind::Possible => tuples.iter().any(|tuple| {
                let there = promised(&run.when, tuple);
                self.leading_to(&there).contains(&false)
            }),
            RunKind::Recurrence => tuples.iter().any(|tuple| {
                let without: Vec<bool> = promised(&run.when, tuple).iter().map(|it| !it).collect();
                self.fair_loops(&without, &demands).contains(&true)
            }),
            RunKind::Response => tuples.iter().any(|tuple| {
                let waits: Vec<bool> = promised(&run.then, tuple).iter().map(|it| !it).collect();
                let loops = self.fair_loops(&waits, &demands);
                let asked = holds(&run.when, tuple);
                let from: Vec<bool> = asked.iter().zip(&waits).map(|(a, b)| *a && *b).collect();
                let reached = self.reached_within(&from, &waits);
                reached.iter().zip(&loops).any(|(a, b)| *a && *b)
            }),
        }
    }

    /// Whether a formula of linear temporal logic is violated for the processes `#1`, `#2` and so on.
    pub fn breaks(&self, formula: &Temporal) -> bool {
        let of = |it: &Formula| -> Vec<bool> {
            let tuple: Vec<usize> = (0..formula.params).collect();
            self.states.iter().map(|state| self.instance.holds(it, state, &tuple)).collect()
        };
        let (a, b) = (of(formula.left), of(formula.right));
        let not = |it: &[bool]| it.iter().map(|it| !it).collect::<Vec<bool>>();
        let both =
            |one: &[bool], other: &[bool]| one.iter().zip(other).map(|(a, b)| *a && *b).collect::<Vec<_>>();
        let initially: Vec<bool> = (0..self.states.len()).map(|at| at < self.initial).collect();
        let demands = demands(&self.instance);
        // A run that begins in `from`, stays within and never ends.
        let stays = |from: &[bool], within: &[bool]| {
            let reached = self.reached_within(&both(from, within), within);
            both(&reached, &self.fair_loops(within, &demands)).contains(&true)
        };
        let everywhere = vec![true; self.states.len()];
        match formula.shape {
            Shape::Always => a.contains(&false),
            Shape::Eventually => stays(&initially, &not(&a)),
            Shape::AgainAndAgain => stays(&everywhere, &not(&a)),
            Shape::FromSomeTimeOn => both(&self.fair_loops(&everywhere, &demands), &not(&a)).contains(&true),
            Shape::LeadsTo => stays(&both(&a, &not(&b)), &not(&b)),
            Shape::Next => {
                let wrong = |at: &usize| a[*at] && self.steps[*at].iter().any(|(_, to)| !b[*to]);
                (0..self.states.len()).any(|at| wrong(&at))
            }
            Shape::Until => {
                let waits = both(&a, &not(&b));
                let way = self.reached_within(&both(&initially, &not(&b)), &waits);
                let fails = |at: usize| {
                    !a[at]
                        && !b[at]
                        && (at < self.initial
                            || (0..way.len()).any(|from| {
                                way[from] && waits[from] && self.steps[from].iter().any(|(_, to)| *to == at)
                            }))
                };
                (0..way.len()).any(fails) || stays(&initially, &waits)
            }
            // To the right: it is a => (b <=> a), or a <=> (b => a).
            Shape::Arrows => (0..self.initial).any(|at| a[at] && b[at] != a[at]),
            Shape::OtherArrows => (0..self.initial).any(|at| a[at] != (!b[at] || a[at])),
        }
    }

    /// The states from which some state of `there` can be reached.
    fn leading_to(&self, there: &[bool]) -> Vec<bool> {
        let mut leads = there.to_vec();
        loop {
            let new: Vec<usize> = (0..leads.len())
                .filter(|&at| !leads[at] && self.steps[at].iter().any(|(_, to)| leads[*to]))
                .collect();
            if new.is_empty() {
                return leads;
            }
            for at in new {
                leads[at] = true;
            }
        }
    }

    fn reached_within(&self, from: &[bool], within: &[bool]) -> Vec<bool> {
        reached(from, within, |at| self.steps[at].iter().map(|(_, to)| *to).collect())
    }

    /// The states of `within` that an infinite fair run within it may visit again and again.
    fn fair_loops(&self, within: &[bool], demands: &[Demand]) -> Vec<bool> {
        let mut fair = vec![false; within.len()];
        let mut left: Vec<Vec<usize>> = self.components(within);
        while let Some(component) = left.pop() {
            let mut inside = vec![false; within.len()];
            for at in &component {
                inside[*at] = true;
            }
            let steps =
                || component.iter().flat_map(|at| self.steps[*at].iter().filter(|(_, to)| inside[*to]));
            let is = |label: &Label, demand: &Demand| matches!(label, Label::Step(t, args) if demand.steps.contains(&(*t, args.clone())));
            let possible = |at: usize, demand: &Demand| self.steps[at].iter().any(|(l, _)| is(l, demand));
            if steps().next().is_none() {
                continue;
            }
            let untaken: Vec<&Demand> = (demands.iter())
                .filter(|demand| !steps().any(|(label, _)| is(label, demand)))
                .filter(|demand| component.iter().any(|at| possible(*at, demand)))
                .collect();
            let put_off =
                |demand: &&&Demand| demand.strong || component.iter().all(|at| possible(*at, demand));
            match untaken.iter().find(put_off) {
                None => component.iter().for_each(|at| fair[*at] = true),
                Some(demand) => {
                    for at in &component {
                        inside[*at] &= !possible(*at, demand);
                    }
                    left.extend(self.components(&inside));
                }
            }
        }
        fair
    }

    /// The strongly connected components of the states of `within`.
    fn components(&self, within: &[bool]) -> Vec<Vec<usize>> {
        let mut before = vec![Vec::new(); within.len()];
        for (at, steps) in self.steps.iter().enumerate() {
            for (_, to) in steps {
                before[*to].push(at);
            }
        }
        let mut left = within.to_vec();
        let mut components = Vec::new();
        for at in 0..within.len() {
            if left[at] {
                let alone: Vec<bool> = (0..within.len()).map(|it| it == at).collect();
                let forth = self.reached_within(&alone, &left);
                let back = reached(&alone, &left, |at| before[at].clone());
                let component: Vec<usize> = (0..within.len()).filter(|it| forth[*it] && back[*it]).collect();
                for it in &component {
                    left[*it] = false;
                }
                components.push(component);
            }
        }
        components
    }
}

fn reached(from: &[bool], within: &[bool], next: impl Fn(usize) -> Vec<usize>) -> Vec<bool> {
    let mut reached = from.to_vec();
    let mut waiting: Vec<usize> = (0..from.len()).filter(|at| from[*at]).collect();
    while let Some(at) = waiting.pop() {
        for to in next(at) {
            if within[to] && !reached[to] {
                reached[to] = true;
                waiting.push(to);
            }
        }
    }
    reached
}

fn demands(instance: &Instance<'_>) -> Vec<Demand> {
    let mut demands = Vec::new();
    for Fair { strong, any, name } in &instance.model.fairness {
        let named = instance.model.transitions.iter().enumerate().filter(|(_, t)| t.name == *name);
        let steps: Vec<(usize, Vec<usize>)> = named
            .flat_map(|(number, t)| instance.distinct(t.params).into_iter().map(move |args| (number, args)))
            .collect();
        if *any {
            demands.push(Demand { strong: *strong, steps: steps.into_iter().collect() });
            continue;
        }
        // For each tuple of arguments separately, over all declarations of the name.
        let tuples: BTreeSet<Vec<usize>> = steps.iter().map(|(_, args)| args.clone()).collect();
        for tuple in tuples {
            let steps = steps.iter().filter(|(_, args)| *args == tuple).cloned().collect();
            demands.push(Demand { strong: *strong, steps });
        }
    }
    demands
}
