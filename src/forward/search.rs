//! Exhaustive search: breadth first and depth first.

use std::ops::{ControlFlow, Range};

use super::findings::Findings;
use super::findings::Found;
use super::limits::Limits;
use super::machine::{Machine, Unbuildable};
use super::step::{BadScratch, Scratch};
use super::store::{Batch, Inserted, Store, hash, reserve};
use super::{Stop, parallel};
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::{Event, Observer};
use crate::options::{ForwardOptions, Strategy};

/// No parent: an initial state.
pub(super) const ROOT: u32 = u32::MAX;

/// Visited states and how they were found.
#[derive(Clone, Debug, Default)]
pub(super) struct Visited {
    pub store: Store,
    /// For each state, the one that it was found from; [`ROOT`] for initial ones.
    pub parents: Vec<u32>,
}

impl Visited {
    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.store.bytes() + 4 * self.parents.capacity()
    }
}

/// A running search.
pub(super) struct Search<'a> {
    system: &'a System,
    machine: &'a Machine,
    options: &'a ForwardOptions,
    limits: Limits,
    visited: Visited,
    fired: Vec<u64>,
    findings: Findings,
    depth: usize,
    numbers: bool,
    bad_scratch: BadScratch,
}

/// What became of a state.
enum Met {
    New,
    Old(usize),
    Refused,
}

impl<'a> Search<'a> {
    pub fn new(
        system: &'a System,
        machine: &'a Machine,
        options: &'a ForwardOptions,
        interrupt: &Interrupt,
    ) -> Self {
        Self {
            system,
            machine,
            options,
            limits: Limits::new(options, interrupt),
            visited: Visited { store: Store::new(machine.packing.words), parents: Vec::new() },
            fired: vec![0; system.transitions.len()],
            findings: Findings::default(),
            depth: 0,
            numbers: false,
            bad_scratch: BadScratch::new(machine),
        }
    }

    /// Runs the strategy that the options name.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<(Found, Visited), Unbuildable> {
        let complete = match self.options.strategy {
            Strategy::Dfs => self.dfs(observer)?,
            _ => self.bfs(observer)?,
        };
        let stop = match self.limits.stop {
            Some(stop) => stop,
            None if self.numbers => Stop::Numbers,
            None if complete => Stop::Complete,
            None => Stop::Depth,
        };
        let mut found = self.findings.conclude(self.system, self.machine, &self.visited, observer);
        found.stop = stop;
        found.depth = self.depth;
        found.fired = self.fired;
        Ok((found, self.visited))
    }

    /// Stores a state in canonical form, unless it is known or no room is left.
    #[inline]
    fn meet(&mut self, state: &[u64], parent: u32) -> Met {
        let h = hash(state);
        let store = &mut self.visited.store;
        if store.len() >= self.limits.max_states {
            let Some(number) = store.find(state) else {
                self.limits.stop = Some(Stop::States);
                return Met::Refused;
            };
            return Met::Old(number);
        }
        match store.insert(state, h) {
            Inserted::Old(number) => Met::Old(number),
            Inserted::New(number) => {
                reserve(&mut self.visited.parents, 1);
                self.visited.parents.push(parent);
                if let Some((bad, refined)) = self.machine.bad(state, &mut self.bad_scratch) {
                    self.findings.bad(number, refined, bad);
                    if self.options.stop_at_unsafe {
                        self.limits.stop = Some(Stop::Unsafe);
                    }
                }
                self.numbers |= self.bad_scratch.numbers;
                Met::New
            }
        }
    }

    fn seed(&mut self) -> Result<(), Unbuildable> {
        let machine = self.machine;
        let mut numbers = false;
        let mut buffer = vec![0; machine.packing.words];
        machine.initial_states(&mut numbers, |state| {
            buffer.copy_from_slice(state);
            machine.symmetry.canonicalize(&machine.cells, &machine.packing, &mut buffer);
            if self.limits.tick() {
                self.meet(&buffer, ROOT);
            }
            if self.limits.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.numbers |= numbers;
        Ok(())
    }

    /// Whether everything was expanded.
    fn bfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        self.seed()?;
        let mut scratch = Scratch::new(self.machine);
        let mut current = vec![0; self.machine.packing.words];
        let mut cursor = 0;
        let mut level_end = self.visited.store.len();
        let mut level = 0;
        while cursor < self.visited.store.len() && self.limits.stop.is_none() {
            if cursor == level_end {
                level += 1;
                level_end = self.visited.store.len();
                self.depth = level;
            }
            if self.options.depth.is_some_and(|d| level >= d) {
                return Ok(false);
            }
            if !self.limits.tick() {
                break;
            }
            if cursor.is_multiple_of(1024) {
                self.limits.check_memory(self.visited.bytes());
            }
            if self.limits.report_due() {
                let states = self.visited.store.len();
                let event = Event::ForwardProgress { states, queued: states - cursor };
                observer.event(self.system, event);
            }
            if self.options.jobs > 1 && level_end - cursor >= parallel::WORTHWHILE {
                let end = level_end.min(cursor + parallel::ROUND);
                self.round(cursor..end, &mut current, &mut scratch);
                cursor = end;
            } else {
                self.expand(cursor, &mut current, &mut scratch);
                cursor += 1;
            }
        }
        if self.visited.store.len() > level_end {
            self.depth = level + 1;
        }
        Ok(self.limits.stop.is_none())
    }

    /// Stores the successors of state number `number`.
    #[inline]
    fn expand(&mut self, number: usize, current: &mut [u64], scratch: &mut Scratch) {
        let machine = self.machine;
        current.copy_from_slice(self.visited.store.state(number));
        let live = machine.successors(current, scratch, |i, next| {
            if self.limits.stop.is_some() {
                return;
            }
            machine.symmetry.canonicalize(&machine.cells, &machine.packing, next);
            self.fired[usize::from(machine.instances[i].transition.0)] += 1;
            self.meet(next, number as u32);
            self.limits.tick();
        });
        if !live {
            self.check_deadlock(number, current, scratch);
        }
        self.numbers |= scratch.numbers;
    }

    /// Expands a range of states of one level on several threads, with the same result as expanding
    /// them one by one.
    fn round(&mut self, range: Range<usize>, current: &mut [u64], scratch: &mut Scratch) {
        let chunks = parallel::expand(
            self.machine,
            &self.visited.store,
            range,
            self.options.jobs,
            self.options.deadlock,
            &self.limits,
        );
        if chunks.iter().any(|c| c.aborted) {
            self.limits.look();
            return;
        }
        let room = self.limits.max_states - self.visited.store.len();
        let found: usize = chunks.iter().map(|c| c.hashes.len()).sum();
        if found > room || chunks.iter().any(|c| c.bad) {
            // It may have to stop on the way: one by one, to stop at the same state.
            for number in chunks.into_iter().flat_map(|c| c.range) {
                if self.limits.stop.is_some() {
                    return;
                }
                self.expand(number, current, scratch);
            }
            return;
        }
        let batches: Vec<Batch<'_>> =
            chunks.iter().map(|c| Batch { states: &c.states, hashes: &c.hashes }).collect();
        let parents = &mut self.visited.parents;
        self.visited.store.insert_all(&batches, self.options.jobs, |b, i| {
            reserve(parents, 1);
            parents.push(chunks[b].parents[i]);
        });
        for chunk in chunks {
            for (total, n) in self.fired.iter_mut().zip(&chunk.fired) {
                *total += n;
            }
            for (state, refined) in chunk.deadlocks {
                self.findings.deadlock(state, refined);
            }
            self.numbers |= chunk.numbers;
        }
        self.limits.look();
    }

    fn check_deadlock(&mut self, number: usize, state: &[u64], scratch: &mut Scratch) {
        if !self.options.deadlock || self.limits.stop.is_some() {
            return;
        }
        if let Some(refined) = self.machine.deadlock(state, scratch) {
            self.findings.deadlock(number, refined);
        }
    }

    /// Whether everything was expanded. With a depth bound, a state met again at a smaller depth is
    /// expanded again, so that the states within the bound are exactly those of [`Search::bfs`].
    fn dfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        struct Waiting {
            depth: u32,
            parent: u32,
        }
        self.seed()?;
        let machine = self.machine;
        let words = machine.packing.words;
        let bound = self.options.depth.map_or(u32::MAX, |d| d as u32);
        let mut scratch = Scratch::new(machine);
        let mut depths: Vec<u32> = vec![0; self.visited.store.len()];
        let mut stack: Vec<Waiting> = Vec::new();
        let mut states: Vec<u64> = Vec::new();
        let mut current = vec![0; words];
        let mut seeds = 0..depths.len();
        while self.limits.stop.is_none() {
            let (number, depth) = if let Some(Waiting { depth, parent }) = stack.pop() {
                current.copy_from_slice(&states[states.len() - words..]);
                states.truncate(states.len() - words);
                match self.meet(&current, parent) {
                    Met::Refused => break,
                    Met::New => {
                        depths.push(depth);
                        self.depth = self.depth.max(depth as usize);
                        (depths.len() - 1, depth)
                    }
                    Met::Old(number) if bound < u32::MAX && depth < depths[number] => {
                        depths[number] = depth;
                        self.visited.parents[number] = parent;
                        (number, depth)
                    }
                    Met::Old(_) => continue,
                }
            } else if let Some(seed) = seeds.next() {
                current.copy_from_slice(self.visited.store.state(seed));
                (seed, 0)
            } else {
                break;
            };
            if !self.limits.tick() {
                break;
            }
            if depths.len().is_multiple_of(1024) {
                self.limits.check_memory(self.visited.bytes() + 8 * states.capacity());
            }
            if self.limits.report_due() {
                let event = Event::ForwardProgress { states: depths.len(), queued: stack.len() };
                observer.event(self.system, event);
            }
            if depth >= bound {
                continue;
            }
            let first = stack.len();
            let live = machine.successors(&current, &mut scratch, |i, next| {
                machine.symmetry.canonicalize(&machine.cells, &machine.packing, next);
                self.fired[usize::from(machine.instances[i].transition.0)] += 1;
                let known = self.visited.store.find(next);
                if known.is_none_or(|n| bound < u32::MAX && depth + 1 < depths[n]) {
                    stack.push(Waiting { depth: depth + 1, parent: number as u32 });
                    states.extend_from_slice(next);
                }
                self.limits.tick();
            });
            // First successors first.
            stack[first..].reverse();
            let base = first * words;
            let pushed = stack.len() - first;
            for i in 0..pushed / 2 {
                for w in 0..words {
                    states.swap(base + i * words + w, base + (pushed - 1 - i) * words + w);
                }
            }
            if !live {
                self.check_deadlock(number, &current, &mut scratch);
            }
            self.numbers |= scratch.numbers;
        }
        Ok(depths.iter().all(|d| *d < bound))
    }
}
