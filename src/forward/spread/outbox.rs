//! Successors on their way to their owners; those that were sent recently are omitted.

use crate::program::sleep::SleepId;
use crate::spread::message::States;
use crate::store::hash::equal;
use crate::tuning::{PARCEL_WORDS, SENT_SLOTS};

/// The owner, among `total` workers, of a state with this hash. The bits differ from those that tables use.
#[inline]
pub const fn owner(h: u64, total: usize) -> usize {
    (((h >> 16 & 0xffff) * total as u64) >> 16) as usize
}

/// Some of the states met recently, and how they were found: neighbours have many successors in common.
#[derive(Debug)]
pub struct Filter {
    words: usize,
    /// A part of the hash of the state in each slot; 0 for an empty slot.
    tags: Vec<u32>,
    sleeps: Vec<SleepId>,
    states: Vec<u64>,
}

impl Filter {
    /// An empty filter for states of `words` words.
    pub fn new(words: usize) -> Self {
        Self {
            words,
            tags: vec![0; SENT_SLOTS],
            sleeps: vec![0; SENT_SLOTS],
            states: vec![0; SENT_SLOTS * words],
        }
    }

    /// Stores a state, replacing another one; false when its owner has it already, found no worse than like this.
    #[inline]
    pub fn passes(&mut self, state: &[u64], h: u64, sleep: SleepId) -> bool {
        let place = (h >> 6) as usize % SENT_SLOTS;
        let tag = (h >> 32) as u32 | 1;
        let known = &mut self.states[place * self.words..(place + 1) * self.words];
        if self.tags[place] == tag && equal(known, state) {
            let better = sleep < self.sleeps[place];
            self.sleeps[place] = self.sleeps[place].min(sleep);
            return better;
        }
        self.tags[place] = tag;
        self.sleeps[place] = sleep;
        known.iter_mut().zip(state).for_each(|(to, from)| *to = *from);
        true
    }
}

/// States that wait to be sent to one owner.
#[derive(Debug, Default)]
pub struct Outbox {
    states: States,
}

impl Outbox {
    #[inline]
    pub fn push(&mut self, state: &[u64], sleep: SleepId) {
        self.states.words.extend(state);
        self.states.sleeps.push(sleep);
    }

    /// The parcel to send in this round, if it is large enough; with `all`, if it is not empty.
    pub fn take(&mut self, round: u64, all: bool) -> Option<States> {
        let words = self.states.words.len();
        if words == 0 || !all && words < PARCEL_WORDS {
            return None;
        }
        let next = States {
            round,
            words: Vec::with_capacity(words.max(PARCEL_WORDS)),
            sleeps: Vec::with_capacity(self.states.sleeps.len()),
        };
        Some(States { round, ..std::mem::replace(&mut self.states, next) })
    }
}
