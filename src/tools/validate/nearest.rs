//! Why an event is not explained: the possible states, and for the steps that come nearest what fails.

use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Serialize;

use cubicle_forward::{Follower, Front, Seen};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::semantics::{Semantics, State, Step, Trace, Value, distinct_tuples};
use cubicle_lang::model::{System, Var};
use cubicle_lang::words::shown_cells;

use super::event::{Candidate, Event, Sight};
use super::vocabulary::is_in_text;
use super::watch::Binding;
use crate::itf::Explainer;

/// The most states that are shown.
const MOST_STATES: usize = 3;

/// The most states in which steps are tried, and tuples of arguments for each transition.
const MOST_TRIED: usize = 32;
const MOST_TUPLES: usize = 512;

const MOST_STEPS: usize = 3;

/// A cell and its value.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "Assignment")]
pub struct CellValue {
    /// `At[#1]`.
    pub cell: String,
    /// As the model writes it; a queue from its first message, as in `<A, B>`.
    pub value: String,
}

/// A step that is not possible, or does not lead to what the log says.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "NearRecord")]
pub struct NearStep {
    /// `read(node-7)`.
    pub step: String,
    /// What fails.
    pub fails: Vec<String>,
    /// The state in which it comes nearest, as a place in the list of states, from 0.
    pub state: Option<usize>,
}

/// Why an event is not explained.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lost {
    /// The number of states in which the run may be before the event.
    pub possible: usize,
    /// Some of them, in the names of the log; `?` for a cell that may hold any value.
    pub states: Vec<Vec<CellValue>>,
    /// The steps that come nearest.
    pub nearest: Vec<NearStep>,
}

/// A model, and the names of the processes.
pub(super) struct Place<'a> {
    pub system: &'a System,
    pub source: &'a Source<'a>,
    pub follower: &'a Follower,
    pub names: &'a [String],
    pub procs: usize,
}

impl Place<'_> {
    /// Why none of the events is next in the states of these fronts.
    pub fn lost<'f>(
        &self,
        groups: impl Iterator<Item = (&'f Binding, &'f Front)> + Clone,
        events: &[&Event],
    ) -> Lost {
        let possible = groups.clone().map(|(_, front)| front.len()).sum();
        let states =
            groups.flat_map(|(binding, front)| (0..front.len()).map(move |at| (binding, front.state(at))));
        let mut lost = Lost { possible, ..Lost::default() };
        let mut near: Vec<(usize, NearStep)> = Vec::new();
        for (number, (binding, packed)) in states.take(MOST_TRIED).enumerate() {
            let (state, open) = self.follower.values(self.system, packed);
            let names = binding.names(self.names, self.procs);
            let lone = Trace::begin(state.clone());
            let explainer = Explainer::new(self.system, self.source, &lone).naming(&names);
            let shown = (number < MOST_STATES).then_some(number);
            if shown.is_some() {
                lost.states.push(self.cells(&state, &open, &explainer));
            }
            let state = NearState { place: self, state, explainer, binding };
            for event in events {
                for (distance, step, fails) in state.steps(event) {
                    match near.iter_mut().find(|(_, known)| known.step == step) {
                        Some((least, _)) if *least <= distance => {}
                        Some(known) => *known = (distance, NearStep { step, fails, state: shown }),
                        None => near.push((distance, NearStep { step, fails, state: shown })),
                    }
                }
            }
        }
        near.sort_by_key(|(distance, _)| *distance);
        lost.nearest = near.into_iter().take(MOST_STEPS).map(|(_, step)| step).collect();
        lost
    }

    fn cells(&self, state: &State, open: &[bool], explainer: &Explainer<'_>) -> Vec<CellValue> {
        let value = |var: &Var, position: usize| {
            if open[position] { "?".to_owned() } else { explainer.value_of(var, state.values[position]) }
        };
        let all = shown_cells(self.system, self.procs).into_iter();
        let all = all.filter(|cell| cell.parts.iter().all(|(_, var, _)| is_in_text(var)));
        let names = explainer.procs.unwrap_or_default();
        all.map(|cell| CellValue { cell: named(&cell.name, names), value: cell.text(&value) }).collect()
    }
}

/// `S[#1]` with the name of process 1; numbers of processes that have none stay.
pub fn named(text: &str, names: &[String]) -> String {
    let mut parts = text.split('#');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
        let number = part[..digits].parse::<usize>().ok().and_then(|n| n.checked_sub(1));
        match number.and_then(|n| names.get(n)) {
            Some(name) => out += name,
            None => {
                let _ = write!(out, "#{}", &part[..digits]);
            }
        }
        out += &part[digits..];
    }
    out
}

struct NearState<'a> {
    place: &'a Place<'a>,
    state: State,
    explainer: Explainer<'a>,
    binding: &'a Binding,
}

impl NearState<'_> {
    /// The steps that the event may be, each with how far it is from being possible, and what fails.
    fn steps(&self, event: &Event) -> Vec<(usize, String, Vec<String>)> {
        let before = self.failing(&event.before, &self.state, &[], "the log says");
        let Some(steps) = &event.steps else {
            let fails = self.failing(&event.after, &self.state, &[], "the log says");
            return vec![(fails.len(), "the state".to_owned(), fails)];
        };
        steps.iter().flat_map(|candidate| self.candidate(candidate, event, &before)).collect()
    }

    fn candidate(
        &self,
        Candidate { transition, args }: &Candidate,
        event: &Event,
        before: &[String],
    ) -> Vec<(usize, String, Vec<String>)> {
        let system = self.place.system;
        let declared = system.transition(*transition);
        let known: Vec<Option<usize>> =
            args.iter().map(|name| name.map(|name| self.binding.process(name))).collect();
        let agrees =
            |tuple: &Vec<usize>| tuple.iter().zip(&known).all(|(p, known)| known.is_none_or(|k| k == *p));
        let tuples = distinct_tuples(self.place.procs, declared.arity()).filter(agrees).take(MOST_TUPLES);
        let mut found = Vec::new();
        for args in tuples {
            let shown = args[..declared.params.len()].iter().map(|p| self.explainer.process(*p));
            let name = format!("{}({})", declared.name, shown.collect::<Vec<_>>().join(", "));
            let step = Step { transition: *transition, args, after: self.state.clone() };
            let mut fails = before.to_vec();
            let mut distance = fails.len();
            if let Some(why) = self.explainer.guard(&self.state, &step) {
                distance += self.explainer.distance(&self.state, &step);
                fails.push(why);
            } else {
                let after = self.after(&step, &event.after);
                distance += after.len();
                fails.extend(after);
            }
            if !fails.is_empty() {
                found.push((distance, name, fails));
            }
        }
        found
    }

    /// What the log says of the state after a possible step, and does not hold there.
    fn after(&self, step: &Step, sights: &[Sight]) -> Vec<String> {
        let system = self.place.system;
        let semantics = Semantics::new(system, self.place.procs);
        let any: Vec<_> = system.transition(step.transition).open().collect();
        let kept = semantics.chosen(step.transition, &self.state);
        match semantics.fire(&self.state, step.transition, &step.args, &kept) {
            Some(after) => self.failing(sights, &after, &any, "after the step the log says"),
            None => vec!["a number leaves the 64-bit range".to_owned()],
        }
    }

    /// The sights that do not hold in a state; those of variables in `any` may hold.
    fn failing(
        &self,
        sights: &[Sight],
        state: &State,
        any: &[cubicle_lang::model::VarId],
        says: &str,
    ) -> Vec<String> {
        let (system, procs) = (self.place.system, self.place.procs);
        let semantics = Semantics::new(system, procs);
        let mut fails = Vec::new();
        for Sight { var, index, value } in sights.iter().filter(|it| !any.contains(&it.var)) {
            let index: Vec<usize> = index.iter().map(|name| self.binding.process(*name)).collect();
            let held = state.values[semantics.layout().position(*var, index.iter().copied())];
            let variable = system.var(*var);
            let is_process = |process| matches!(held, Value::Proc(it) if it.as_process(procs) == process);
            let (holds, seen) = match self.binding.seen(*value) {
                Seen::Process(process) => (is_process(Some(process)), self.explainer.process(process)),
                Seen::NoProcess => (is_process(None), "no process".to_owned()),
                Seen::Number(number) => (held == Value::Number(number), number.to_string()),
                Seen::Constructors(set) => {
                    let holds = matches!(held, Value::Constructor(c) if set >> c & 1 == 1);
                    let all = (0..64).filter(|c| set >> c & 1 == 1);
                    let names = all.map(|c| self.explainer.value_of(variable, Value::Constructor(c)));
                    (holds, names.collect::<Vec<_>>().join(" or "))
                }
            };
            if !holds {
                let cell = self.explainer.cell(variable, &index);
                let held = self.explainer.value_of(variable, held);
                fails.push(format!("{says} {cell} is {seen}, in the model it is {held}"));
            }
        }
        fails
    }
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn numbers_of_processes_become_names() {
        let names = ["a".to_owned(), "#2".to_owned(), "c d".to_owned()];
        assert_eq!(named("S[#1, #3] = #2 #9", &names), "S[a, c d] = #2 #9");
        assert_eq!(named("#", &names), "#");
    }
}
