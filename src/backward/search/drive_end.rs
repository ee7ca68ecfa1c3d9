//! How a run ends for the one who drives it.

use super::run::RunEnd;
use crate::cube::Halt;

/// How a run with candidates ends.
#[derive(Debug)]
pub enum DriveEnd {
    /// As any run.
    Run(RunEnd),
    /// The oracle has seen more; with that it is better to begin again.
    OracleGrew,
    /// Lemmas were proved; with them it is better to begin again.
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
