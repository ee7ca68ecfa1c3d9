//! States that are stored together: the successors of a chunk.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::program::{AWAKE, SleepId};
use crate::store::hash::{equal, hash, part};
use crate::store::origin::ROOT;
use crate::tuning::{RECENT_SLOTS, SHARDS};
use cubicle_run::workers::WorkerPool;

/// States to insert together, in order, some perhaps several times.
#[derive(Debug, Default)]
pub struct Batch {
    states: Vec<u64>,
    pub hashes: Vec<u64>,
    /// How each was found.
    pub sleep: Vec<SleepId>,
    /// Positions of those that may be bad, in order.
    pub suspects: Vec<u32>,
    /// The states grouped by parts of the table.
    pub sorted: Sorted,
    /// For each state that is new: [`NEW`] until it is numbered, then its number. 0 for others.
    pub numbers: Vec<AtomicU32>,
    /// Number of new states.
    pub count: AtomicU32,
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

    /// Ends the successors of a state.
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

/// States grouped by the parts of the table that they belong to.
#[derive(Debug, Default)]
pub struct Sorted {
    states: Vec<u64>,
    pub hashes: Vec<u64>,
    /// The position of each in the batch.
    pub positions: Vec<u32>,
    /// Where each part begins; one more for the end.
    starts: Vec<u32>,
}

/// Mark of an unnumbered state in [`Batch::numbers`].
pub const NEW: u32 = u32::MAX;

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

    /// State number `i` of the batch.
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

    /// Adds a state with this hash.
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

    /// Prepares for [`Distinct::new`].
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
        (0..self.numbers.len()).filter(|at| self.is_fresh(*at))
    }

    /// Whether the state at this position is new.
    pub fn is_fresh(&self, at: usize) -> bool {
        self.numbers[at].load(Ordering::Relaxed) == NEW
    }

    /// Positions of the states that got numbers, in order.
    pub fn numbered(&self) -> impl Iterator<Item = usize> {
        (0..self.numbers.len()).filter(|at| self.number(*at) != 0)
    }

    /// The number of the new state at this position.
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

/// The location of a new state.
#[derive(Clone, Copy, Debug)]
pub struct NewState {
    pub batch: u32,
    /// Its index among the sorted states.
    pub at: u32,
}

/// The first occurrence of each distinct state in sorted batches, in order, by parts of the table.
#[derive(Debug)]
pub struct Distinct(pub Vec<Vec<NewState>>);

impl Distinct {
    /// Finds the first occurrences, and marks them in their batches.
    pub fn new(batches: &[&Batch], words: usize, workers: &WorkerPool) -> Self {
        let of_part = |part: usize| {
            let total: usize = batches.iter().map(|batch| batch.sorted.part(part).len()).sum();
            let mut places: Vec<NewState> = Vec::with_capacity(total);
            // Open addressing; a slot is a position in `places` plus one.
            let mut slots = vec![0u32; (2 * total).next_power_of_two()];
            let mask = slots.len() - 1;
            for (b, batch) in batches.iter().enumerate() {
                let sorted = &batch.sorted;
                let before = places.len();
                for at in sorted.part(part) {
                    let (h, state) = (sorted.hashes[at], sorted.state(at, words));
                    let mut slot = (h >> 32) as usize & mask;
                    let known = loop {
                        let Some(n) = (slots[slot] as usize).checked_sub(1) else { break false };
                        let place: NewState = places[n];
                        let other = &batches[place.batch as usize].sorted;
                        let other_at = place.at as usize;
                        if other.hashes[other_at] == h && equal(other.state(other_at, words), state) {
                            break true;
                        }
                        slot = (slot + 1) & mask;
                    };
                    if !known {
                        places.push(NewState { batch: b as u32, at: at as u32 });
                        slots[slot] = places.len() as u32;
                        batch.numbers[sorted.positions[at] as usize].store(NEW, Ordering::Relaxed);
                    }
                }
                batch.count.fetch_add((places.len() - before) as u32, Ordering::Relaxed);
            }
            places
        };
        Self(workers.share((0..SHARDS).collect(), |_, part| of_part(part)))
    }

    /// The number of distinct states.
    pub fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }
}
