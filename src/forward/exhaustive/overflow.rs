//! What becomes of a search whose memory is full: plain data.

use crate::run::findings::DeadlockCounts;
use crate::store::disk::folder::Folder;
use crate::store::disk::states::DiskStates;
use crate::tuning::{LEAST_SPILL, MOST_SPILL};
use cubicle_run::options::ForwardOptions;

/// What becomes of a search whose memory is full.
#[derive(Debug, Default)]
pub enum Overflow {
    /// It ends.
    #[default]
    Ends,
    /// It goes on in this folder.
    Spills(Folder),
    /// It went on there.
    Spilled(SpillPoint),
}

impl Overflow {
    /// Where states of so many words go when it is time for that; `None` when there is no such place. It is that of nobody
    /// else afterwards.
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

/// A search before the states from one on were expanded, none of whose successors were held against the states.
#[derive(Debug)]
pub struct SpillPoint {
    /// The first state that was expanded since then.
    pub first: usize,
    /// The next that is to be expanded.
    pub next: usize,
    /// Up to where states can be read.
    pub loaded: usize,
    /// How often transitions had fired.
    pub fired: Vec<u64>,
    /// What deadlocks there were.
    pub deadlocks: DeadlockCounts,
}
