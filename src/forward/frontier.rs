//! Successors of a range of states, gathered before any of them is stored.
//!
//! The states of a level are cut into chunks. The successors of a chunk are computed first and stored
//! afterwards, in the order in which they were met: so a search seldom waits for memory
//! ([`Store::touch`]), and several threads can work on several chunks without any influence on the
//! numbers that states get.

use std::ops::Range;

use super::batch::Batch;
use super::clock::{Clock, Ticker};
use super::machine::Machine;
use super::step::Scratch;
use super::store::Store;

/// States of one chunk.
pub(super) const CHUNK: usize = 128;
/// ...unless they have more successors than this together.
const CHUNK_SUCCESSORS: usize = 1 << 16;

/// What the states of one chunk lead to.
#[derive(Debug, Default)]
pub(super) struct Chunk {
    /// The states.
    pub range: Range<usize>,
    /// Their successors in canonical form.
    pub successors: Batch,
    /// For each state, the number of successors of the chunk up to and with its own.
    ends: Vec<u32>,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
    /// Deadlocked states, with what decides that.
    pub deadlocks: Vec<(usize, Vec<u64>)>,
    /// A number left its range.
    pub numbers: bool,
    /// A state has more successors than are worth while; the chunk ends in the midst of them.
    pub wide: bool,
    /// Time is up; the chunk is not finished.
    pub aborted: bool,
}

impl Chunk {
    /// An empty one.
    pub fn new() -> Self {
        Self { successors: Batch::remembering(), ..Self::default() }
    }

    /// Computes the successors of a range of states, up to one with more than `widest`, or until there are
    /// many, and forgets what it held before. [`Chunk::range`] says how far it came.
    #[expect(clippy::too_many_arguments, reason = "parts of the search that threads may share")]
    pub fn gather(
        &mut self,
        machine: &Machine,
        store: &Store,
        range: Range<usize>,
        deadlock: bool,
        widest: usize,
        clock: &Clock,
        scratch: &mut Scratch,
    ) {
        self.range = range.clone();
        self.successors.clear();
        self.ends.clear();
        self.fired.clear();
        self.fired.resize(machine.instances.last().map_or(0, |i| usize::from(i.transition.0) + 1), 0);
        self.deadlocks.clear();
        self.aborted = false;
        self.wide = false;
        scratch.numbers = false;
        let mut ticker = Ticker::new();
        if clock.expired() {
            self.aborted = true;
            return;
        }
        for number in range {
            let state = store.state(number);
            // Steps of this state alone, so that it does not matter how states are cut into chunks.
            let mut steps = 0;
            let live = machine.successors(state, scratch, |i, next| {
                steps += 1;
                machine.symmetry.canonicalize(&machine.cells, &machine.packing, next);
                self.fired[usize::from(machine.instances[i].transition.0)] += 1;
                self.successors.push(next);
                self.aborted |= ticker.tick(clock).is_some();
                self.wide |= steps > widest;
                self.aborted || self.wide
            });
            self.ends.push(self.successors.len() as u32);
            if deadlock
                && !live
                && let Some(refined) = machine.deadlock(state, scratch)
            {
                self.deadlocks.push((number, refined));
            }
            self.aborted |= ticker.tick(clock).is_some();
            if self.aborted || self.wide {
                break;
            }
            if self.successors.len() >= CHUNK_SUCCESSORS {
                self.range.end = number + 1;
                break;
            }
        }
        self.numbers = scratch.numbers;
    }

    /// The states that successors came from, asked for in increasing order.
    pub fn parents(&self) -> impl FnMut(usize) -> u32 {
        let mut at = 0;
        move |successor| {
            while self.ends[at] as usize <= successor {
                at += 1;
            }
            (self.range.start + at) as u32
        }
    }

    /// For each transition, how often it fired before and with the first one that led to the successor
    /// at position `last`.
    pub fn fired_until(&self, machine: &Machine, store: &Store, last: usize) -> Vec<u64> {
        let mut fired = vec![0; self.fired.len()];
        let mut again = Batch::remembering();
        let mut scratch = Scratch::new(machine);
        for number in self.range.clone() {
            if again.len() > last {
                break;
            }
            machine.successors(store.state(number), &mut scratch, |i, next| {
                if again.len() <= last {
                    machine.symmetry.canonicalize(&machine.cells, &machine.packing, next);
                    fired[usize::from(machine.instances[i].transition.0)] += 1;
                    again.push(next);
                }
                again.len() > last
            });
        }
        fired
    }
}
