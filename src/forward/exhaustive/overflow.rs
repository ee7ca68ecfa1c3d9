//! What becomes of a search whose memory is full: plain data.

use crate::forward::run::findings::DeadlockCounts;
use crate::forward::store::disk::folder::Folder;

/// What becomes of a search whose memory is full.
#[derive(Debug, Default)]
pub enum Overflow {
    /// It ends.
    #[default]
    Ends,
    /// It goes on in this folder.
    Spills(Folder),
    /// It went on there.
    Spilled(Before),
}

/// A search before the states from one on were expanded, none of whose successors were held against the states.
#[derive(Debug)]
pub struct Before {
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
