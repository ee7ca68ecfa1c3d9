//! Bad and deadlocked states, and their runs.

use super::machine::Machine;
use super::search::Visited;
use super::walk::TechniqueReport;
use super::{Stop, trace};
use crate::model::System;
use crate::observer::{Event, Observer};
use crate::verdict::Trace;

/// Runs to no more deadlocks than this are kept.
const MAX_DEADLOCK_TRACES: usize = 256;

/// ...and no more runs when those to the first ones have this many steps in all.
const MAX_DEADLOCK_STEPS: usize = 5_000;

/// A state that is bad or deadlocked.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// Number of the stored state.
    pub state: usize,
    /// The same with those cells defined that decide it.
    pub refined: Vec<u64>,
    /// Index in [`System::bad`]; `None` for a deadlock.
    pub bad: Option<usize>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub stop: Stop,
    pub depth: usize,
    /// One for each bad cube met, in order of discovery.
    pub unsafe_traces: Vec<Trace>,
    pub deadlocks: Vec<Trace>,
    pub deadlock_states: usize,
    pub outside_deadlocks: Vec<Trace>,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
    /// Epochs of walks.
    pub epochs: usize,
    /// Size of combinations, and how many were seen.
    pub combinations: Option<(usize, usize)>,
    pub techniques: Vec<TechniqueReport>,
}

/// Bad and deadlocked states met so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    /// Cubes met.
    pub bads: Vec<usize>,
    bad_states: Vec<Finding>,
    deadlocks: Vec<Finding>,
    deadlock_states: usize,
}

impl Findings {
    /// A state satisfies a bad cube; the first one for each cube is kept.
    pub fn bad(&mut self, state: usize, refined: Vec<u64>, bad: usize) {
        if !self.bads.contains(&bad) {
            self.bads.push(bad);
            self.bad_states.push(Finding { state, refined, bad: Some(bad) });
        }
    }

    /// A state is deadlocked.
    pub fn deadlock(&mut self, state: usize, refined: Vec<u64>) {
        self.deadlock_states += 1;
        if self.deadlocks.len() < MAX_DEADLOCK_TRACES {
            self.deadlocks.push(Finding { state, refined, bad: None });
        }
    }

    /// The states that runs are kept for.
    pub fn states(&self) -> impl Iterator<Item = usize> {
        self.bad_states.iter().chain(&self.deadlocks).map(|f| f.state)
    }

    /// A run to the first of the bad cubes met after the first `known` ones.
    pub fn run_after(
        &self,
        known: usize,
        system: &System,
        machine: &Machine,
        visited: &Visited,
    ) -> Option<Trace> {
        self.bad_states.iter().skip(known).find_map(|f| trace::build(system, machine, visited, f).ok())
    }

    /// Turns everything into replayed runs. The caller fills in how the search went.
    pub fn conclude(
        &self,
        system: &System,
        machine: &Machine,
        visited: &Visited,
        observer: &mut dyn Observer,
    ) -> Found {
        let mut broken = Vec::new();
        let mut build = |finding: &Finding| {
            trace::build(system, machine, visited, finding).map_err(|e| broken.push(e)).ok()
        };
        let unsafe_traces = self.bad_states.iter().filter_map(&mut build).collect();
        let mut deadlocks = Vec::new();
        let mut outside_deadlocks = Vec::new();
        let mut steps = 0;
        for finding in &self.deadlocks {
            if steps > MAX_DEADLOCK_STEPS {
                break;
            }
            let Some(trace) = build(finding) else { continue };
            steps += trace.steps.len();
            if trace::uses_allowed_outside(system, machine, &trace) {
                outside_deadlocks.push(trace);
            } else {
                deadlocks.push(trace);
            }
        }
        let mut stop = Stop::Complete;
        for error in broken {
            // Anything else would hide a bad state.
            assert!(error.is_overflow(), "a forward run did not replay: {error}");
            let text = format!("a run was found but is not shown, since it cannot be replayed: {error}");
            observer.event(system, Event::Warning(&text));
            stop = Stop::Numbers;
        }
        Found {
            stop,
            depth: 0,
            unsafe_traces,
            deadlocks,
            deadlock_states: self.deadlock_states,
            outside_deadlocks,
            fired: Vec::new(),
            epochs: 0,
            combinations: None,
            techniques: Vec::new(),
        }
    }
}
