//! Bad and deadlocked states, and their runs.

use crate::forward::outside::{always_inside, goes_outside, search_clean};
use crate::forward::program::compiled::Machine;
use crate::forward::run::limits::Limits;
use crate::forward::store::visited::Visited;
use crate::forward::trace;
use crate::model::System;
use crate::observer::{Event, Observer};
use crate::options::ForwardOptions;
use crate::result::{Stop, TechniqueReport};
use crate::verdict::Trace;

/// Runs to no more deadlocks of each kind than this are kept.
const MAX_DEADLOCK_TRACES: usize = 256;

/// ...and no more runs when those to the first ones have this many steps in all.
const MAX_DEADLOCK_STEPS: usize = 5_000;

/// A state that is bad or deadlocked.
#[derive(Clone, Debug)]
pub struct Finding {
    /// Number of the stored state.
    pub state: usize,
    /// The same with those cells defined that decide it.
    pub refined: Vec<u64>,
    /// Index in [`System::bad`]; `None` for a deadlock.
    pub bad: Option<usize>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub struct Found {
    pub stop: Stop,
    pub depth: usize,
    /// One for each bad cube met, in order of discovery.
    pub unsafe_traces: Vec<Trace>,
    pub deadlocks: Vec<Trace>,
    pub deadlock_states: usize,
    pub outside_deadlocks: Vec<Trace>,
    pub outside_states: usize,
    /// Deadlocked states of which nobody knows whether a clean run leads to them, while none is known that
    /// leads to any.
    pub unclear_states: usize,
    /// Numbers of the deadlocked states, by a narrowed machine.
    pub clean_states: Vec<usize>,
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
pub struct Findings {
    /// Cubes met.
    pub bads: Vec<usize>,
    bad_states: Vec<Finding>,
    deadlocks: Vec<Finding>,
    /// Those that no clean run leads to, as the values in them show.
    outside_deadlocks: Vec<Finding>,
    deadlock_states: usize,
    outside_states: usize,
    clean_states: Vec<usize>,
    /// Cells in which no clean run has an outside value.
    inside: Vec<usize>,
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
            clean_states: Vec::new(),
            inside: always_inside(system, machine),
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
        if !machine.cells.outside {
            self.clean_states.push(state);
        }
        let procs = machine.cells.procs as i64;
        let outside = self.inside.iter().any(|c| machine.packing.fields[*c].get(&refined) >= procs);
        self.outside_states += usize::from(outside);
        let kept = if outside { &mut self.outside_deadlocks } else { &mut self.deadlocks };
        if kept.len() < MAX_DEADLOCK_TRACES {
            kept.push(Finding { state, refined, bad: None });
        }
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
        options: &ForwardOptions,
        limits: &Limits,
        observer: &mut dyn Observer,
    ) -> Found {
        let mut broken = Vec::new();
        let mut build = |finding: &Finding| {
            trace::build(system, machine, visited, finding).map_err(|e| broken.push(e)).ok()
        };
        let unsafe_traces = self.bad_states.iter().filter_map(&mut build).collect();
        let mut steps = 0;
        let mut look_at = |findings: &[Finding]| {
            let mut runs = Vec::new();
            let mut looked_at = 0;
            for finding in findings {
                if steps > MAX_DEADLOCK_STEPS {
                    break;
                }
                looked_at += 1;
                if let Some(trace) = build(finding) {
                    steps += trace.steps.len();
                    runs.push((finding.state, trace));
                }
            }
            (runs, looked_at)
        };
        let (runs, looked_at) = look_at(&self.deadlocks);
        let (further, _) = look_at(&self.outside_deadlocks);
        let mut outside_deadlocks: Vec<Trace> = further.into_iter().map(|(_, trace)| trace).collect();
        let mut outside_states = self.outside_states;
        let in_question = self.deadlock_states - self.outside_states;
        // Runs of a narrowed machine are clean, and so are those without outside values.
        let all_clean = !machine.cells.outside || machine.cells.procs == 0;
        let (clean, doubtful): (Vec<_>, Vec<_>) =
            runs.into_iter().partition(|(_, trace)| all_clean || !goes_outside(trace));
        let mut deadlocks: Vec<Trace> = clean.into_iter().map(|(_, trace)| trace).collect();
        let open = !doubtful.is_empty() || deadlocks.is_empty() && looked_at < in_question;
        let mut unclear_states = if all_clean || !open { 0 } else { in_question };
        if unclear_states > 0
            && limits.stop != Some(Stop::Unsafe)
            && let Some(search) = search_clean(system, machine, visited, options, limits)
        {
            let told = outside_deadlocks.len();
            let misses = |n: &usize| search.misses(visited.store.state(*n));
            outside_deadlocks.extend(doubtful.into_iter().filter(|(n, _)| misses(n)).map(|(_, trace)| trace));
            outside_states += search.missed(in_question).unwrap_or(outside_deadlocks.len() - told);
            if search.complete {
                unclear_states = 0;
            }
            if search.complete || deadlocks.is_empty() {
                deadlocks = search.found.deadlocks;
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
            clean_states: self.clean_states.clone(),
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
