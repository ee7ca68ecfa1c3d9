//! Breadth-first search, level by level: the one loop of all searches that a single process makes, and its helpers.
//!
//! States have numbers in the order in which they are found, so that a level is a range of numbers. What is done with a
//! state, with how many threads, and where states are kept is up to the search. (The members of a cluster have no such loop:
//! each of them expands a part of a level when the coordinator says so.)
//!
//! Helpers prepare pieces of work, and the leader takes them in order.
//!
//! The result is that of one thread, since pieces are handed out and taken in the same order and only the leader touches what
//! they are about. No work is done twice. When the next piece in order is not ready, the leader prepares a later one itself, so
//! both sides are busy however the work divides. Taking successors needs three tenths of the time of a search (half without
//! symmetry), so that with more than four threads helpers wait for the leader; the members of a cluster on one machine have no leader.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};

use crate::clock::begin_to_help;
use crate::tuning::{HELPER_NAP, IDLE_LOOKS};
use cubicle_run::workers::locked;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Level {
    /// Its depth; that of the initial states is 0.
    pub depth: usize,
    pub states: Range<usize>,
    /// Number of states of the level before.
    pub before: usize,
}

pub trait Levels {
    fn found(&self) -> usize;

    /// Counts a piece of work; false when it is time to stop.
    fn tick(&mut self) -> bool;

    /// Called before the states of a level are expanded, except for the level with which the loop begins; false when it is
    /// time to stop.
    fn begin_level(&mut self, level: &Level) -> bool;

    /// Expands some states of a level, from `first` on, and stores their successors; returns the first state that it did not
    /// expand. `None` when the search has ended.
    fn expand(&mut self, level: &Level, first: usize) -> Option<usize>;
}

/// Expands the states of a level and all that are found from them, until there are no more or the search ends. Returns the
/// last level that was begun.
pub fn breadth_first(search: &mut impl Levels, mut level: Level) -> Level {
    let mut next = level.states.start;
    while next < search.found() && search.tick() {
        if next == level.states.end {
            level =
                Level { depth: level.depth + 1, before: level.states.len(), states: next..search.found() };
            if !search.begin_level(&level) {
                break;
            }
        }
        let Some(after) = search.expand(&level, next) else { break };
        next = after;
    }
    level
}

/// Pieces on their way between the leader and the helpers.
#[derive(Debug, Default)]
pub struct Pipeline<P> {
    /// Piece number n is in slot n modulo the number of slots.
    slots: Vec<Slot<P>>,
    /// Pieces handed out.
    filled: AtomicUsize,
    /// Pieces that are in work or done.
    taken: AtomicUsize,
    /// No more pieces will come.
    ended: AtomicBool,
}

#[derive(Debug, Default)]
struct Slot<P> {
    /// No two threads use it at the same time.
    piece: Mutex<P>,
    /// Number of the piece that was last finished in this slot, plus one.
    done: AtomicUsize,
}

/// The leader's side of a pipeline. Helpers end when it is dropped.
#[derive(Debug)]
pub struct Lead<'a, P> {
    pipeline: &'a Pipeline<P>,
    /// The next piece to be taken.
    oldest: usize,
}

impl<P: Default> Pipeline<P> {
    /// At most this many pieces are handed out and not taken yet.
    pub fn new(ahead: usize) -> Self {
        Self { slots: (0..ahead).map(|_| Slot::default()).collect(), ..Self::default() }
    }

    /// The leader's side, when all threads have ended with the pieces before. No piece is handed out yet.
    pub fn lead(&mut self) -> (&Self, Lead<'_, P>) {
        (*self.filled.get_mut(), *self.taken.get_mut(), *self.ended.get_mut()) = (0, 0, false);
        self.slots.iter_mut().for_each(|slot| *slot.done.get_mut() = 0);
        let pipeline = &*self;
        (pipeline, Lead { pipeline, oldest: 0 })
    }
}

impl<P> Pipeline<P> {
    /// Prepares pieces until no more will come.
    pub fn help(&self, mut prepare: impl FnMut(&mut P)) {
        let mut looks = IdleLooks(0);
        while !self.ended.load(Ordering::Acquire) {
            let helped = self.work(|piece| {
                begin_to_help();
                prepare(piece);
            });
            if helped {
                looks = IdleLooks(0);
            } else if !looks.again() {
                std::thread::sleep(HELPER_NAP);
            }
        }
    }

    /// Prepares the first piece that no thread works on; false when there is none.
    fn work(&self, prepare: impl FnOnce(&mut P)) -> bool {
        let next = self.taken.load(Ordering::Relaxed);
        if next >= self.filled.load(Ordering::Acquire)
            || self.taken.compare_exchange(next, next + 1, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return false;
        }
        let slot = self.slot(next);
        prepare(&mut locked(&slot.piece));
        slot.done.store(next + 1, Ordering::Release);
        true
    }

    fn slot(&self, piece: usize) -> &Slot<P> {
        &self.slots[piece % self.slots.len()]
    }
}

impl<'a, P> Lead<'a, P> {
    /// Whether another piece may be handed out.
    pub fn has_room(&self) -> bool {
        self.pipeline.filled.load(Ordering::Relaxed) < self.oldest + self.pipeline.slots.len()
    }

    /// Hands out a piece, which `fill` makes of an old one.
    pub fn hand_out(&self, fill: impl FnOnce(&mut P)) {
        let number = self.pipeline.filled.load(Ordering::Relaxed);
        fill(&mut locked(&self.pipeline.slot(number).piece));
        self.pipeline.filled.store(number + 1, Ordering::Release);
    }

    /// The next piece in order, once it is done; prepares others until then. `None` when all are taken.
    pub fn next(&mut self, mut prepare: impl FnMut(&mut P)) -> Option<MutexGuard<'a, P>> {
        let Self { pipeline, oldest } = self;
        if *oldest == pipeline.filled.load(Ordering::Relaxed) {
            return None;
        }
        let slot = pipeline.slot(*oldest);
        let mut looks = IdleLooks(0);
        while slot.done.load(Ordering::Acquire) <= *oldest {
            assert!(!slot.piece.is_poisoned(), "a helper panicked");
            if pipeline.work(&mut prepare) {
                looks = IdleLooks(0);
            } else if !looks.again() {
                // The helper with the piece may be waiting for this core.
                std::thread::yield_now();
            }
        }
        *oldest += 1;
        Some(locked(&slot.piece))
    }
}

impl<P> Drop for Lead<'_, P> {
    fn drop(&mut self) {
        self.pipeline.ended.store(true, Ordering::Release);
    }
}

/// How often a thread has found no work.
struct IdleLooks(usize);

impl IdleLooks {
    /// Waits a moment; false when the thread has waited often enough.
    fn again(&mut self) -> bool {
        self.0 += 1;
        if self.0 < IDLE_LOOKS {
            std::hint::spin_loop();
        }
        self.0 < IDLE_LOOKS
    }
}
