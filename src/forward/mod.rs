//! Explicit-state exploration of an instance with k processes.

use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::Observer;
use crate::options::ForwardOptions;
use crate::oracle::{Answer, Oracle};
use crate::verdict::Trace;

/// Why an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Every reachable state was seen.
    Complete,
    /// States at the depth bound were not expanded.
    Depth,
    /// The state limit.
    States,
    /// The time limit of the exploration or of the run.
    Time,
    /// The memory limit.
    Memory,
    /// An unsafe state was found and the options ask to stop there.
    Unsafe,
    /// A number left the 64-bit range or `number_range`.
    Numbers,
    /// Ctrl-C.
    Interrupted,
}

/// The result of exploring one instance.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// Number of processes.
    pub procs: usize,
    /// States stored (orbits, with symmetry).
    pub states: usize,
    /// Whether `states` counts orbits.
    pub symmetry: bool,
    /// Largest depth of a stored state.
    pub depth: usize,
    /// Why it ended.
    pub stop: Stop,
    /// A run to an unsafe state, when one was met.
    pub unsafe_trace: Option<Trace>,
    /// Runs to deadlocked states.
    pub deadlocks: Vec<Trace>,
}

/// Explores the instance of `system` with `procs` processes.
pub fn explore(
    _system: &System,
    procs: usize,
    options: &ForwardOptions,
    _interrupt: &Interrupt,
    _observer: &mut dyn Observer,
) -> Exploration {
    Exploration {
        procs,
        states: 0,
        symmetry: options.symmetry,
        depth: 0,
        stop: Stop::States,
        unsafe_trace: None,
        deadlocks: Vec::new(),
    }
}

/// Explorations of one or several instances, as an oracle.
#[derive(Clone, Debug)]
pub struct StateSpace {
    /// In increasing order of processes.
    pub explorations: Vec<Exploration>,
}

impl Oracle for StateSpace {
    fn ask(&self, _procs: u8, _literals: &[crate::model::Literal]) -> Answer {
        Answer::Untested
    }

    fn procs(&self) -> usize {
        self.explorations.iter().map(|e| e.procs).max().unwrap_or(0)
    }
}
