//! States that are stored at once: the successors of a chunk.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use super::store::{SHARDS, equal, hash, part};

/// States to insert at once, in order, some perhaps several times.
#[derive(Debug, Default)]
pub(super) struct Batch {
    states: Vec<u64>,
    pub hashes: Vec<u64>,
    /// Positions of states added lately, plus one, by their hashes.
    recent: Vec<u32>,
    /// The same, those of each part of the table together.
    pub sorted: Sorted,
    /// For each state that is new: [`NEW`] until it is numbered, then its number. 0 for others.
    pub numbers: Vec<AtomicU32>,
    /// Number of new states.
    pub count: AtomicU32,
}

/// States in order of the parts of the table that they belong to.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    states: Vec<u64>,
    pub hashes: Vec<u64>,
    /// Where each stands in the batch.
    pub positions: Vec<u32>,
    /// Where each part begins; one more for the end.
    starts: Vec<u32>,
}

/// Length of [`Batch::recent`].
const RECENT: usize = 1 << 12;

/// In [`Batch::numbers`].
pub(super) const NEW: u32 = u32::MAX;

impl Batch {
    /// Empties it.
    pub fn clear(&mut self) {
        self.states.clear();
        self.hashes.clear();
        self.recent.clear();
        self.recent.resize(RECENT, 0);
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// State number `i` of the batch.
    #[inline]
    pub fn state(&self, i: usize, words: usize) -> &[u64] {
        &self.states[i * words..(i + 1) * words]
    }

    /// Adds a state, unless it is one of those added lately: neighbours have many successors in common.
    #[inline]
    pub fn push(&mut self, state: &[u64]) {
        let h = hash(state);
        let place = (h >> 6) as usize % RECENT;
        let at = self.recent[place] as usize;
        if at > 0 && self.hashes[at - 1] == h && equal(self.state(at - 1, state.len()), state) {
            return;
        }
        self.recent[place] = self.hashes.len() as u32 + 1;
        self.states.extend(state);
        self.hashes.push(h);
    }

    /// Makes ready for [`Store::claim`](super::store::Store::claim).
    pub fn sort(&mut self, words: usize) {
        let mut counts = [0u32; SHARDS + 1];
        for h in &self.hashes {
            counts[part(*h) + 1] += 1;
        }
        for i in 0..SHARDS {
            counts[i + 1] += counts[i];
        }
        let sorted = &mut self.sorted;
        sorted.starts.clear();
        sorted.starts.extend_from_slice(&counts);
        sorted.positions.resize(self.hashes.len(), 0);
        sorted.hashes.resize(self.hashes.len(), 0);
        sorted.states.resize(self.states.len(), 0);
        for (i, h) in self.hashes.iter().enumerate() {
            let at = counts[part(*h)] as usize;
            counts[part(*h)] += 1;
            sorted.positions[at] = i as u32;
            sorted.hashes[at] = *h;
            let state = &self.states[i * words..(i + 1) * words];
            for (to, from) in sorted.states[at * words..(at + 1) * words].iter_mut().zip(state) {
                *to = *from;
            }
        }
        self.numbers.clear();
        self.numbers.resize_with(self.hashes.len(), AtomicU32::default);
        self.count = AtomicU32::new(0);
    }

    /// Positions of the new states, in order.
    pub fn fresh(&self) -> impl Iterator<Item = usize> {
        let numbers = self.numbers.iter().enumerate();
        numbers.filter(|(_, number)| number.load(Ordering::Relaxed) == NEW).map(|(i, _)| i)
    }

    /// The number that the new state at this position got.
    pub fn number(&self, at: usize) -> usize {
        self.numbers[at].load(Ordering::Relaxed) as usize
    }
}

impl Sorted {
    pub fn part(&self, part: usize) -> Range<usize> {
        self.starts[part] as usize..self.starts[part + 1] as usize
    }

    #[inline]
    pub fn state(&self, at: usize, words: usize) -> &[u64] {
        &self.states[at * words..(at + 1) * words]
    }
}

/// A new state of a batch that has its slot and waits for its number.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pending {
    pub batch: u32,
    /// Among the sorted states.
    pub at: u32,
    /// Where its slot was then; the part may have grown since.
    pub slot: u32,
}

/// The new states among batches, which have slots and wait for their numbers.
#[derive(Debug)]
pub(super) struct Claim(pub Vec<Vec<Pending>>);

impl Claim {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}
