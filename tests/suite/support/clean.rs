//! Deadlocks that clean runs lead to, by brute force over all paths.
//!
//! A run is clean when no outside value comes in that could be a process instead: see the definition in
//! `forward/outside.rs`, which this file reads with the reference semantics alone.

use std::collections::{HashSet, VecDeque};

use cubicle::model::semantics::{Env, Layout, Point, Semantics, State, Trace, Value};
use cubicle::model::{Assignment, Conj, System, TransitionId, Type};
use indexmap::IndexMap;

use super::explore::{Reached, canonical, initial_states, steps};

/// The ends of runs, by brute force.
pub struct Ends<'a> {
    system: &'a System,
    semantics: Semantics<'a>,
    expected: &'a Conj,
    /// Canonical initial states that need all their outside values.
    initial: Vec<State>,
    /// Numbers of deadlocked states, in [`Reached::states`].
    pub deadlocks: Vec<usize>,
    /// Canonical deadlocked states that clean runs lead to, with the length of a shortest one.
    pub clean: IndexMap<State, usize>,
    /// Whether this is complete and certain.
    pub complete: bool,
}

impl<'a> Ends<'a> {
    /// Those of an instance; every process satisfies `expected` at an expected end, if there is one.
    pub fn new(system: &'a System, reached: &Reached, expected: &'a Conj, limit: usize) -> Self {
        let semantics = Semantics::new(system, reached.procs);
        let (all, complete) = initial_states(system, reached.procs, limit);
        let initial = all.iter().filter(|state| needs_its_outside_values(state, &all)).cloned().collect();
        let mut ends = Self {
            system,
            semantics,
            expected,
            initial,
            deadlocks: Vec::new(),
            clean: IndexMap::new(),
            complete: complete && reached.complete,
        };
        for &at in &reached.deadlocks {
            let state = reached.states.get_index(at).expect("a state").0;
            match ends.is_expected_end(state) {
                Some(true) => {}
                Some(false) => ends.deadlocks.push(at),
                None => ends.complete = false,
            }
        }
        // Otherwise this may not terminate.
        if ends.complete {
            ends.explore();
        }
        ends
    }

    /// Whether all processes satisfy the expected end; `None` when a number is out of range.
    pub fn is_expected_end(&self, state: &State) -> Option<bool> {
        let layout = Layout::new(self.system, state.procs);
        let mut end = Some(!self.expected.is_empty());
        for process in 0..state.procs {
            match (Env { layout: &layout, state, procs: &[process] }).conj(self.expected) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => end = None,
            }
        }
        end
    }

    fn explore(&mut self) {
        let mut depths: IndexMap<State, usize> = IndexMap::new();
        let mut queue: VecDeque<State> = VecDeque::new();
        for state in &self.initial {
            depths.insert(state.clone(), 0);
            queue.push_back(state.clone());
        }
        while let Some(state) = queue.pop_front() {
            let depth = depths[&state];
            let mut stuck = true;
            for (transition, _, (successors, _)) in steps(self.system, &self.semantics, &state) {
                stuck = false;
                for successor in successors.into_iter().filter(|s| self.chooses_processes(transition, s)) {
                    let successor = canonical(self.system, &successor);
                    if !depths.contains_key(&successor) {
                        depths.insert(successor.clone(), depth + 1);
                        queue.push_back(successor);
                    }
                }
            }
            if stuck && self.is_expected_end(&state) == Some(false) {
                self.clean.insert(state, depth);
            }
        }
    }

    /// Whether no `?` of a step chose an outside value although there are processes.
    fn chooses_processes(&self, transition: TransitionId, after: &State) -> bool {
        let updates = &self.system.transition(transition).updates;
        after.procs == 0
            || updates.iter().filter(|u| u.assignment == Assignment::Nondet).all(|update| {
                let at = self.semantics.layout().position(update.var, []);
                self.system.var(update.var).ty != Type::Proc || !is_outside(after, after.values[at])
            })
    }

    /// Whether there is a deadlocked state from which those that clean runs lead to differ in more than the
    /// names of nameless values.
    pub fn has_plainly_outside(&self, reached: &Reached) -> bool {
        let clean: HashSet<Vec<Value>> = self.clean.keys().map(without_names).collect();
        let state = |at: &usize| reached.states.get_index(*at).expect("a state").0;
        self.deadlocks.iter().any(|at| !clean.contains(&without_names(state(at))))
    }

    /// Whether a run is clean.
    pub fn is_clean(&self, trace: &Trace) -> bool {
        self.initial.contains(&canonical(self.system, &trace.initial))
            && trace.steps.iter().all(|step| self.chooses_processes(step.transition, &step.after))
    }
}

/// The values of a state, where all nameless ones are alike.
fn without_names(state: &State) -> Vec<Value> {
    let blurred = |value: &Value| match value {
        Value::Abstract(_) => Value::Abstract(0),
        value if is_outside(state, *value) => Value::Proc(Point(-1)),
        value => *value,
    };
    state.values.iter().map(blurred).collect()
}

fn is_outside(state: &State, value: Value) -> bool {
    matches!(value, Value::Proc(point) if point.as_process(state.procs).is_none())
}

/// Whether no other initial state has a process where this one has an outside value, and agrees with it in
/// all cells without one.
fn needs_its_outside_values(state: &State, all: &[State]) -> bool {
    let outside: Vec<bool> = state.values.iter().map(|value| is_outside(state, *value)).collect();
    if !outside.contains(&true) {
        return true;
    }
    !all.iter().any(|other| {
        let cells = || state.values.iter().zip(&other.values).zip(&outside);
        cells().all(|((a, b), outside)| *outside || a == b)
            && cells().any(|((_, b), outside)| *outside && !is_outside(other, *b))
    })
}
