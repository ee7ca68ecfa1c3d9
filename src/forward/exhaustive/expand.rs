//! Successors of a range of states, gathered before any of them is stored.
//!
//! The states of a level are cut into chunks. The successors of a chunk are computed first and stored
//! afterwards, in the order in which they were found: so a search seldom waits for memory
//! ([`Store::touch`](crate::store::table::Store::touch)), and several threads can expand several chunks without affecting the
//! numbers of states.

use std::ops::Range;
use std::sync::Arc;

use crate::clock::{Clock, Ticker};
use crate::program::{Program, Scratch, SleepId};
use crate::store::{Recent, Successors};
use crate::tuning::CHUNK_SUCCESSORS;

/// The successors of the states of one chunk.
#[derive(Debug, Default)]
pub struct Chunk {
    /// The successors; [`Successors::of`] says which states were expanded.
    pub successors: Successors,
    /// For each transition, how often it fired; omitted steps do not count.
    pub fired: Vec<u64>,
    /// Deadlocked states, with the refined state that decides it.
    pub deadlocks: Vec<(usize, Vec<u64>)>,
    /// A number left its range.
    pub numbers: bool,
    /// A state has more successors than the search accepts; the chunk ends among them.
    pub wide: bool,
    /// Time is up; the chunk is not finished.
    pub aborted: bool,
}

/// Computes successors; each thread has one.
#[derive(Debug)]
pub struct Expander {
    program: Arc<Program>,
    clock: Arc<Clock>,
    deadlock: bool,
    widest: usize,
    scratch: Scratch,
    /// Tells which successors may be bad, unless their owners do that.
    bad_scratch: Option<Scratch>,
    recent: Recent,
}

impl Expander {
    /// Reports deadlocks if `deadlock` is set, and gives up at a state with more than `widest` successors. With `owners`,
    /// several ones own the states: each of them examines its own, and wants to know of each the best way to find it.
    pub fn new(
        program: &Arc<Program>,
        clock: Arc<Clock>,
        deadlock: bool,
        widest: usize,
        owners: bool,
    ) -> Self {
        let scratch = Scratch::timed(program, &clock);
        let bad_scratch = (!owners).then(|| Scratch::timed(program, &clock));
        let recent = Recent::new(program.packing.words, owners);
        Self { program: Arc::clone(program), clock, deadlock, widest, scratch, bad_scratch, recent }
    }

    /// Computes the successors of a range of states, which are consecutive in `states` and were
    /// found as `sleeps` says, up to one with too many, or until there are many together. The contents of `to` are replaced;
    /// [`Successors::of`] says how far it got.
    ///
    /// Omits states that it found recently, in this range or in others: the successors of ranges must
    /// be stored in the order in which their states were expanded here.
    pub fn expand(&mut self, range: Range<usize>, states: &[u64], sleeps: &[SleepId], to: &mut Chunk) {
        let Self { program, clock, deadlock, widest, scratch, bad_scratch, recent } = self;
        let program: &Program = program;
        let words = program.packing.words;
        to.successors.begin(range.clone());
        to.fired.clear();
        to.fired.resize(program.transitions(), 0);
        to.deadlocks.clear();
        to.aborted = false;
        to.wide = false;
        scratch.numbers = false;
        let mut ticker = Ticker::new();
        if clock.expired() {
            to.aborted = true;
            return;
        }
        assert_eq!(range.len(), sleeps.len(), "each state was found somehow");
        for ((number, state), sleep) in range.zip(states.chunks_exact(words)).zip(sleeps) {
            // Counts the steps of this state alone, so that the result does not depend on how states are cut into chunks.
            let mut steps = 0;
            let asleep = program.asleep(*sleep);
            let live = program.successors_but(state, asleep, scratch, |i, next| {
                steps += 1;
                let (sleep, tried) = program.canonicalize_successor(i, next);
                to.fired[usize::from(program.instances[i].transition.0)] += 1;
                if to.successors.batch.push(next, sleep, recent)
                    && let Some(bad_scratch) = bad_scratch
                    && program.may_be_bad(next, bad_scratch)
                {
                    to.successors.batch.suspect();
                }
                to.aborted |= ticker.count(1 + tried, clock).is_some();
                to.wide |= steps > *widest;
                to.aborted || to.wide
            });
            to.successors.end_state();
            if *deadlock
                && !live
                && let Some(refined) = program.deadlock(state, scratch)
            {
                to.deadlocks.push((number, refined));
            }
            to.aborted |= ticker.tick(clock).is_some();
            if to.aborted || to.wide {
                break;
            }
            if to.successors.batch.len() >= CHUNK_SUCCESSORS {
                to.successors.of.end = number + 1;
                break;
            }
        }
        to.numbers = scratch.numbers;
    }

    /// Forgets recent states: needed before a range that precedes those already expanded.
    pub fn forget(&mut self) {
        self.recent.clear();
    }
}
