//! Exhaustive search: breadth first and depth first.

use std::ops::ControlFlow;

use super::limits::Limits;
use super::machine::{Machine, Unbuildable};
use super::step::{BadScratch, Scratch};
use super::store::{Inserted, Store, hash};
use super::{Stop, trace};
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::{Event, Observer};
use crate::options::{ForwardOptions, Strategy};
use crate::verdict::Trace;

/// No parent: an initial state.
pub(super) const ROOT: u32 = u32::MAX;

/// Traces of no more deadlocks than this are kept.
const MAX_DEADLOCK_TRACES: usize = 256;

/// Visited states and how they were found.
#[derive(Clone, Debug)]
pub(super) struct Visited {
    pub store: Store,
    /// For each state, the one that it was found from; [`ROOT`] for initial ones.
    pub parents: Vec<u32>,
    /// For each state, the instance that led to it.
    pub actions: Vec<u32>,
}

/// A state that is bad or deadlocked.
#[derive(Clone, Debug)]
pub(super) struct Finding {
    /// Number of the stored state.
    pub state: usize,
    /// The same with those cells defined that decide it.
    pub refined: Vec<u64>,
    /// Index in [`System::bad`]; `None` for a deadlock.
    pub bad: Option<usize>,
}

/// What a search found.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub visited: Visited,
    pub stop: Stop,
    pub depth: usize,
    pub unsafe_trace: Option<Trace>,
    pub deadlocks: Vec<Trace>,
    pub deadlock_states: usize,
    pub outside_deadlocks: Vec<Trace>,
    /// For each transition, how often it fired.
    pub fired: Vec<u64>,
}

/// A running search.
pub(super) struct Search<'a> {
    system: &'a System,
    machine: &'a Machine,
    options: &'a ForwardOptions,
    limits: Limits<'a>,
    visited: Visited,
    fired: Vec<u64>,
    finding: Option<Finding>,
    deadlocks: Vec<Finding>,
    deadlock_states: usize,
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
        interrupt: &'a Interrupt,
    ) -> Self {
        Self {
            system,
            machine,
            options,
            limits: Limits::new(options, interrupt),
            visited: Visited {
                store: Store::new(machine.packing.words),
                parents: Vec::new(),
                actions: Vec::new(),
            },
            fired: vec![0; system.transitions.len()],
            finding: None,
            deadlocks: Vec::new(),
            deadlock_states: 0,
            depth: 0,
            numbers: false,
            bad_scratch: BadScratch::new(machine),
        }
    }

    /// Runs the strategy that the options name.
    pub fn run(mut self, observer: &mut dyn Observer) -> Result<Found, Unbuildable> {
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
        let mut broken = Vec::new();
        let mut build = |finding: &Finding| {
            trace::build(self.system, self.machine, &self.visited, finding).map_err(|e| broken.push(e)).ok()
        };
        let unsafe_trace = self.finding.as_ref().and_then(&mut build);
        let mut deadlocks = Vec::new();
        let mut outside_deadlocks = Vec::new();
        for finding in &self.deadlocks {
            let Some(trace) = build(finding) else { continue };
            if trace::uses_allowed_outside(self.system, self.machine, &trace) {
                outside_deadlocks.push(trace);
            } else {
                deadlocks.push(trace);
            }
        }
        for error in broken {
            let text = format!("internal error: a forward run did not replay and is not shown: {error}");
            observer.event(self.system, Event::Warning(&text));
        }
        Ok(Found {
            visited: self.visited,
            stop,
            depth: self.depth,
            unsafe_trace,
            deadlocks,
            deadlock_states: self.deadlock_states,
            outside_deadlocks,
            fired: self.fired,
        })
    }

    /// Stores a state in canonical form, unless it is known or no room is left.
    #[inline]
    fn meet(&mut self, state: &[u64], parent: u32, action: u32) -> Met {
        let h = hash(state);
        let store = &mut self.visited.store;
        if store.len() >= self.limits.max_states {
            return match store.find(state) {
                Some(number) => Met::Old(number),
                None => {
                    self.limits.stop = Some(Stop::States);
                    Met::Refused
                }
            };
        }
        match store.insert(state, h) {
            Inserted::Old(number) => Met::Old(number),
            Inserted::New(number) => {
                self.visited.parents.push(parent);
                self.visited.actions.push(action);
                if self.finding.is_none()
                    && let Some((bad, refined)) = self.machine.bad(state, &mut self.bad_scratch)
                {
                    self.finding = Some(Finding { state: number, refined, bad: Some(bad) });
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
                self.meet(&buffer, ROOT, 0);
            }
            if self.limits.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.numbers |= numbers;
        Ok(())
    }

    /// Whether everything was expanded.
    fn bfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        self.seed()?;
        let machine = self.machine;
        let mut scratch = Scratch::new(machine);
        let mut current = vec![0; machine.packing.words];
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
            if self.limits.report_due() {
                let states = self.visited.store.len();
                let event = Event::ForwardProgress { states, queued: states - cursor };
                observer.event(self.system, event);
            }
            current.copy_from_slice(self.visited.store.state(cursor));
            let live = machine.successors(&current, &mut scratch, |i, next| {
                if self.limits.stop.is_some() {
                    return;
                }
                machine.symmetry.canonicalize(&machine.cells, &machine.packing, next);
                self.fired[usize::from(machine.instances[i].transition.0)] += 1;
                self.meet(next, cursor as u32, i as u32);
                self.limits.tick();
            });
            if !live {
                self.check_deadlock(cursor, &current, &mut scratch);
            }
            self.numbers |= scratch.numbers;
            cursor += 1;
        }
        if self.visited.store.len() > level_end {
            self.depth = level + 1;
        }
        Ok(self.limits.stop.is_none())
    }

    fn check_deadlock(&mut self, number: usize, state: &[u64], scratch: &mut Scratch) {
        if !self.options.deadlock || self.limits.stop.is_some() {
            return;
        }
        if let Some(refined) = self.machine.deadlock(state, scratch) {
            self.deadlock_states += 1;
            if self.deadlocks.len() < MAX_DEADLOCK_TRACES {
                self.deadlocks.push(Finding { state: number, refined, bad: None });
            }
        }
    }

    /// Whether everything was expanded. With a depth bound, a state met again at a smaller depth is
    /// expanded again, so that the states within the bound are exactly those of [`Search::bfs`].
    fn dfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        struct Waiting {
            depth: u32,
            parent: u32,
            action: u32,
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
            let (number, depth) = if let Some(Waiting { depth, parent, action }) = stack.pop() {
                current.copy_from_slice(&states[states.len() - words..]);
                states.truncate(states.len() - words);
                match self.meet(&current, parent, action) {
                    Met::Refused => break,
                    Met::New => {
                        depths.push(depth);
                        self.depth = self.depth.max(depth as usize);
                        (depths.len() - 1, depth)
                    }
                    Met::Old(number) if bound < u32::MAX && depth < depths[number] => {
                        depths[number] = depth;
                        self.visited.parents[number] = parent;
                        self.visited.actions[number] = action;
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
                    stack.push(Waiting { depth: depth + 1, parent: number as u32, action: i as u32 });
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
