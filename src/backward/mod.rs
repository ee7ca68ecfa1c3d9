//! Backward reachability over cubes, and BRAB (its loop with approximations).

mod arithmetic;
mod cover;
mod cube;
mod eliminate;
mod finite;
mod ground;
mod instance;
mod outcome;
mod preimage;
mod slot;
mod theory;

pub use outcome::{Candidate, Outcome, Statistics};

use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::Observer;
use crate::options::BackwardOptions;
use crate::oracle::Oracle;
use crate::verdict::{Reason, Verdict};

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
    _system: &System,
    _options: &BackwardOptions,
    _brab: Option<Brab<'_>>,
    _interrupt: &Interrupt,
    _observer: &mut dyn Observer,
) -> Outcome {
    Outcome {
        verdict: Verdict::Unknown(Reason::Nodes(0)),
        statistics: Statistics::default(),
        candidates: Vec::new(),
        error_history: None,
        node_lines: 0,
    }
}
