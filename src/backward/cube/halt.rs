//! Why a computation with cubes gives up.

use cubicle_run::{Interrupted, Reason};

/// A number left the 64-bit range, or a cube would name more processes than a mask holds, or than a test can rename: see
/// [`MOST_CLAUSES`](crate::tuning::MOST_CLAUSES).
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a number left the 64-bit range, or a cube names too many processes")]
pub struct Overflow;

/// Why a step of the search gives up.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Halt {
    /// It cannot be computed.
    #[error(transparent)]
    Overflow(#[from] Overflow),
    /// The run as a whole must end.
    #[error(transparent)]
    Interrupted(#[from] Interrupted),
    /// The whole effort of the search, this much, is spent.
    #[error("the effort of {0} is spent")]
    Spent(u64),
}

impl From<Halt> for Reason {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Overflow(Overflow) => Self::Overflow,
            Halt::Interrupted(Interrupted(reason)) => *reason,
            Halt::Spent(effort) => Self::Effort(effort),
        }
    }
}
