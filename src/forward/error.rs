//! Why an instance cannot be explored at all.

use cubicle_run::{Interrupted, Stop};

/// A number left the 64-bit range while constants were combined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Overflow;

/// Why a checkpoint, or states on a disk, cannot be written or read, for the user.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct StorageError(pub String);

/// Why an instance cannot be explored at all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unbuildable {
    /// Too many cells, values or initial choices.
    TooLarge,
    /// A constant is out of range.
    Numbers,
    /// The system has no instance of this size.
    NoInstance,
    /// The checkpoint, or the folder for states, is unusable.
    Storage(StorageError),
    /// The run must end.
    Interrupted(Stop),
}

impl From<StorageError> for Unbuildable {
    fn from(why: StorageError) -> Self {
        Self::Storage(why)
    }
}

impl From<Interrupted> for Unbuildable {
    fn from(Interrupted(reason): Interrupted) -> Self {
        Self::Interrupted((*reason).into())
    }
}

impl From<Overflow> for Unbuildable {
    fn from(_: Overflow) -> Self {
        Self::Numbers
    }
}

impl From<Unbuildable> for Stop {
    fn from(why: Unbuildable) -> Self {
        match why {
            Unbuildable::TooLarge => Self::TooLarge,
            Unbuildable::Numbers => Self::Numbers,
            Unbuildable::NoInstance => Self::NoInstance,
            Unbuildable::Storage(_) => Self::Storage,
            Unbuildable::Interrupted(why) => why,
        }
    }
}
