//! States that are stored together: the successors of a chunk.

use std::ops::Range;

use crate::program::{AWAKE, SleepId};
use crate::store::hash::{equal, hash};
use crate::store::origin::ROOT;
use crate::tuning::RECENT_SLOTS;

/// States to insert together, in order, some perhaps several times.
#[derive(Debug, Default)]
pub struct Batch {
    states: Vec<u64>,
    pub hashes: Vec<u64>,
    /// How each was found.
    pub sleep: Vec<SleepId>,
    /// Positions of those that may be bad, in order.
    pub suspects: Vec<u32>,
}

/// The successors of consecutive states, in order.
#[derive(Debug, Default)]
pub struct Successors {
    /// The states that were expanded.
    pub of: Range<usize>,
    /// Their successors in canonical form.
    pub batch: Batch,
    /// For each expanded state, the number of successors up to and including its own.
    ends: Vec<u32>,
}

impl Successors {
    /// Empties it, for the successors of these states.
    pub fn begin(&mut self, of: Range<usize>) {
        self.of = of;
        self.batch.clear();
        self.ends.clear();
    }

    pub fn end_state(&mut self) {
        self.ends.push(self.batch.len() as u32);
    }

    /// Makes this state, which may be bad, the only one: an initial one.
    pub fn set_root(&mut self, state: &[u64]) {
        self.begin(ROOT as usize..ROOT as usize + 1);
        self.batch.add(state, hash(state), AWAKE);
        self.batch.suspect();
        self.end_state();
    }

    /// The parent of the successor at a position, [`ROOT`] for an initial state; positions must increase from call to call.
    pub fn parents(&self) -> impl FnMut(usize) -> u32 {
        let mut at = 0;
        move |successor| {
            while self.ends[at] as usize <= successor {
                at += 1;
            }
            (self.of.start + at) as u32
        }
    }
}

/// Some of the states met recently, in a table that stays in the caches: neighbours have many successors in
/// common.
#[derive(Debug)]
pub struct Recent {
    words: usize,
    /// Whether a state counts as new when it was found in a better way.
    best: bool,
    /// A part of the hash of the state in each slot; 0 for an empty slot.
    tags: Vec<u32>,
    sleeps: Vec<SleepId>,
    states: Vec<u64>,
}

impl Recent {
    /// An empty table for states of `words` words. With `best`, states are met again that are found with a smaller [`SleepId`].
    pub fn new(words: usize, best: bool) -> Self {
        let (tags, sleeps) = (vec![0; RECENT_SLOTS], vec![0; RECENT_SLOTS]);
        Self { words, best, tags, sleeps, states: vec![0; RECENT_SLOTS * words] }
    }

    pub fn clear(&mut self) {
        self.tags.fill(0);
    }

    /// Stores a state, replacing another one; false when it is there already, found no worse than like this.
    #[inline]
    fn insert(&mut self, state: &[u64], h: u64, sleep: SleepId) -> bool {
        let place = (h >> 6) as usize % RECENT_SLOTS;
        let tag = (h >> 32) as u32 | 1;
        let known = &mut self.states[place * self.words..(place + 1) * self.words];
        if self.tags[place] == tag && equal(known, state) {
            let better = self.best && sleep < self.sleeps[place];
            if better {
                self.sleeps[place] = sleep;
            }
            return better;
        }
        self.tags[place] = tag;
        self.sleeps[place] = sleep;
        known.iter_mut().zip(state).for_each(|(to, from)| *to = *from);
        true
    }
}

impl Batch {
    pub fn clear(&mut self) {
        self.states.clear();
        self.hashes.clear();
        self.sleep.clear();
        self.suspects.clear();
    }

    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    #[inline]
    pub fn state(&self, i: usize, words: usize) -> &[u64] {
        &self.states[i * words..(i + 1) * words]
    }

    /// Adds a state, unless it is a recent one; returns whether it was added.
    #[inline]
    pub fn push(&mut self, state: &[u64], sleep: SleepId, recent: &mut Recent) -> bool {
        let h = hash(state);
        let new = recent.insert(state, h, sleep);
        if new {
            self.add(state, h, sleep);
        }
        new
    }

    #[inline]
    pub fn add(&mut self, state: &[u64], h: u64, sleep: SleepId) {
        self.states.extend(state);
        self.hashes.push(h);
        self.sleep.push(sleep);
    }

    /// Marks the state that was added last as possibly bad.
    pub fn suspect(&mut self) {
        self.suspects.push(self.hashes.len() as u32 - 1);
    }
}
