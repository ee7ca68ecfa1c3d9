//! Backward reachability over cubes, and BRAB (its loop with approximations).

mod approximate;
mod arithmetic;
mod brab;
mod candidates;
mod cover;
mod cube;
mod eliminate;
mod export;
mod finite;
mod fixpoint;
mod ground;
mod initial;
mod instance;
#[doc(hidden)]
pub mod kernels;
mod meter;
mod node;
mod outcome;
mod preimage;
#[doc(hidden)]
pub mod probe;
mod queue;
mod replay;
mod run;
mod slot;
mod theory;
mod threads;

pub use meter::PhaseReport;
pub use outcome::{Candidate, Outcome, Proposals, Statistics, Tests};

use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::Observer;
use crate::options::BackwardOptions;
use crate::oracle::Oracle;

/// Approximation by candidates that the oracle has not seen.
#[derive(Clone, Copy)]
pub struct Brab<'a> {
    /// Candidates have at most this many processes.
    pub procs: usize,
    /// Forward states.
    pub oracle: &'a dyn Oracle,
}

/// Decides `system` by backward reachability, with approximations when `brab` is given.
pub fn search(
    system: &System,
    options: &BackwardOptions,
    brab: Option<Brab<'_>>,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Outcome {
    brab::search(system, options, brab, interrupt, observer)
}
