//! Few threads: helpers compute successors, and the leader stores them.
//!
//! The states of a level are handed out chunk by chunk, and their successors are stored in the same
//! order, so that the result is that of one thread. Only the leader touches the store, and no work is
//! done twice. When the next chunk in order is not ready, the leader computes a later one itself, so both
//! sides are busy however the work divides. Storing takes more than a third of the time, so that many
//! helpers would wait for the leader: see `round_worker` for many.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::clock;
use crate::exhaustive::expand::{Chunk, Expander};
use crate::program::sleep::SleepId;
use crate::tuning::{CHUNKS_AHEAD, HELPER_NAP, IDLE_LOOKS};

/// Chunks on their way between the leader and the helpers.
#[derive(Debug)]
pub struct Pipeline {
    /// Piece number n is in slot n modulo the number of slots.
    slots: Vec<Slot>,
    /// Pieces handed out.
    filled: AtomicUsize,
    /// Pieces that are in work or done.
    taken: AtomicUsize,
    /// No more pieces will come.
    ended: AtomicBool,
    /// A helper panicked.
    broken: AtomicBool,
    sleepers: AtomicUsize,
    /// Helpers that may still join: more would only wait.
    wanted: AtomicUsize,
    sleep: Mutex<()>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct Slot {
    piece: Mutex<Piece>,
    /// Number of the piece that was last finished in this slot, plus one.
    done: AtomicUsize,
}

/// States to expand, and their successors.
#[derive(Debug, Default)]
pub struct Piece {
    pub range: Range<usize>,
    /// The states, one after the other.
    pub states: Vec<u64>,
    /// How they were found.
    pub sleeps: Vec<SleepId>,
    pub chunk: Chunk,
}

/// The leader's side of a pipeline. Helpers end when it is dropped.
#[derive(Debug)]
pub struct Lead<'a> {
    pipeline: &'a Pipeline,
    /// The next piece to be stored.
    oldest: usize,
}

impl Pipeline {
    /// For `threads` threads; helpers beyond that leave at once.
    pub fn new(threads: usize) -> Self {
        Self {
            slots: (0..threads * CHUNKS_AHEAD).map(|_| Slot::default()).collect(),
            filled: AtomicUsize::new(0),
            taken: AtomicUsize::new(0),
            ended: AtomicBool::new(false),
            broken: AtomicBool::new(false),
            sleepers: AtomicUsize::new(0),
            wanted: AtomicUsize::new(threads.saturating_sub(1)),
            sleep: Mutex::new(()),
            wake: Condvar::new(),
        }
    }

    /// The leader's side. No piece is handed out yet.
    pub const fn lead(&self) -> Lead<'_> {
        Lead { pipeline: self, oldest: 0 }
    }

    /// Expands pieces until no more will come.
    pub fn help(&self, expander: &mut Expander<'_>) {
        let take = |n: usize| n.checked_sub(1);
        if self.wanted.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_err() {
            return;
        }
        let mut broken = Break(Some(self));
        let mut looks = IdleLooks(0);
        while !self.ended.load(Ordering::Acquire) {
            if self.work(expander, clock::begin_to_help) {
                looks = IdleLooks(0);
            } else if !looks.again() {
                self.sleepers.fetch_add(1, Ordering::SeqCst);
                let guard = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
                drop(self.wake.wait_timeout(guard, HELPER_NAP));
                self.sleepers.fetch_sub(1, Ordering::SeqCst);
                looks = IdleLooks(0);
            }
        }
        broken.0 = None;
    }

    /// Expands the first piece that no thread works on; false when there is none.
    fn work(&self, expander: &mut Expander<'_>, begin: impl FnOnce()) -> bool {
        let next = self.taken.load(Ordering::Relaxed);
        if next >= self.filled.load(Ordering::Acquire)
            || self.taken.compare_exchange(next, next + 1, Ordering::Relaxed, Ordering::Relaxed).is_err()
        {
            return false;
        }
        begin();
        let slot = self.slot(next);
        let mut piece = slot.piece();
        let Piece { range, states, sleeps, chunk } = &mut *piece;
        expander.expand(range.clone(), states, sleeps, chunk);
        drop(piece);
        slot.done.store(next + 1, Ordering::Release);
        true
    }

    fn slot(&self, piece: usize) -> &Slot {
        &self.slots[piece % self.slots.len()]
    }
}

impl Slot {
    /// Locks the piece; no other thread uses it at the same time.
    fn piece(&self) -> MutexGuard<'_, Piece> {
        self.piece.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Lead<'a> {
    /// Whether another piece may be handed out.
    pub fn has_room(&self) -> bool {
        self.pipeline.filled.load(Ordering::Relaxed) < self.oldest + self.pipeline.slots.len()
    }

    pub fn hand_out(&self, range: Range<usize>, states: &[u64], sleeps: &[SleepId]) {
        let pipeline = self.pipeline;
        let number = pipeline.filled.load(Ordering::Relaxed);
        let mut piece = pipeline.slot(number).piece();
        piece.range = range;
        piece.states.clear();
        piece.states.extend_from_slice(states);
        piece.sleeps.clear();
        piece.sleeps.extend_from_slice(sleeps);
        drop(piece);
        pipeline.filled.store(number + 1, Ordering::Release);
        if pipeline.sleepers.load(Ordering::Relaxed) > 0 {
            pipeline.wake.notify_all();
        }
    }

    /// The next piece in order, once it is done; works on others until then. `None` when all are stored.
    pub fn next(&mut self, expander: &mut Expander<'_>) -> Option<MutexGuard<'a, Piece>> {
        let Self { pipeline, oldest } = self;
        if *oldest == pipeline.filled.load(Ordering::Relaxed) {
            return None;
        }
        let slot = pipeline.slot(*oldest);
        let mut looks = IdleLooks(0);
        while slot.done.load(Ordering::Acquire) <= *oldest {
            assert!(!pipeline.broken.load(Ordering::Relaxed), "a helper panicked");
            if pipeline.work(expander, || {}) {
                looks = IdleLooks(0);
            } else if !looks.again() {
                // The helper with the piece may be waiting for this core.
                std::thread::yield_now();
            }
        }
        *oldest += 1;
        Some(slot.piece())
    }
}

impl Drop for Lead<'_> {
    fn drop(&mut self) {
        self.pipeline.ended.store(true, Ordering::Release);
        self.pipeline.wake.notify_all();
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

/// Tells the leader when a helper panics.
struct Break<'a>(Option<&'a Pipeline>);

impl Drop for Break<'_> {
    fn drop(&mut self) {
        if let Some(pipeline) = self.0 {
            pipeline.broken.store(true, Ordering::Relaxed);
        }
    }
}
