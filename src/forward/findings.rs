//! Bad and deadlocked states, and their runs.

use super::machine::Machine;
use super::search::Visited;
use super::walk::TechniqueReport;
use super::{Stop, trace};
use crate::model::System;
use crate::observer::{Event, Observer};
use crate::verdict::Trace;

/// Runs to no more deadlocks of each kind than this are kept.
const MAX_DEADLOCK_TRACES: usize = 256;

/// ...and no more runs when those to the first ones have this many steps in all.
const MAX_DEADLOCK_STEPS: usize = 5_000;

/// As long as all runs turn out to need an outside value, more of them are looked at, until they have this
/// many steps in all.
const MAX_SEARCHED_STEPS: usize = 500_000;

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
    pub outside_states: usize,
    /// Deadlocked states that may or may not need an outside value on the way, while no run that needs none
    /// is known.
    pub unclear_states: usize,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
    /// Epochs of walks.
    pub epochs: usize,
    /// Size of combinations, and how many were seen.
    pub combinations: Option<(usize, usize)>,
    pub techniques: Vec<TechniqueReport>,
}

/// Bad and deadlocked states met so far.
#[derive(Clone, Debug)]
pub(super) struct Findings {
    /// Cubes met.
    pub bads: Vec<usize>,
    bad_states: Vec<Finding>,
    deadlocks: Vec<Finding>,
    /// Those that hold an outside value which nothing forces.
    outside_deadlocks: Vec<Finding>,
    deadlock_states: usize,
    outside_states: usize,
    /// Cells that may hold such a value.
    open: Vec<usize>,
}

impl Findings {
    /// None so far.
    pub fn new(system: &System, machine: &Machine) -> Self {
        Self {
            bads: Vec::new(),
            bad_states: Vec::new(),
            deadlocks: Vec::new(),
            outside_deadlocks: Vec::new(),
            deadlock_states: 0,
            outside_states: 0,
            open: trace::open_to_outside(system, machine),
        }
    }

    /// A state satisfies a bad cube; the first one for each cube is kept.
    pub fn bad(&mut self, state: usize, refined: Vec<u64>, bad: usize) {
        if !self.bads.contains(&bad) {
            self.bads.push(bad);
            self.bad_states.push(Finding { state, refined, bad: Some(bad) });
        }
    }

    /// A state is deadlocked.
    pub fn deadlock(&mut self, machine: &Machine, state: usize, refined: Vec<u64>) {
        self.deadlock_states += 1;
        let finding = Finding { state, refined, bad: None };
        let outside = self.is_outside(machine, &finding);
        self.outside_states += usize::from(outside);
        let kept = if outside { &mut self.outside_deadlocks } else { &mut self.deadlocks };
        if kept.len() < MAX_DEADLOCK_TRACES {
            kept.push(finding);
        }
    }

    /// Whether the state holds an outside value that nothing forces.
    fn is_outside(&self, machine: &Machine, finding: &Finding) -> bool {
        let procs = machine.cells.procs as i64;
        self.open.iter().any(|c| machine.packing.fields[*c].get(&finding.refined) >= procs)
    }

    /// The states that runs are kept for.
    pub fn states(&self) -> impl Iterator<Item = usize> {
        self.bad_states.iter().chain(&self.deadlocks).chain(&self.outside_deadlocks).map(|f| f.state)
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
        let mut outside_states = self.outside_states;
        let mut unclear_states = self.deadlock_states - self.outside_states;
        let mut steps = 0;
        for finding in self.deadlocks.iter().chain(&self.outside_deadlocks) {
            let likely =
                steps <= MAX_SEARCHED_STEPS && deadlocks.is_empty() && !self.is_outside(machine, finding);
            if steps > MAX_DEADLOCK_STEPS && !likely {
                break;
            }
            let Some(trace) = build(finding) else { continue };
            steps += trace.steps.len();
            if trace::goes_outside(machine, &self.open, &trace) {
                let on_the_way = usize::from(!self.is_outside(machine, finding));
                outside_states += on_the_way;
                unclear_states -= on_the_way;
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
            deadlock_states: self.deadlock_states,
            unclear_states: if deadlocks.is_empty() { unclear_states } else { 0 },
            deadlocks,
            outside_deadlocks,
            outside_states,
            fired: Vec::new(),
            epochs: 0,
            combinations: None,
            techniques: Vec::new(),
        }
    }
}
