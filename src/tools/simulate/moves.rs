//! The moves that are possible in a state; many steps at once: random ones, and those to the nearest state with a property.

use std::fmt::Write as _;

use super::values::{CellNames, TypedValue, summary};
use cubicle_lang::model::semantics::{State, Step, Value, distinct_tuples};
use cubicle_lang::model::{System, TransitionId, Type, VarId};
use cubicle_lang::words::{ValueNames, processes};
use cubicle_run::Interrupt;
use indexmap::IndexMap;
use rand::RngExt;
use rand_chacha::ChaCha8Rng;

/// A transition that is enabled for some processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    pub transition: TransitionId,
    /// For all parameters, hidden ones included.
    pub args: Vec<usize>,
    /// The variables that get a value of the user's choice (`:= ?`), in order of the updates.
    pub open: Vec<VarId>,
    /// The state that it leads to, in which the open variables keep their value.
    pub after: State,
}

/// The enabled moves of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Moves {
    /// In order of the file and of the arguments. A move with the same name, arguments and effect as an earlier one
    /// (parts of one declaration, hidden parameters) is left out.
    pub list: Vec<Move>,
    /// Transitions for which it is unknown whether they are enabled, or what they do: a number leaves the 64-bit range.
    pub doubtful: Vec<String>,
}

impl Moves {
    pub fn of(instance: &CellNames<'_>, state: &State) -> Self {
        let mut moves = Self::default();
        for (number, transition) in instance.system.transitions.iter().enumerate() {
            let id = TransitionId(number as u16);
            let (open, kept) = (transition.open().collect::<Vec<_>>(), instance.semantics.chosen(id, state));
            for args in distinct_tuples(instance.procs, transition.arity()) {
                let enabled = instance.semantics.enabled(state, id, &args);
                if enabled == Some(false) {
                    continue;
                }
                let after = instance.semantics.fire(state, id, &args, &kept);
                match after.filter(|_| enabled == Some(true)) {
                    Some(after) => {
                        moves.add(instance, Move { transition: id, args, open: open.clone(), after });
                    }
                    None => moves.doubtful.push(action(instance, id, &args)),
                }
            }
        }
        moves
    }

    fn add(&mut self, instance: &CellNames<'_>, new: Move) {
        let transition = |id: TransitionId| instance.system.transition(id);
        let shown = |m: &Move| m.args[..transition(m.transition).params.len()].to_vec();
        let same = |old: &Move| {
            transition(old.transition).origin == transition(new.transition).origin
                && shown(old) == shown(&new)
                && old.open == new.open
                && old.after == new.after
        };
        // Parts of one declaration are adjacent.
        let near = |old: &&Move| transition(old.transition).origin == transition(new.transition).origin;
        if !self.list.iter().rev().take_while(near).any(same) {
            self.list.push(new);
        }
    }
}

impl Move {
    /// `enter(#1)`.
    pub fn action(&self, instance: &CellNames<'_>) -> String {
        action(instance, self.transition, &self.args)
    }

    /// `At[#1]: Idle -> Want, Turn := ? (#1 | #2 | outside)`; what each open variable can get, in order.
    pub fn effect(&self, instance: &CellNames<'_>, names: &ValueNames<'_>, before: &State) -> String {
        let mut text = String::new();
        let mut add = |part: String| {
            let _ = write!(text, "{}{part}", if text.is_empty() { "" } else { ", " });
        };
        for shown in &instance.shown {
            if !shown.parts.iter().any(|(id, ..)| self.open.contains(id)) {
                if shown.differs(before, &self.after) {
                    let [old, new] = [before, &self.after].map(|state| names.shown(shown, state));
                    add(format!("{}: {old} -> {new}", shown.name));
                }
                continue;
            }
            for &(id, var, cell) in &shown.parts {
                let name = &instance.cells[cell].1;
                if self.open.contains(&id) {
                    let choices = open_choices(instance, names, before, id);
                    add(format!("{name} := ? ({})", summary(var, &choices)));
                } else if before.values[cell] != self.after.values[cell] {
                    let [old, new] = [before, &self.after].map(|state| names.value(var, state.values[cell]));
                    add(format!("{name}: {old} -> {new}"));
                }
            }
        }
        if text.is_empty() { "nothing changes".to_owned() } else { text }
    }

    /// The step that gives these values to the open variables; `None` when a count leaves the 64-bit range then.
    pub fn step(&self, instance: &CellNames<'_>, values: &[Value]) -> Option<Step> {
        let mut after = self.after.clone();
        for (var, value) in self.open.iter().zip(values) {
            after.values[global(instance, *var)] = *value;
        }
        let after = instance.semantics.with_counts(after)?;
        Some(Step { transition: self.transition, args: self.args.clone(), after })
    }
}

/// The values that an open variable can get in a state.
pub(super) fn open_choices(
    instance: &CellNames<'_>,
    names: &ValueNames<'_>,
    state: &State,
    var: VarId,
) -> Vec<TypedValue> {
    let declared = instance.system.var(var);
    instance.choices(var, &state.values, &|value| names.value(declared, value))
}

/// The position of a global.
fn global(instance: &CellNames<'_>, var: VarId) -> usize {
    instance.semantics.layout().position(var, [])
}

/// `enter(#1)`: only declared parameters are shown.
pub(super) fn action(instance: &CellNames<'_>, id: TransitionId, args: &[usize]) -> String {
    let transition = instance.system.transition(id);
    format!("{}({})", transition.name, processes(&args[..transition.params.len()]))
}

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

/// States, each with the number of the one before it and the step from there.
type Reached = IndexMap<State, Option<(usize, Step)>>;

/// The nearest state from `start` on for which `wanted` holds: breadth first, with all values for what moves
/// leave open (of numbers, some).
pub(super) fn nearest(
    instance: &CellNames<'_>,
    start: &State,
    wanted: &dyn Fn(&State) -> bool,
    interrupt: &Interrupt,
) -> SearchEnd {
    // States in the order in which they were found, each with the step that led to it.
    let mut states: Reached = IndexMap::from([(start.clone(), None)]);
    let mut complete = true;
    let mut at = 0;
    while let Some((state, _)) = states.get_index(at) {
        if interrupt.poll().is_err() {
            return SearchEnd::Stopped;
        }
        let state = state.clone();
        if at > 0 && wanted(&state) {
            return SearchEnd::Run(run_to(&states, at));
        }
        let moves = Moves::of(instance, &state);
        complete &= moves.doubtful.is_empty();
        for next in &moves.list {
            complete &= next.open.iter().all(|var| all_are_tried(instance.system, *var));
            for step in steps(instance, &state, next) {
                if !states.contains_key(&step.after) {
                    if states.len() == MOST_STATES {
                        complete = false;
                        break;
                    }
                    states.insert(step.after.clone(), Some((at, step)));
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

fn run_to(states: &Reached, last: usize) -> Vec<Step> {
    let steps = std::iter::successors(states[last].as_ref(), |(before, _)| states[*before].as_ref());
    let mut steps: Vec<Step> = steps.map(|(_, step)| step.clone()).collect();
    steps.reverse();
    steps
}
