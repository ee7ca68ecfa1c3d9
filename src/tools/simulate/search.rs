//! Many steps at once: random ones, and those to the nearest state with a property.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::moves::{Move, Moves};
use super::values::CellNames;
use cubicle_lang::model::semantics::{State, Step, Value};
use cubicle_lang::model::{System, Type, VarId};
use cubicle_run::Interrupt;

/// The most states that are searched for the nearest one.
pub(super) const MOST_STATES: usize = 20_000;

/// A random step from `state`: chooses first the move, then the values that it leaves open. `None` when
/// nothing is enabled.
pub(super) fn random_step(instance: &CellNames<'_>, state: &State, rng: &mut ChaCha8Rng) -> Option<Step> {
    let moves = Moves::of(instance, state).list;
    if moves.is_empty() {
        return None;
    }
    let chosen = &moves[rng.random_range(0..moves.len())];
    let mut scratch = state.clone();
    let mut values = Vec::with_capacity(chosen.open.len());
    for var in &chosen.open {
        let choices = instance.choices(*var, &scratch.values, &|_| String::new());
        let value = choices[rng.random_range(0..choices.len())].value;
        scratch.values[instance.semantics.layout().position(*var, [])] = value;
        values.push(value);
    }
    chosen.step(instance, &values)
}

pub(super) enum SearchEnd {
    /// A shortest run to it.
    Run(Vec<Step>),
    /// No such state was found; `complete`: all reachable states were searched.
    None { complete: bool, states: usize },
    /// Interrupted.
    Stopped,
}

/// The nearest state from `start` on for which `wanted` holds: breadth first, with all values for what moves
/// leave open (of numbers, some).
pub(super) fn nearest(
    instance: &CellNames<'_>,
    start: &State,
    wanted: &dyn Fn(&State) -> bool,
    interrupt: &Interrupt,
) -> SearchEnd {
    // States in the order in which they were found, each with the step that led to it.
    let mut states: Vec<(State, Option<(usize, Step)>)> = vec![(start.clone(), None)];
    let mut numbers: HashMap<State, usize> = HashMap::from([(start.clone(), 0)]);
    let mut complete = true;
    let mut at = 0;
    while at < states.len() {
        if interrupt.poll().is_err() {
            return SearchEnd::Stopped;
        }
        let state = states[at].0.clone();
        if at > 0 && wanted(&state) {
            return SearchEnd::Run(run_to(&states, at));
        }
        let moves = Moves::of(instance, &state);
        complete &= moves.doubtful.is_empty();
        for next in &moves.list {
            complete &= next.open.iter().all(|var| all_are_tried(instance.system, *var));
            for step in steps(instance, &state, next) {
                if let Entry::Vacant(entry) = numbers.entry(step.after.clone()) {
                    if states.len() == MOST_STATES {
                        complete = false;
                        break;
                    }
                    entry.insert(states.len());
                    states.push((step.after.clone(), Some((at, step))));
                }
            }
        }
        at += 1;
    }
    SearchEnd::None { complete, states: states.len() }
}

/// Whether [`CellNames::choices`] has every value up to names: there are infinitely many numbers, and between two
/// values of an order there may be no room.
pub(crate) fn all_are_tried(system: &System, var: VarId) -> bool {
    let ty = system.var(var).ty;
    !(ty.is_numeric() || ty == Type::Proc && system.orders_processes)
}

/// The steps of a move, one for each way to choose the values that it leaves open.
pub(crate) fn steps(instance: &CellNames<'_>, state: &State, next: &Move) -> Vec<Step> {
    let mut ways: Vec<(State, Vec<Value>)> = vec![(state.clone(), Vec::new())];
    for var in &next.open {
        let at = instance.semantics.layout().position(*var, []);
        let mut longer = Vec::new();
        for (scratch, values) in ways {
            for choice in instance.choices(*var, &scratch.values, &|_| String::new()) {
                let mut scratch = scratch.clone();
                scratch.values[at] = choice.value;
                longer.push((scratch, values.iter().copied().chain([choice.value]).collect()));
            }
        }
        ways = longer;
    }
    ways.iter().filter_map(|(_, values)| next.step(instance, values)).collect()
}

fn run_to(states: &[(State, Option<(usize, Step)>)], last: usize) -> Vec<Step> {
    let steps = std::iter::successors(states[last].1.as_ref(), |(before, _)| states[*before].1.as_ref());
    let mut steps: Vec<Step> = steps.map(|(_, step)| step.clone()).collect();
    steps.reverse();
    steps
}
