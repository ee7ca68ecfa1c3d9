//! The part of a round that one thread does: successors of many states, without the known ones.
//!
//! Most successors are known, so the remaining ones are few enough to stay in the caches until all
//! threads are done and new states get their numbers, in the order in which one thread
//! alone would have found them ([`Distinct`](crate::store::batch::Distinct), [`Store::extend`]).

use std::ops::Range;

use crate::exhaustive::expand::{Chunk, Expander};
use crate::store::{Batch, Store, Visited};
use crate::tuning::{CHUNK_STATES, TOUCH_GROUP};

/// The successors of a range of states.
#[derive(Debug, Default)]
pub struct RoundPart {
    /// Successors that the store did not hold, in canonical form, sorted.
    pub unknown: Batch,
    /// For each of them, the state that it came from.
    pub parents: Vec<u32>,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
    /// Deadlocked states, with the refined state that decides it.
    pub deadlocks: Vec<(usize, Vec<u64>)>,
    /// A number left its range.
    pub numbers: bool,
    /// The search ends in this range, or before.
    pub cut: bool,
}

/// Buffers that a thread reuses for each range.
pub struct RoundWorker<'a> {
    store: &'a Store,
    visited: &'a Visited,
    words: usize,
    expander: Expander,
    chunk: Chunk,
}

impl<'a> RoundWorker<'a> {
    /// For one thread. `store` has the states of `visited`.
    pub fn new(store: &'a Store, visited: &'a Visited, words: usize, expander: Expander) -> Self {
        Self { store, visited, words, expander, chunk: Chunk::default() }
    }

    /// Fills `to`, replacing its contents.
    pub fn fill(&mut self, range: Range<usize>, to: &mut RoundPart) {
        to.unknown.clear();
        to.parents.clear();
        to.deadlocks.clear();
        to.fired.clear();
        to.numbers = false;
        to.cut = false;
        let Self { store, visited, words, expander, chunk } = self;
        let words = *words;
        let mut first = range.start;
        while first < range.end {
            let states = first..range.end.min(first + CHUNK_STATES);
            expander.expand(states.clone(), store.states(states.clone()), visited.sleeps(states), chunk);
            to.fired.resize(chunk.fired.len(), 0);
            to.fired.iter_mut().zip(&chunk.fired).for_each(|(total, n)| *total += n);
            to.deadlocks.append(&mut chunk.deadlocks);
            to.numbers |= chunk.numbers;
            to.cut |= chunk.wide || chunk.aborted;
            if to.cut {
                return;
            }
            first = chunk.successors.of.end;
            let mut parent = chunk.successors.parents();
            let successors = &chunk.successors.batch;
            let mut suspects = successors.suspects.iter().map(|at| *at as usize).peekable();
            for (group, hashes) in successors.hashes.chunks(TOUCH_GROUP).enumerate() {
                store.touch(hashes);
                for (i, &h) in hashes.iter().enumerate() {
                    let at = group * TOUCH_GROUP + i;
                    let state = successors.state(at, words);
                    let suspect = suspects.next_if_eq(&at).is_some();
                    if store.find_hashed(state, h).is_none() {
                        to.unknown.add(state, h, successors.sleep[at]);
                        to.parents.push(parent(at));
                        if suspect {
                            to.unknown.suspect();
                        }
                    }
                }
            }
        }
        to.unknown.sort(words);
    }
}
