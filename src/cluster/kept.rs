//! What a process of a cluster knows of the checkpoint, for its final message.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// What a process knows of the checkpoint.
#[derive(Debug, Default)]
pub struct Kept {
    /// One more than the last level of the checkpoint that is valid.
    levels: AtomicUsize,
    failed: Mutex<Option<String>>,
}

impl Kept {
    /// The last level of the valid checkpoint, as far as this process knows.
    pub fn level(&self) -> Option<usize> {
        self.levels.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Why the exploration has ended, if some process could not write or read a file.
    pub fn failed(&self) -> Option<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Records that a checkpoint up to this level is valid.
    pub(super) fn counts(&self, level: usize) {
        self.levels.fetch_max(level + 1, Ordering::Relaxed);
    }

    /// Records that the exploration ends because some process could not write or read a file.
    pub(super) fn fail(&self, why: String) {
        *self.failed.lock().unwrap_or_else(PoisonError::into_inner) = Some(why);
    }
}
