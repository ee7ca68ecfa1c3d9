//! Exhaustive search: breadth first and depth first.

mod shared;

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::forward::error::Unbuildable;
use crate::forward::findings::{Findings, Found};
use crate::forward::frontier::{CHUNK, Chunk, Expander};
use crate::forward::program::bad::BadScratch;
use crate::forward::program::compiled::Machine;
use crate::forward::program::sleep::{Edges, FoundBy, UNKNOWN};
use crate::forward::program::step::Scratch;
use crate::forward::run::clock::begin_to_help;
use crate::forward::run::limits::Limits;
use crate::forward::sift::Sift;
use crate::forward::store::hash::hash;
use crate::forward::store::table::{Inserted, Store, TOUCHED, reserve};
use crate::forward::store::visited::{ROOT, Visited};
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::{Event, Observer};
use crate::options::{ForwardOptions, Strategy};
use crate::result::Stop;
use crate::workers::WorkerPool;

/// Fewer states than this are not worth starting threads.
const WORTHWHILE: usize = 2048;

/// Levels grow fast when each has so many times the states of the one before.
const STEEP: f64 = 1.4;

/// A running search.
pub struct Search<'a> {
    system: &'a System,
    machine: &'a Machine,
    options: &'a ForwardOptions,
    limits: Limits,
    visited: Visited,
    edges: Edges,
    fired: Vec<u64>,
    findings: Findings,
    depth: usize,
    numbers: bool,
    bad_scratch: BadScratch,
    workers: Arc<WorkerPool>,
    /// Used again in each round.
    sifts: Vec<Sift>,
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
        Self::within(system, machine, options, Limits::new(options, interrupt))
    }

    /// A search with these limits instead of those of the options.
    pub fn within(
        system: &'a System,
        machine: &'a Machine,
        options: &'a ForwardOptions,
        limits: Limits,
    ) -> Self {
        Self {
            system,
            machine,
            options,
            limits,
            visited: Visited { store: Store::new(machine.packing.words), parents: Vec::new() },
            edges: Edges::default(),
            fired: vec![0; system.transitions.len()],
            findings: Findings::new(system, machine),
            depth: 0,
            numbers: false,
            bad_scratch: BadScratch::new(machine),
            workers: Arc::new(WorkerPool::new(options.jobs, begin_to_help)),
            sifts: Vec::new(),
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
        let (system, machine, visited) = (self.system, self.machine, &self.visited);
        let mut found =
            self.findings.conclude(system, machine, visited, self.options, &self.limits, observer);
        if found.stop == Stop::Complete {
            found.stop = stop;
        }
        found.depth = self.depth;
        found.fired = self.fired;
        Ok((found, self.visited))
    }

    /// Stores a state in canonical form, unless it is known or no room is left.
    fn meet(&mut self, state: &[u64], parent: u32) -> Met {
        self.meet_hashed(state, hash(state), parent, true)
    }

    #[inline]
    fn meet_hashed(&mut self, state: &[u64], h: u64, parent: u32, suspect: bool) -> Met {
        let store = &mut self.visited.store;
        if store.len() >= self.limits.max_states {
            let Some(number) = store.find_hashed(state, h) else {
                self.limits.stop = Some(self.limits.full);
                return Met::Refused;
            };
            return Met::Old(number);
        }
        match store.insert(state, h) {
            Inserted::Old(number) => Met::Old(number),
            Inserted::New(number) => {
                reserve(&mut self.visited.parents, 1);
                self.visited.parents.push(parent);
                if !suspect {
                    return Met::New;
                }
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
        self.limits.bound_memory(self.visited.store.bytes_each() + size_of::<u32>() + size_of::<FoundBy>());
        self.seed()?;
        self.edges = Edges::of_roots(self.visited.store.len());
        let mut expander = self.expanders()();
        let mut chunk = Chunk::default();
        let mut cursor = 0;
        let mut level_end = self.visited.store.len();
        let mut level = 0;
        let mut level_start = 0;
        let most = (self.limits.max_states, self.limits.full);
        // Whether it is for several threads.
        let mut several = self.options.jobs > 1;
        while cursor < self.visited.store.len() && self.limits.tick() {
            if cursor == level_end {
                level += 1;
                self.edges.next_level();
                let past = level_end - level_start;
                level_start = level_end;
                level_end = self.visited.store.len();
                self.depth = level;
                (self.limits.max_states, self.limits.full) = most;
                let steep = STEEP * past as f64 <= (level_end - level_start) as f64;
                if steep && let Some(states) = self.options.steep.filter(|n| (level_end..most.0).contains(n))
                {
                    (self.limits.max_states, self.limits.full) = (states, Stop::States);
                }
            }
            if self.options.depth.is_some_and(|d| level >= d) {
                return Ok(false);
            }
            if self.options.until_fired.as_ref().is_some_and(|all| self.have_fired(all)) {
                self.limits.stop = Some(Stop::Fired);
                break;
            }
            self.report(cursor, observer);
            if several && level_end - cursor >= WORTHWHILE {
                match self.share(cursor..level_end, observer) {
                    Some(end) => cursor = end,
                    None => several = false,
                }
            } else {
                let range = cursor..level_end.min(cursor + CHUNK);
                let edges = self.edges.of(range.clone());
                expander.expand(range.clone(), self.visited.store.states(range), edges, &mut chunk);
                self.take_in(&chunk);
                cursor = chunk.range.end;
            }
        }
        if self.visited.store.len() > level_end {
            self.depth = level + 1;
        }
        Ok(self.limits.stop.is_none())
    }

    /// Whether some part of each of these declarations has fired.
    fn have_fired(&self, declarations: &[u16]) -> bool {
        let parts = || self.system.transitions.iter().zip(&self.fired);
        declarations.iter().all(|origin| parts().any(|(t, fired)| t.origin == *origin && *fired > 0))
    }

    /// Makes an expander for each thread.
    fn expanders(&self) -> impl Fn() -> Expander<'a> + Sync + use<'a> {
        let (machine, deadlock, widest) = (self.machine, self.options.deadlock, widest(&self.limits));
        let clock = Arc::clone(&self.limits.clock);
        move || Expander::new(machine, Arc::clone(&clock), deadlock, widest)
    }

    /// Stores the successors of a chunk, in order, until a limit or a finding ends the search.
    fn take_in(&mut self, chunk: &Chunk) {
        if chunk.aborted {
            self.limits.look();
            return;
        }
        let words = self.machine.packing.words;
        let successors = &chunk.successors;
        let mut parent = chunk.parents();
        let mut suspects = successors.suspects.iter().map(|at| *at as usize).peekable();
        for (group, hashes) in successors.hashes.chunks(TOUCHED).enumerate() {
            self.visited.store.touch(hashes);
            for (i, &h) in hashes.iter().enumerate() {
                let at = group * TOUCHED + i;
                let from = parent(at);
                let suspect = suspects.next_if_eq(&at).is_some();
                if let Met::New = self.meet_hashed(successors.state(at, words), h, from, suspect) {
                    self.edges.push(successors.found_by[at]);
                }
                if self.limits.stop.is_some() {
                    // What came after it does not count.
                    let fired = chunk.fired_until(self.machine, &self.visited.store, &self.edges, at);
                    self.count(&fired);
                    for (state, refined) in &chunk.deadlocks {
                        if *state < from as usize {
                            self.findings.deadlock(self.machine, *state, refined.clone());
                        }
                    }
                    return;
                }
            }
        }
        self.count(&chunk.fired);
        for (state, refined) in &chunk.deadlocks {
            self.findings.deadlock(self.machine, *state, refined.clone());
        }
        self.numbers |= chunk.numbers;
        if chunk.wide {
            self.limits.stop = Some(Stop::Wide);
        }
    }

    fn count(&mut self, fired: &[u64]) {
        for (total, n) in self.fired.iter_mut().zip(fired) {
            *total += n;
        }
    }

    /// Reports progress now and then.
    fn report(&mut self, expanded: usize, observer: &mut dyn Observer) {
        if self.limits.report_due() {
            let states = self.visited.store.len();
            let event = Event::ForwardProgress { states, queued: states - expanded };
            observer.event(self.system, event);
        }
    }

    fn check_deadlock(&mut self, number: usize, state: &[u64], scratch: &mut Scratch) {
        if !self.options.deadlock || self.limits.stop.is_some() {
            return;
        }
        if let Some(refined) = self.machine.deadlock(state, scratch) {
            self.findings.deadlock(self.machine, number, refined);
        }
    }

    /// Whether everything was expanded. With a depth bound, a state met again at a smaller depth is
    /// expanded again, so that the states within the bound are exactly those of [`Search::bfs`].
    fn dfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        struct Waiting {
            depth: u32,
            parent: u32,
            found_by: FoundBy,
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
        let widest = widest(&self.limits);
        while self.limits.stop.is_none() {
            let (number, depth, found_by) = if let Some(Waiting { depth, parent, found_by }) = stack.pop() {
                current.copy_from_slice(&states[states.len() - words..]);
                states.truncate(states.len() - words);
                match self.meet(&current, parent) {
                    Met::Refused => break,
                    Met::New => {
                        depths.push(depth);
                        self.depth = self.depth.max(depth as usize);
                        (depths.len() - 1, depth, found_by)
                    }
                    Met::Old(number) if bound < u32::MAX && depth < depths[number] => {
                        depths[number] = depth;
                        self.visited.parents[number] = parent;
                        (number, depth, found_by)
                    }
                    Met::Old(_) => continue,
                }
            } else if let Some(seed) = seeds.next() {
                current.copy_from_slice(self.visited.store.state(seed));
                (seed, 0, UNKNOWN)
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
            let mut wide = false;
            // With a bound, another way to a state may be the shorter one.
            let left_out = if bound == u32::MAX { machine.left_out(found_by) } else { &[] };
            let live = machine.successors_but(&current, left_out, &mut scratch, |i, next| {
                let found_by = machine.canonicalize_successor(i, next);
                self.fired[usize::from(machine.instances[i].transition.0)] += 1;
                let known = self.visited.store.find(next);
                if known.is_none_or(|n| bound < u32::MAX && depth + 1 < depths[n]) {
                    stack.push(Waiting { depth: depth + 1, parent: number as u32, found_by });
                    states.extend_from_slice(next);
                }
                self.limits.tick();
                wide = stack.len() - first > widest;
                wide
            });
            if wide {
                self.limits.stop.get_or_insert(Stop::Wide);
            }
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

/// Steps from one state beyond which a search gives up: undefined cells can be read in more ways than
/// anybody waits for.
fn widest(limits: &Limits) -> usize {
    limits.max_states.saturating_mul(8).clamp(1 << 16, 1 << 18)
}
