//! Depth-first search.

use crate::error::Unbuildable;
use crate::exhaustive::search::{Met, Search, widest};
use crate::program::sleep::{AWAKE, SleepId};
use crate::program::step::Scratch;
use cubicle_run::observer::{Event, Observer};
use cubicle_run::result::Stop;

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
    fn check_deadlock(&mut self, number: usize, state: &[u64], scratch: &mut Scratch) {
        if !self.options.deadlock || self.limits.stop.is_some() {
            return;
        }
        if let Some(refined) = self.program.deadlock(state, scratch) {
            self.findings.deadlock(self.program, number, refined);
        }
    }

    /// Returns whether everything was expanded. With a depth bound, a state reached again at a smaller depth is
    /// expanded again, so that the states within the bound are exactly those of [`Search::bfs`].
    pub fn dfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        self.seed()?;
        let program = self.program;
        let words = program.packing.words;
        // No depth exceeds the number of states.
        let bound = self.options.depth.map_or(u32::MAX, |d| u32::try_from(d).unwrap_or(u32::MAX));
        let mut scratch = Scratch::timed(program, &self.limits.clock);
        let mut depths: Vec<u32> = vec![0; self.visited.store.len()];
        let mut stack = Stack::new(words);
        let mut current = vec![0; words];
        let mut seeds = 0..depths.len();
        let widest = widest(&self.limits);
        while self.limits.stop.is_none() {
            let (number, depth, sleep) =
                if let Some(Waiting { depth, parent, sleep }) = stack.pop(&mut current) {
                    match self.insert(&current, parent) {
                        Met::Refused => break,
                        Met::New => {
                            depths.push(depth);
                            self.depth = self.depth.max(depth as usize);
                            (depths.len() - 1, depth, sleep)
                        }
                        Met::Old(number) if bound < u32::MAX && depth < depths[number] => {
                            depths[number] = depth;
                            self.visited.parents[number] = parent;
                            (number, depth, sleep)
                        }
                        Met::Old(_) => continue,
                    }
                } else if let Some(seed) = seeds.next() {
                    current.copy_from_slice(self.visited.store.state(seed));
                    (seed, 0, AWAKE)
                } else {
                    break;
                };
            if !self.limits.tick() {
                break;
            }
            if depths.len().is_multiple_of(1024) {
                self.limits.check_memory(self.visited.bytes() + 8 * stack.states.capacity());
            }
            if self.limits.report_due() {
                let (states, queued) = (depths.len(), stack.waiting.len());
                let event = Event::ForwardProgress { states, queued, depth: Some(self.depth) };
                observer.event(self.system, event);
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
                self.fired[usize::from(program.instances[i].transition.0)] += 1;
                let known = self.visited.store.find(next);
                if known.is_none_or(|n| bound < u32::MAX && depth + 1 < depths[n]) {
                    stack.push(Waiting { depth: depth + 1, parent: number as u32, sleep }, next);
                }
                self.limits.count(1 + tried);
                wide = stack.waiting.len() - first > widest;
                wide
            });
            if wide {
                self.limits.stop.get_or_insert(Stop::Wide);
            }
            // First successors first.
            stack.turn_from(first);
            if !live {
                self.check_deadlock(number, &current, &mut scratch);
            }
            self.numbers |= scratch.numbers;
        }
        Ok(depths.iter().all(|d| *d < bound))
    }
}
