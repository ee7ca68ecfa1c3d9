//! A running exhaustive search: what is stored, what was found, and how a state or a chunk is taken in.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::forward::checkpoint::keeper::Keeper;
use crate::forward::error::CheckpointError;
use crate::forward::error::Unbuildable;
use crate::forward::exhaustive::expand::{Chunk, Expander};
use crate::forward::exhaustive::round_worker::RoundPart;
use crate::forward::program::bad::BadScratch;
use crate::forward::program::compiled::Program;
use crate::forward::program::sleep::LevelSleep;
use crate::forward::run::clock::begin_to_help;
use crate::forward::run::curve::Curve;
use crate::forward::run::findings::Findings;
use crate::forward::run::limits::Limits;
use crate::forward::run::searched::{Course, Searched};
use crate::forward::store::hash::hash;
use crate::forward::store::table::{Inserted, reserve};
use crate::forward::store::visited::{ROOT, Visited};
use crate::forward::tuning::TOUCHED;
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::{Event, Observer};
use crate::options::ForwardOptions;
use crate::result::{CurvePoint, Stop};
use crate::workers::WorkerPool;

/// A running search.
pub struct Search<'a> {
    pub system: &'a System,
    pub program: &'a Program,
    pub options: &'a ForwardOptions,
    pub limits: Limits,
    pub visited: Visited,
    pub sleeps: LevelSleep,
    pub fired: Vec<u64>,
    pub findings: Findings,
    pub depth: usize,
    /// States by depth; empty but for breadth-first search.
    pub curve: Curve,
    pub numbers: bool,
    pub bad_scratch: BadScratch,
    pub workers: Arc<WorkerPool>,
    /// Used again in each round.
    pub parts: Vec<RoundPart>,
    /// Keeps the checkpoint, if there is to be one.
    pub keeper: Option<Keeper>,
    /// What could not be written or read.
    pub fault: Option<CheckpointError>,
}

/// How many states there are up to a depth.
pub fn depth_point(depth: usize, states: usize) -> CurvePoint {
    CurvePoint { work: depth as u64, states, techniques: Vec::new() }
}

/// What became of a state.
pub enum Met {
    New,
    Old(usize),
    Refused,
}

impl<'a> Search<'a> {
    pub fn new(
        system: &'a System,
        program: &'a Program,
        options: &'a ForwardOptions,
        interrupt: &Interrupt,
    ) -> Self {
        Self::within(system, program, options, Limits::new(options, interrupt))
    }

    /// A search with these limits instead of those of the options.
    pub fn within(
        system: &'a System,
        program: &'a Program,
        options: &'a ForwardOptions,
        limits: Limits,
    ) -> Self {
        Self {
            system,
            program,
            options,
            limits,
            visited: Visited::new(program.packing.words),
            sleeps: LevelSleep::default(),
            fired: vec![0; system.transitions.len()],
            findings: Findings::new(system, program),
            depth: 0,
            curve: Curve::default(),
            numbers: false,
            bad_scratch: BadScratch::new(program),
            workers: Arc::new(WorkerPool::new(options.jobs, begin_to_help)),
            parts: Vec::new(),
            keeper: None,
            fault: None,
        }
    }

    /// Why the search ended, when it expanded everything within its bounds or `complete` says that it did not.
    pub fn course(&mut self, complete: bool) -> Course {
        let stop = match self.limits.stop {
            Some(stop) => stop,
            None if self.numbers => Stop::Numbers,
            None if complete => Stop::Complete,
            None => Stop::Depth,
        };
        let curve = if self.curve.is_empty() {
            Vec::new()
        } else {
            self.curve.finish(depth_point(self.depth, self.visited.store.len()))
        };
        let (depth, fired, fault) = (self.depth, std::mem::take(&mut self.fired), self.fault.take());
        Course { fault, depth, fired, curve, ..Course::new(stop) }
    }

    /// What it did, for its runs to be made.
    pub fn searched(&self, course: Course) -> Searched<'_> {
        let Self { system, program, options, limits, visited, findings, .. } = self;
        Searched { system, program, options, limits, visited, findings, course }
    }

    /// Stores a state in canonical form, unless it is known or no room is left.
    pub fn meet(&mut self, state: &[u64], parent: u32) -> Met {
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
                if let Some((bad, refined)) = self.program.bad(state, &mut self.bad_scratch) {
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

    pub fn seed(&mut self) -> Result<(), Unbuildable> {
        let program = self.program;
        let mut numbers = false;
        let mut buffer = vec![0; program.packing.words];
        program.initial_states(&mut numbers, |state| {
            buffer.copy_from_slice(state);
            let tried = program.symmetry.canonicalize(&program.cells, &program.packing, &mut buffer);
            if self.limits.count(1 + tried) {
                self.meet(&buffer, ROOT);
            }
            if self.limits.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        self.numbers |= numbers;
        Ok(())
    }

    /// Makes an expander for each thread.
    pub fn expanders(&self) -> impl Fn() -> Expander<'a> + Sync + use<'a> {
        let (program, deadlock, widest) = (self.program, self.options.deadlock, widest(&self.limits));
        let clock = Arc::clone(&self.limits.clock);
        move || Expander::new(program, Arc::clone(&clock), deadlock, widest)
    }

    /// Stores the successors of a chunk, in order, until a limit or a finding ends the search.
    pub fn take_in(&mut self, chunk: &Chunk) {
        if chunk.aborted {
            self.limits.look();
            return;
        }
        let words = self.program.packing.words;
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
                    self.sleeps.push(successors.sleep[at]);
                }
                if self.limits.stop.is_some() {
                    // What came after it does not count.
                    let fired = chunk.fired_until(self.program, &self.visited.store, &self.sleeps, at);
                    self.count(&fired);
                    for (state, refined) in &chunk.deadlocks {
                        if *state < from as usize {
                            self.findings.deadlock(self.program, *state, refined.clone());
                        }
                    }
                    return;
                }
            }
        }
        self.count(&chunk.fired);
        for (state, refined) in &chunk.deadlocks {
            self.findings.deadlock(self.program, *state, refined.clone());
        }
        self.numbers |= chunk.numbers;
        if chunk.wide {
            self.limits.stop = Some(Stop::Wide);
        }
    }

    pub fn count(&mut self, fired: &[u64]) {
        for (total, n) in self.fired.iter_mut().zip(fired) {
            *total += n;
        }
    }

    /// Reports progress now and then.
    pub fn report(&mut self, expanded: usize, observer: &mut dyn Observer) {
        if self.limits.report_due() {
            let states = self.visited.store.len();
            let event = Event::ForwardProgress { states, queued: states - expanded, depth: Some(self.depth) };
            observer.event(self.system, event);
        }
    }
}

/// Steps from one state beyond which a search gives up: undefined cells can be read in more ways than
/// anybody waits for.
pub fn widest(limits: &Limits) -> usize {
    limits.max_states.saturating_mul(8).clamp(1 << 16, 1 << 18)
}
