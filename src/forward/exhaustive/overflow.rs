//! What happens when the memory of a search is full: plain data.

use crate::run::findings::DeadlockCounts;
use crate::store::disk::folder::Folder;
use crate::store::disk::states::DiskStates;
use crate::tuning::{LEAST_SPILL, MOST_SPILL};
use cubicle_run::options::ForwardOptions;

/// What happens when the memory of a search is full.
#[derive(Debug, Default)]
pub enum Overflow {
    /// The search ends.
    #[default]
    Ends,
    /// The search will continue in this folder.
    Spills(Folder),
    /// The search has continued in its folder.
    Spilled(SpillPoint),
}

impl Overflow {
    /// Takes the store for states of `words` words once the search moves to the disk; `None` when it may not. The caller then
    /// owns the folder.
    pub fn spills(&mut self, options: &ForwardOptions, words: usize) -> Option<DiskStates> {
        let folder = match std::mem::take(self) {
            Self::Spills(folder) => folder,
            other => {
                *self = other;
                return None;
            }
        };
        let asked = options.spill.as_ref().and_then(|spill| spill.buffer);
        let bytes = asked.unwrap_or_else(|| {
            options.memory.map_or(MOST_SPILL, |memory| (memory / 2).clamp(LEAST_SPILL, MOST_SPILL))
        });
        Some(DiskStates::new(folder, words, bytes))
    }
}

/// The counts of a search before a range of states was expanded whose successors are not yet compared with the states.
#[derive(Debug)]
pub struct SpillPoint {
    /// The first state that was expanded since then.
    pub first: usize,
    /// The next state to be expanded.
    pub next: usize,
    /// The end of the range of states that are loaded.
    pub loaded: usize,
    /// How often transitions had fired.
    pub fired: Vec<u64>,
    /// Deadlocks found until then.
    pub deadlocks: DeadlockCounts,
}
