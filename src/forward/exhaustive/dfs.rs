//! Depth-first search.

use crate::error::Unbuildable;
use crate::exhaustive::search::{Search, widest};
use crate::program::{AWAKE, Scratch, SleepId};
use crate::run::Problem;
use crate::store::hash::hash;
use crate::store::{Intake, Offer, Offered};
use cubicle_run::{Event, Observer, Stop};

/// How a state that is to be visited was reached.
struct Waiting {
    depth: u32,
    parent: u32,
    sleep: SleepId,
}

/// States that are to be visited, the last one first.
struct Stack {
    words: usize,
    waiting: Vec<Waiting>,
    /// The states themselves, one after the other.
    states: Vec<u64>,
}

impl Stack {
    /// An empty stack, for states of `words` words.
    const fn new(words: usize) -> Self {
        Self { words, waiting: Vec::new(), states: Vec::new() }
    }

    fn push(&mut self, waiting: Waiting, state: &[u64]) {
        self.waiting.push(waiting);
        self.states.extend_from_slice(state);
    }

    /// Pops the last state into `state`.
    fn pop(&mut self, state: &mut [u64]) -> Option<Waiting> {
        let waiting = self.waiting.pop()?;
        let rest = self.states.len() - self.words;
        state.copy_from_slice(&self.states[rest..]);
        self.states.truncate(rest);
        Some(waiting)
    }

    /// Reverses the order of all but the first `first`.
    fn turn_from(&mut self, first: usize) {
        self.waiting[first..].reverse();
        let base = first * self.words;
        let pushed = self.waiting.len() - first;
        for i in 0..pushed / 2 {
            for w in 0..self.words {
                self.states.swap(base + i * self.words + w, base + (pushed - 1 - i) * self.words + w);
            }
        }
    }
}

impl Search<'_> {
    /// Returns whether everything was expanded. With a depth bound, a state reached again at a smaller depth is
    /// expanded again, so that the states within the bound are exactly those of [`Search::bfs`].
    pub fn dfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        self.seed()?;
        let Self { problem: Problem { system, program, options }, limits, visited, tally, .. } = self;
        let deepest = &mut self.depth;
        let tree = visited.table_mut().expect("only a breadth-first search has another store");
        let words = program.packing.words;
        // No depth exceeds the number of states.
        let bound = options.depth.map_or(u32::MAX, |d| u32::try_from(d).unwrap_or(u32::MAX));
        let mut scratch = Scratch::timed(program, &limits.clock);
        let mut depths: Vec<u32> = vec![0; tree.store.len()];
        let mut stack = Stack::new(words);
        let mut current = vec![0; words];
        let mut seeds = 0..depths.len();
        let widest = widest(limits);
        while limits.stop.is_none() {
            let (number, depth, sleep) =
                if let Some(Waiting { depth, parent, sleep }) = stack.pop(&mut current) {
                    let offer = Offer { state: &current, hash: hash(&current), parent, suspect: true };
                    match tree.offer(offer, &mut Intake { program, limits, examiner: tally }) {
                        Offered::Refused => break,
                        Offered::New => {
                            depths.push(depth);
                            *deepest = (*deepest).max(depth as usize);
                            (depths.len() - 1, depth, sleep)
                        }
                        Offered::Old(number) if bound < u32::MAX && depth < depths[number] => {
                            depths[number] = depth;
                            tree.parents[number] = parent;
                            (number, depth, sleep)
                        }
                        Offered::Old(_) => continue,
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
                limits.check_memory(tree.bytes() + 8 * stack.states.capacity());
            }
            if limits.report_due() {
                let (states, queued) = (depths.len(), stack.waiting.len());
                let event = Event::ForwardProgress { states, queued, depth: Some(*deepest) };
                observer.event(system, event);
            }
            if depth >= bound {
                continue;
            }
            let first = stack.waiting.len();
            let mut wide = false;
            // With a bound, another way to a state may be the shorter one.
            let asleep = if bound == u32::MAX { program.asleep(sleep) } else { &[] };
            let live = program.successors_but(&current, asleep, &mut scratch, |i, next| {
                let (sleep, tried) = program.canonicalize_successor(i, next);
                tally.fired[usize::from(program.instances[i].transition.0)] += 1;
                let known = tree.store.find(next);
                if known.is_none_or(|n| bound < u32::MAX && depth + 1 < depths[n]) {
                    stack.push(Waiting { depth: depth + 1, parent: number as u32, sleep }, next);
                }
                limits.count(1 + tried);
                wide = stack.waiting.len() - first > widest;
                wide
            });
            if wide {
                limits.stop.get_or_insert(Stop::Wide);
            }
            // First successors first.
            stack.turn_from(first);
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
