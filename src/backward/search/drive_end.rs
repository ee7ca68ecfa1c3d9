//! How a run ends, for its driver (`brab`, `pdr`).

use super::run::RunEnd;
use crate::cube::Halt;

/// How a run with candidates ends.
#[derive(Debug)]
pub enum DriveEnd {
    /// As any run.
    Run(RunEnd),
    /// The oracle has seen more states: it is better to restart with them.
    OracleGrew,
    /// The effort is spent, between two nodes: the run may go on later.
    Paused(u64),
    /// The oracle has seen more states, and some of them satisfy a candidate.
    CandidatesReached,
    /// Lemmas were proved: it is better to restart with them.
    Lemmas,
}

impl From<Halt> for DriveEnd {
    fn from(halt: Halt) -> Self {
        Self::Run(RunEnd::Unknown(halt.into(), None))
    }
}

impl From<RunEnd> for DriveEnd {
    fn from(end: RunEnd) -> Self {
        Self::Run(end)
    }
}
