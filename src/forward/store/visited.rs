//! The states that a search has met, and how.

use crate::forward::store::table::Store;

/// No parent: an initial state.
pub const ROOT: u32 = u32::MAX;

/// Visited states and how they were found.
#[derive(Clone, Debug, Default)]
pub struct Visited {
    pub store: Store,
    /// For each state, the one that it was found from; [`ROOT`] for initial ones.
    pub parents: Vec<u32>,
}

impl Visited {
    /// None, of states of `words` words.
    pub fn new(words: usize) -> Self {
        Self { store: Store::new(words), parents: Vec::new() }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.store.bytes() + 4 * self.parents.capacity()
    }
}
