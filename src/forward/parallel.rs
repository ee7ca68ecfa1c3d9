//! Successors of many states at once, on several threads.
//!
//! The states are cut into chunks; each chunk yields its unknown successors in the order in which one
//! thread would meet them. Chunks are taken by whichever thread is free and merged in order, so the
//! numbering of states does not depend on the number of threads.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::limits::Limits;
use super::machine::Machine;
use super::step::{BadScratch, Scratch};
use super::store::{Inserted, Store, hash};

/// Fewer states than this are not worth starting threads.
pub(super) const WORTHWHILE: usize = 2048;
/// No more states than this are expanded before the results are merged.
pub(super) const ROUND: usize = 1 << 15;
/// States of one chunk.
const CHUNK: usize = 256;

/// What the states of one chunk lead to.
pub(super) struct Chunk {
    pub range: Range<usize>,
    /// Unknown successors in canonical form, each once.
    pub states: Vec<u64>,
    /// Their hashes.
    pub hashes: Vec<u64>,
    /// Their parents.
    pub parents: Vec<u32>,
    /// Whether some of them is bad.
    pub bad: bool,
    pub fired: Vec<u64>,
    pub deadlocks: Vec<(usize, Vec<u64>)>,
    pub numbers: bool,
    /// Time is up; the chunk is not finished.
    pub aborted: bool,
}

/// Expands the states of a range.
pub(super) fn expand(
    machine: &Machine,
    store: &Store,
    range: Range<usize>,
    jobs: usize,
    deadlock: bool,
    limits: &Limits,
) -> Vec<Chunk> {
    let count = range.len().div_ceil(CHUNK);
    let slots: Vec<Mutex<Option<Chunk>>> = (0..count).map(|_| Mutex::new(None)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(count) {
            scope.spawn(|| {
                let mut scratch = Scratch::new(machine);
                loop {
                    let n = next.fetch_add(1, Ordering::Relaxed);
                    let Some(slot) = slots.get(n) else { return };
                    let first = range.start + n * CHUNK;
                    let part = first..range.end.min(first + CHUNK);
                    let chunk = one(machine, store, part, deadlock, limits, &mut scratch);
                    *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(chunk);
                }
            });
        }
    });
    slots
        .into_iter()
        .map(|s| s.into_inner().unwrap_or_else(PoisonError::into_inner).expect("every chunk was taken"))
        .collect()
}

fn one(
    machine: &Machine,
    store: &Store,
    range: Range<usize>,
    deadlock: bool,
    limits: &Limits,
    scratch: &mut Scratch,
) -> Chunk {
    let words = machine.packing.words;
    let mut local = Store::small(words);
    let mut bad_scratch = BadScratch::new(machine);
    let transitions = machine.instances.last().map_or(0, |i| usize::from(i.transition.0) + 1);
    let mut chunk = Chunk {
        range: range.clone(),
        states: Vec::new(),
        hashes: Vec::new(),
        parents: Vec::new(),
        bad: false,
        fired: vec![0; transitions],
        deadlocks: Vec::new(),
        numbers: false,
        aborted: false,
    };
    scratch.numbers = false;
    for number in range {
        if limits.expired() {
            chunk.aborted = true;
            break;
        }
        let state = store.state(number);
        let live = machine.successors(state, scratch, |i, next| {
            machine.symmetry.canonicalize(&machine.cells, &machine.packing, next);
            chunk.fired[usize::from(machine.instances[i].transition.0)] += 1;
            let h = hash(next);
            if store.find_hashed(next, h).is_none()
                && let Inserted::New(_) = local.insert(next, h)
            {
                chunk.states.extend_from_slice(next);
                chunk.hashes.push(h);
                chunk.parents.push(number as u32);
                chunk.bad |= machine.bad(next, &mut bad_scratch).is_some();
            }
        });
        if deadlock
            && !live
            && let Some(refined) = machine.deadlock(state, scratch)
        {
            chunk.deadlocks.push((number, refined));
        }
    }
    chunk.numbers = scratch.numbers;
    chunk
}
