//! Depth-first search.

use smallvec::SmallVec;

use crate::error::Unbuildable;
use crate::exhaustive::search::{Search, widest};
use crate::program::{AWAKE, Scratch, SleepId};
use crate::run::Problem;
use crate::store::{Inserted, Intake, Offer, hash};
use cubicle_run::{Event, Observer, Stop};

/// A state that is to be visited, and how it was reached.
struct Waiting {
    state: SmallVec<[u64; 4]>,
    depth: u32,
    parent: u32,
    sleep: SleepId,
}

impl Search<'_> {
    /// Returns whether everything was expanded. With a depth bound, a state reached again at a smaller depth is
    /// expanded again, so that the states within the bound are exactly those of [`Search::bfs`].
    pub fn dfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        self.seed()?;
        let Self { problem: Problem { program, options }, limits, visited, tally, .. } = self;
        let deepest = &mut self.depth;
        let tree = visited.table_mut().expect("only a breadth-first search has another store");
        let words = program.packing.words;
        // No depth exceeds the number of states.
        let bound = options.depth.map_or(u32::MAX, |d| u32::try_from(d).unwrap_or(u32::MAX));
        let mut scratch = Scratch::timed(program, &limits.clock);
        let mut depths: Vec<u32> = vec![0; tree.store.len()];
        // The last one is visited first.
        let mut stack: Vec<Waiting> = Vec::new();
        let mut current = vec![0; words];
        let mut seeds = 0..depths.len();
        let widest = widest(limits);
        while limits.stop.is_none() {
            let (number, depth, sleep) = if let Some(Waiting { state, depth, parent, sleep }) = stack.pop() {
                current.copy_from_slice(&state);
                let offer = Offer { state: &current, hash: hash(&current), parent, suspect: true };
                match tree.offer(offer, &mut Intake { program, limits, examiner: tally }) {
                    None => break,
                    Some(Inserted::New(number)) => {
                        depths.push(depth);
                        *deepest = (*deepest).max(depth as usize);
                        (number, depth, sleep)
                    }
                    Some(Inserted::Old(number)) if bound < u32::MAX && depth < depths[number] => {
                        depths[number] = depth;
                        tree.parents[number] = parent;
                        (number, depth, sleep)
                    }
                    Some(Inserted::Old(_)) => continue,
                }
            } else if let Some(seed) = seeds.next() {
                current.copy_from_slice(tree.store.state(seed));
                (seed, 0, AWAKE)
            } else {
                break;
            };
            if !limits.tick() {
                break;
            }
            if depths.len().is_multiple_of(1024) {
                limits.check_memory(tree.bytes() + 8 * words * stack.capacity());
            }
            if limits.report_due() {
                let (states, queued) = (depths.len(), stack.len());
                let event = Event::ForwardProgress { states, queued, depth: Some(*deepest) };
                observer.event(&program.system, event);
            }
            if depth >= bound {
                continue;
            }
            let first = stack.len();
            let mut wide = false;
            // With a bound, another way to a state may be the shorter one.
            let asleep = if bound == u32::MAX { program.asleep(sleep) } else { &[] };
            let live = program.successors_but(&current, asleep, &mut scratch, |i, next| {
                let (sleep, tried) = program.canonicalize_successor(i, next);
                tally.fired[usize::from(program.instances[i].transition.0)] += 1;
                let known = tree.store.find(next);
                if known.is_none_or(|n| bound < u32::MAX && depth + 1 < depths[n]) {
                    let (state, depth, parent) = (SmallVec::from_slice(next), depth + 1, number as u32);
                    stack.push(Waiting { state, depth, parent, sleep });
                }
                limits.count(1 + tried);
                wide = stack.len() - first > widest;
                wide
            });
            if wide {
                limits.stop.get_or_insert(Stop::Wide);
            }
            // First successors first.
            stack[first..].reverse();
            if !live
                && options.deadlock
                && limits.stop.is_none()
                && let Some(refined) = program.deadlock(&current, &mut scratch)
            {
                tally.deadlocks(&[(number, refined)]);
            }
            tally.numbers |= scratch.numbers;
        }
        Ok(depths.iter().all(|d| *d < bound))
    }
}
