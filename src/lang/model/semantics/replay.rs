//! Checks that a trace is a run: the last check before a system is reported as unsafe.

use super::state::{State, Trace};
use super::step::{Semantics, StateError, StepError};
use crate::model::System;

/// Why a trace is not a run of the system.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// The first state is not a state of any instance.
    #[error("the trace does not begin with a state: {0}")]
    NoState(StateError),
    /// The first state is not initial.
    #[error("the first state of the trace is not initial")]
    NotInitial,
    /// A step is not possible.
    #[error("step {step} of the trace is not possible: {why}")]
    Step {
        /// Number of the step, from 1.
        step: usize,
        /// Why.
        why: StepError,
    },
    /// The trace names a bad cube that the system does not have.
    #[error("the trace ends in bad cube {0}, which does not exist")]
    NoSuchBad(usize),
    /// The last state does not satisfy the bad cube.
    #[error("the last state of the trace (after step {step}) is not bad")]
    NotBad {
        /// Number of steps of the trace.
        step: usize,
    },
    /// The trace should end in a deadlock, but its last state has an enabled transition.
    #[error("the last state of the trace (after step {step}) is not a deadlock: {transition} is enabled")]
    NotDeadlocked {
        /// Number of steps of the trace.
        step: usize,
        /// Name of an enabled transition.
        transition: String,
    },
    /// Whether the last state is a deadlock depends on a number beyond 64 bits.
    #[error("whether {transition} is enabled after step {step} depends on a number beyond 64 bits")]
    Overflow {
        /// Number of steps of the trace.
        step: usize,
        /// Name of the transition in doubt.
        transition: String,
    },
}

/// Replays a trace: its first state is initial, each step is possible, and the last state satisfies the
/// bad cube that the trace names or, when it names none, has no enabled transition.
///
/// # Errors
/// The first thing that keeps it from being one.
pub fn replay(system: &System, trace: &Trace) -> Result<(), ReplayError> {
    let semantics = Semantics::new(system, trace.initial.procs);
    let state = run(&semantics, trace)?;
    let step = trace.steps.len();
    match trace.bad {
        Some(bad) if bad >= system.bad.len() => Err(ReplayError::NoSuchBad(bad)),
        Some(bad) => semantics.satisfies(state, bad).map(|_| ()).ok_or(ReplayError::NotBad { step }),
        None => match semantics.first_enabled(state, None) {
            None => Ok(()),
            Some((it, true)) => Err(ReplayError::NotDeadlocked { step, transition: it.name.clone() }),
            Some((it, false)) => Err(ReplayError::Overflow { step, transition: it.name.clone() }),
        },
    }
}

/// Replays a trace, wherever it ends: its first state is initial, and each step is possible.
///
/// # Errors
/// The first thing that keeps it from being one.
pub fn replay_steps(system: &System, trace: &Trace) -> Result<(), ReplayError> {
    run(&Semantics::new(system, trace.initial.procs), trace).map(drop)
}

/// The last state of a trace whose first state is initial and whose steps are possible.
fn run<'t>(semantics: &Semantics<'_>, trace: &'t Trace) -> Result<&'t State, ReplayError> {
    semantics.check_state(&trace.initial).map_err(ReplayError::NoState)?;
    if semantics.initial(&trace.initial) { semantics.follow(trace) } else { Err(ReplayError::NotInitial) }
}

impl Semantics<'_> {
    /// The last state of a trace whose steps are possible, wherever it begins.
    ///
    /// # Errors
    /// The first step that is not possible, or that its first state is none.
    pub fn follow<'t>(&self, trace: &'t Trace) -> Result<&'t State, ReplayError> {
        self.check_state(&trace.initial).map_err(ReplayError::NoState)?;
        let mut state = &trace.initial;
        for (number, step) in trace.steps.iter().enumerate() {
            self.is_step(state, step).map_err(|why| ReplayError::Step { step: number + 1, why })?;
            state = &step.after;
        }
        Ok(state)
    }
}
