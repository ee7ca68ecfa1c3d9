//! Fair runs of a graph of states and steps, by the book; naively, for small graphs.

use std::collections::{BTreeMap, BTreeSet};

use cubicle::forward::{RunAnswer, check_runs};
use cubicle::model::System;
use cubicle::{BackwardMode, ForwardOptions, Interrupt, Options, Silent, TemporalReport, check};

use super::dice::Dice;
use crate::doors::{Failures, failing, small_search};
use crate::sorted::sizes_of;

/// A step: which transition, with which arguments.
pub type Label = (usize, Vec<usize>);

/// The number of the transition that a crash is.
pub const CRASH: usize = usize::MAX;

/// What a property says of runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    Response,
    Recurrence,
    Possible,
    Cover,
}

pub const KINDS: [Kind; 5] = [Kind::Response, Kind::Response, Kind::Recurrence, Kind::Possible, Kind::Cover];

/// Fairness of a transition, by its place.
pub struct Fair {
    pub strong: bool,
    pub any: bool,
    pub of: usize,
}

/// A formula of linear temporal logic over two formulas about states.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Always,
    Eventually,
    AgainAndAgain,
    FromSomeTimeOn,
    LeadsTo,
    Next,
    Until,
}

pub const SHAPES: [Shape; 7] = [
    Shape::Always,
    Shape::Eventually,
    Shape::AgainAndAgain,
    Shape::FromSomeTimeOn,
    Shape::LeadsTo,
    Shape::Next,
    Shape::Until,
];

impl Shape {
    /// The formula about these two.
    pub fn said(self, a: &str, b: &str) -> String {
        match self {
            Self::Always => format!("G {{ {a} }}"),
            Self::Eventually => format!("F {{ {a} }}"),
            Self::AgainAndAgain => format!("G F {{ {a} }}"),
            Self::FromSomeTimeOn => format!("F G {{ {a} }}"),
            Self::LeadsTo => format!("G ({{ {a} }} => F {{ {b} }})"),
            Self::Next => format!("G ({{ {a} }} => X {{ {b} }})"),
            Self::Until => format!("({{ {a} }} U {{ {b} }})"),
        }
    }
}

/// One of these steps is not put off for ever.
pub struct Demand {
    pub strong: bool,
    pub steps: BTreeSet<Label>,
}

/// The states in which the formulas of a property hold for some processes.
pub struct Holding {
    pub first: Vec<bool>,
    pub then: Vec<bool>,
    /// Where one of the processes has crashed: what is promised to it counts as kept.
    pub crashed: Vec<bool>,
}

/// The steps from each state.
#[derive(Default)]
pub struct Steps(pub Vec<Vec<(Label, usize)>>);

impl Fair {
    /// Of some of the transitions.
    pub fn of_some(dice: &mut Dice, transitions: usize) -> Vec<Self> {
        let mut fair = Vec::new();
        for of in 0..transitions {
            if dice.chance(60) {
                fair.push(Self { strong: dice.chance(40), any: dice.chance(30), of });
            }
        }
        fair
    }

    /// Its declaration, without the name of the transition.
    pub fn words(&self) -> String {
        let (strong, any) = (if self.strong { "strong_" } else { "" }, if self.any { "any " } else { "" });
        format!("{strong}fair {any}")
    }

    /// What it demands where the transition has these steps: of each by itself, or of all of them together.
    pub fn demands(&self, steps: impl Iterator<Item = Label>) -> Vec<Demand> {
        let parts: Vec<BTreeSet<Label>> =
            if self.any { vec![steps.collect()] } else { steps.map(|it| BTreeSet::from([it])).collect() };
        parts.into_iter().map(|steps| Demand { strong: self.strong, steps }).collect()
    }
}

pub fn not(of: &[bool]) -> Vec<bool> {
    of.iter().map(|it| !it).collect()
}

fn meets(some: &[bool], others: &[bool]) -> bool {
    some.iter().zip(others).any(|(a, b)| *a && *b)
}

impl Steps {
    /// All states that are reached from the first one, and the steps between them; `None` where there are more than `most`, or
    /// `next` has none.
    pub fn from<S: Clone + Ord>(
        first: S,
        next: impl Fn(&S) -> Option<Vec<(Label, S)>>,
        most: usize,
    ) -> Option<(Vec<S>, Self)> {
        let mut states = vec![first.clone()];
        let mut known = BTreeMap::from([(first, 0)]);
        let mut steps = Self::default();
        while steps.0.len() < states.len() {
            let found = next(&states[steps.0.len()])?;
            let number = |(label, next): (Label, S)| {
                let number = *known.entry(next).or_insert_with_key(|next| {
                    states.push(next.clone());
                    states.len() - 1
                });
                (label, number)
            };
            steps.0.push(found.into_iter().map(number).collect());
            if states.len() > most {
                return None;
            }
        }
        Some((states, steps))
    }

    /// The steps of a transition, each once.
    pub fn of(&self, transition: usize) -> impl Iterator<Item = Label> {
        let labels: BTreeSet<&Label> = self.0.iter().flatten().map(|it| &it.0).collect();
        labels.into_iter().filter(move |it| it.0 == transition).cloned()
    }

    /// Whether a property is violated; of a cover, whether it is not reached.
    pub fn violates(
        &self,
        kind: Kind,
        mut tuples: impl Iterator<Item = Holding>,
        demands: &[Demand],
    ) -> bool {
        let all = vec![true; self.0.len()];
        let kept = |holds: &[bool], crashed: &[bool]| -> Vec<bool> {
            holds.iter().zip(crashed).map(|(a, b)| *a || *b).collect()
        };
        match kind {
            Kind::Cover => !tuples.any(|it| it.first.contains(&true)),
            Kind::Possible => tuples.any(|it| {
                let there = kept(&it.first, &it.crashed);
                let leads = |at: usize| {
                    let alone: Vec<bool> = (0..all.len()).map(|it| it == at).collect();
                    meets(&self.reached(&alone, &all), &there)
                };
                !(0..all.len()).all(leads)
            }),
            Kind::Recurrence => {
                tuples.any(|it| self.stays(&all, &not(&kept(&it.first, &it.crashed)), demands))
            }
            Kind::Response => {
                tuples.any(|it| self.stays(&it.first, &not(&kept(&it.then, &it.crashed)), demands))
            }
        }
    }

    /// Whether some fair run from one of the first `initial` states breaks a formula, where its parts hold in these states.
    pub fn breaks(&self, shape: Shape, initial: usize, [a, b]: [&[bool]; 2], demands: &[Demand]) -> bool {
        let all = vec![true; a.len()];
        let initially: Vec<bool> = (0..a.len()).map(|at| at < initial).collect();
        match shape {
            Shape::Always => a.contains(&false),
            Shape::Eventually => self.stays(&initially, &not(a), demands),
            Shape::AgainAndAgain => self.stays(&all, &not(a), demands),
            Shape::FromSomeTimeOn => meets(&self.fair_loops(&all, demands), &not(a)),
            Shape::LeadsTo => self.stays(a, &not(b), demands),
            Shape::Next => (0..a.len()).any(|at| a[at] && self.next(at).iter().any(|to| !b[*to])),
            Shape::Until => {
                meets(&self.reached(&initially, &not(b)), &not(a)) || self.stays(&initially, &not(b), demands)
            }
        }
    }

    /// The next states; a state without steps, but for crashes, is a next one of itself.
    pub fn next(&self, at: usize) -> Vec<usize> {
        let stays = self.0[at].iter().all(|it| it.0.0 == CRASH);
        self.0[at].iter().map(|it| it.1).chain(stays.then_some(at)).collect()
    }

    /// The states that are reached from some state of `from` by steps between states of `within`.
    fn reached(&self, from: &[bool], within: &[bool]) -> Vec<bool> {
        let mut reached: Vec<bool> = from.iter().zip(within).map(|(a, b)| *a && *b).collect();
        let mut open: Vec<usize> = (0..reached.len()).filter(|at| reached[*at]).collect();
        while let Some(at) = open.pop() {
            for to in self.next(at) {
                if within[to] && !reached[to] {
                    reached[to] = true;
                    open.push(to);
                }
            }
        }
        reached
    }

    /// The states that a fair run which stays in `within` from some moment on may visit again and again.
    pub fn fair_loops(&self, within: &[bool], demands: &[Demand]) -> Vec<bool> {
        let mut fair = vec![false; within.len()];
        let mut open = vec![within.to_vec()];
        while let Some(within) = open.pop() {
            let from = |at: usize| {
                let alone: Vec<bool> = (0..within.len()).map(|it| it == at).collect();
                self.reached(&alone, &within)
            };
            let ways: Vec<Vec<bool>> = (0..within.len()).map(from).collect();
            let mut left = within.clone();
            for at in 0..within.len() {
                if !left[at] {
                    continue;
                }
                let mut inside: Vec<bool> =
                    (0..within.len()).map(|it| ways[at][it] && ways[it][at]).collect();
                for (left, inside) in left.iter_mut().zip(&inside) {
                    *left &= !inside;
                }
                let members: Vec<usize> = (0..inside.len()).filter(|it| inside[*it]).collect();
                if !members.iter().any(|it| self.next(*it).iter().any(|to| inside[*to])) {
                    continue;
                }
                let is_possible =
                    |it: usize, demand: &Demand| self.0[it].iter().any(|(l, _)| demand.steps.contains(l));
                let is_taken = |demand: &Demand| {
                    let taken = |it: &usize| {
                        self.0[*it].iter().any(|(l, to)| inside[*to] && demand.steps.contains(l))
                    };
                    members.iter().any(taken)
                };
                let is_put_off = |demand: &&Demand| {
                    let possible = |it: &usize| is_possible(*it, demand);
                    let due = if demand.strong {
                        members.iter().any(possible)
                    } else {
                        members.iter().all(possible)
                    };
                    due && !is_taken(demand)
                };
                match demands.iter().find(is_put_off) {
                    None => {
                        for it in members {
                            fair[it] = true;
                        }
                    }
                    // A run that does not take it avoids the states where it is possible.
                    Some(demand) => {
                        for it in members {
                            inside[it] &= !is_possible(it, demand);
                        }
                        open.push(inside);
                    }
                }
            }
        }
        fair
    }

    /// Whether some fair run gets from `from` on by states of `within` only, and never ends.
    pub fn stays(&self, from: &[bool], within: &[bool], demands: &[Demand]) -> bool {
        let reached = self.reached(from, within);
        meets(&self.fair_loops(within, demands), &reached)
    }
}

/// Whether the answers about an instance are right; how many there are.
pub fn compare_instance(
    kinds: &[Kind],
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    right: &[bool],
) -> Result<usize, String> {
    let seen = check_runs(system, procs, options, &Interrupt::default());
    for (at, (kind, answer)) in kinds.iter().zip(&seen.answers).enumerate() {
        let violated = match answer {
            RunAnswer::Open(stop) => return Err(format!("property {at} is open: {stop:?}")),
            RunAnswer::Holds => *kind == Kind::Cover,
            RunAnswer::Reached(..) => false,
            RunAnswer::Lasso(..) | RunAnswer::DeadEnd(..) => true,
        };
        if violated != right[at] {
            return Err(format!("property {at}: violated: {violated}, right is {}\n{answer:?}", right[at]));
        }
    }
    Ok(seen.answers.len())
}

/// Whether the answers of a whole run, about all divisions of some numbers of processes or about any number, fit what is right with some
/// sizes; how many of these they are about.
pub fn compare_all_sizes(
    kinds: &[Kind],
    system: &System,
    options: Options,
    right: &[([usize; 3], Vec<bool>)],
) -> Result<usize, String> {
    let options = options.only_states(false).forward(ForwardOptions::default().max_states(3_000));
    let report = check(system, &options, &Interrupt::default(), &mut Silent);
    let report = report.map_err(|why| format!("internal error: {why}"))?;
    let mut compared = 0;
    for TemporalReport { property, held, proved, never, found, .. } in &report.temporal {
        let is_cover = kinds[*property] == Kind::Cover;
        let shown = found.as_ref().map(|it| &it.run().initial).map(|it| match system.sort_array() {
            Some(_) => sizes_of(system, it),
            None => [it.procs, 0, 0],
        });
        for (sizes, violated) in right {
            let (right, shown) = (violated[*property], shown == Some(*sizes));
            let holds = *proved || *never || held.contains(&sizes.iter().sum());
            // A cover is not reached where it "holds", and a run to it is found where it is not violated.
            if holds && right != is_cover || shown && right == is_cover {
                return Err(format!(
                    "property {property}: said to hold: {holds}, found: {shown}; with {sizes:?} violated: {right}"
                ));
            }
            compared += usize::from(holds || shown);
        }
    }
    Ok(compared)
}

/// The properties of runs of a model, in instances and in a whole run (`for_all_sizes`), with processes that fail and without. `right` says of an
/// instance which of them are violated, if that is known.
pub fn compare_runs(
    seed: u64,
    (kinds, system): (&[Kind], &System),
    instances: &[[usize; 2]],
    options: &dyn Fn([usize; 2]) -> ForwardOptions,
    right: &dyn Fn([usize; 2], Failures) -> Option<Vec<bool>>,
    for_all_sizes: bool,
) -> Result<usize, String> {
    let failures = Failures::of(seed);
    let with_failures = failing(system, failures).filter(|_| seed.is_multiple_of(2));
    let (mut all, mut compared) = (Vec::new(), 0);
    for sizes in instances {
        let failing = with_failures.as_ref().map(|it| (it, failures));
        for (system, failures) in [Some((system, Failures::None)), failing].into_iter().flatten() {
            let Some(violated) = right(*sizes, failures) else { continue };
            let options = options(*sizes).symmetry((seed / 4).is_multiple_of(2));
            compared += compare_instance(kinds, system, sizes.iter().sum(), &options, &violated)
                .map_err(|why| format!("{sizes:?}, {failures:?}: {why}"))?;
            if failures == Failures::None {
                all.push(([sizes[0], sizes[1], 0], violated));
            }
        }
    }
    if for_all_sizes {
        compared += compare_all_sizes(kinds, system, small_search(BackwardMode::Auto), &all)?;
    }
    Ok(compared)
}
