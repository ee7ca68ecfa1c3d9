//! A set of packed states, each with whether all ways to it are bad, and where it comes from.

use hashbrown::HashTable;

use crate::store::{equal, hash};

/// Smaller sets are searched from the first to the last.
const SMALL: usize = 8;

/// What is known of a state besides its cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Entry {
    /// All runs to it that were found have a bad state.
    pub bad: bool,
    /// The number of its record in the history.
    pub record: u64,
}

/// All states in which a run may be.
#[derive(Clone, Debug)]
pub struct Front {
    words: usize,
    states: Vec<u64>,
    entries: Vec<Entry>,
    /// Positions by hash, once there are many.
    table: HashTable<u32>,
}

impl Front {
    pub(super) const fn new(words: usize) -> Self {
        Self { words, states: Vec::new(), entries: Vec::new(), table: HashTable::new() }
    }

    /// Number of states.
    pub const fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no run is left.
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Whether all runs that are left have a bad state.
    pub fn is_bad(&self) -> bool {
        self.entries.iter().all(|entry| entry.bad)
    }

    /// Whether all runs to this state that were found have a bad state.
    pub fn has_bad_past(&self, at: usize) -> bool {
        self.entries[at].bad
    }

    /// Packed, for comparisons of states of one instance.
    pub fn state(&self, at: usize) -> &[u64] {
        &self.states[at * self.words..(at + 1) * self.words]
    }

    /// The set of this state alone.
    #[must_use]
    pub fn only(&self, at: usize) -> Self {
        let mut front = Self::new(self.words);
        front.push(self.state(at), self.entries[at]);
        front
    }

    /// The states at which `keep` is true.
    #[must_use]
    pub(super) fn filtered(&self, mut keep: impl FnMut(&[u64]) -> bool) -> Self {
        let mut kept = Self::new(self.words);
        (0..self.len())
            .filter(|at| keep(self.state(*at)))
            .for_each(|at| kept.push(self.state(at), self.entries[at]));
        kept
    }

    /// The number of the record of a state.
    pub fn record(&self, at: usize) -> u64 {
        self.entries[at].record
    }

    pub(super) fn entry(&self, at: usize) -> Entry {
        self.entries[at]
    }

    /// Removes all states.
    pub fn forget(&mut self) {
        self.states.clear();
        self.entries.clear();
        self.table.clear();
    }

    /// Adds a state; its position when it is new, or when it had a bad past and now has a good one. `record` makes the
    /// number of its record.
    #[inline]
    pub(super) fn insert(&mut self, state: &[u64], bad: bool, record: impl FnOnce() -> u64) -> Option<usize> {
        if let Some(at) = self.find(state) {
            if !self.entries[at].bad || bad {
                return None;
            }
            self.entries[at] = Entry { bad, record: record() };
            return Some(at);
        }
        self.push(state, Entry { bad, record: record() });
        Some(self.entries.len() - 1)
    }

    fn push(&mut self, state: &[u64], entry: Entry) {
        self.states.extend_from_slice(state);
        self.entries.push(entry);
        let (states, words) = (&self.states, self.words);
        let hash_at = |at: &u32| hash(&states[*at as usize * words..][..words]);
        let len = self.entries.len();
        if len > SMALL {
            let first = if len == SMALL + 1 { 0 } else { len - 1 };
            for at in first as u32..len as u32 {
                self.table.insert_unique(hash_at(&at), at, hash_at);
            }
        }
    }

    #[inline]
    fn find(&self, state: &[u64]) -> Option<usize> {
        if self.entries.len() <= SMALL {
            return self.states.chunks_exact(self.words).position(|other| equal(other, state));
        }
        let same = |at: &u32| equal(self.state(*at as usize), state);
        self.table.find(hash(state), same).map(|at| *at as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_there_once_and_a_good_past_wins() {
        let mut front = Front::new(2);
        for n in 0..100 {
            assert_eq!(front.insert(&[n, n / 2], true, || n), Some(n as usize));
        }
        for n in 0..100 {
            assert_eq!(front.insert(&[n, n / 2], true, || 0), None);
        }
        assert!(front.is_bad());
        assert_eq!(front.insert(&[7, 3], false, || 1000), Some(7));
        assert_eq!(front.insert(&[7, 3], true, || 2000), None);
        assert_eq!((front.len(), front.entry(7).record, front.is_bad()), (100, 1000, false));
        assert_eq!(front.only(7).state(0), [7, 3]);
    }
}
