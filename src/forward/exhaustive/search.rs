//! A running exhaustive search: what is stored, what was found, and how a state or a chunk is stored.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::checkpoint::keeper::Keeper;
use crate::clock::begin_to_help;
use crate::error::StorageError;
use crate::error::Unbuildable;
use crate::exhaustive::expand::{Chunk, Expander};
use crate::exhaustive::overflow::Overflow;
use crate::exhaustive::round_worker::RoundPart;
use crate::program::bad::BadScratch;
use crate::program::compiled::Program;
use crate::program::sleep::LevelSleep;
use crate::run::curve::Curve;
use crate::run::findings::Findings;
use crate::run::limits::Limits;
use crate::run::searched::{SearchStats, Searched};
use crate::store::compact::states::{Incompressible, Numbers};
use crate::store::hash::hash;
use crate::store::origin::ROOT;
use crate::store::table::{Inserted, reserve};
use crate::store::visited::Visited;
use crate::tuning::TOUCHED;
use cubicle_lang::model::System;
use cubicle_run::observer::{Event, Observer};
use cubicle_run::options::{ForwardOptions, StoreKind, Strategy};
use cubicle_run::result::{CurvePoint, Stop};
use cubicle_run::workers::WorkerPool;

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
    /// Reused in each round.
    pub parts: Vec<RoundPart>,
    /// Writes the checkpoint, if one is kept.
    pub keeper: Option<Keeper>,
    /// Whether states may be packed into numbers once the memory is full.
    pub may_pack: bool,
    /// The file error that ended the search.
    pub fault: Option<StorageError>,
    /// What happens when the memory is full.
    pub overflow: Overflow,
}

/// How many states there are up to a depth.
pub fn depth_point(depth: usize, states: usize) -> CurvePoint {
    CurvePoint { work: depth as u64, states, techniques: Vec::new() }
}

/// The outcome of inserting a state.
pub enum Met {
    New,
    Old(usize),
    Refused,
}

impl<'a> Search<'a> {
    /// A search within these limits.
    pub fn within(
        system: &'a System,
        program: &'a Program,
        options: &'a ForwardOptions,
        limits: Limits,
    ) -> Self {
        let store = if options.strategy == Strategy::Bfs { options.store } else { StoreKind::Table };
        Self {
            system,
            program,
            options,
            bad_scratch: BadScratch::new(program, &limits.clock),
            limits,
            visited: Visited::of(program, store),
            sleeps: LevelSleep::default(),
            fired: vec![0; system.transitions.len()],
            findings: Findings::new(system, program),
            depth: 0,
            curve: Curve::default(),
            numbers: false,
            workers: Arc::new(WorkerPool::new(options.jobs, begin_to_help)),
            parts: Vec::new(),
            keeper: None,
            may_pack: store == StoreKind::Auto,
            fault: None,
            overflow: Overflow::Ends,
        }
    }

    /// Statistics of the ended search; `complete` says whether it expanded everything within its bounds.
    pub fn course(&mut self, complete: bool) -> SearchStats {
        let stop = match self.limits.stop {
            Some(stop) => stop,
            None if self.numbers => Stop::Numbers,
            None if complete && self.visited.lossy.is_some() => Stop::Bitstate,
            None if complete => Stop::Complete,
            None => Stop::Depth,
        };
        let curve = if self.curve.is_empty() {
            Vec::new()
        } else {
            self.curve.finish(depth_point(self.depth, self.visited.len()))
        };
        let (depth, fired, fault) = (self.depth, std::mem::take(&mut self.fired), self.fault.take());
        SearchStats { fault, depth, fired, curve, ..SearchStats::new(stop) }
    }

    /// The ended search, from which runs are built.
    pub fn searched(&self, course: SearchStats) -> Searched<'_> {
        let Self { system, program, options, limits, visited, findings, .. } = self;
        Searched { system, program, options, limits, visited, findings, course }
    }

    /// Stores a state in canonical form, unless it is known or the store is full.
    pub fn insert(&mut self, state: &[u64], parent: u32) -> Met {
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
                if suspect {
                    self.look_at(number, state);
                }
                Met::New
            }
        }
    }

    /// Checks whether a new state is bad.
    #[inline]
    pub fn look_at(&mut self, number: usize, state: &[u64]) {
        if let Some((bad, refined)) = self.program.bad(state, &mut self.bad_scratch) {
            self.findings.bad(number, refined, bad);
            if self.options.stop_at_unsafe {
                self.limits.stop = Some(Stop::Unsafe);
            }
        }
        self.numbers |= self.bad_scratch.numbers;
    }

    /// Like [`Search::insert`] for a packed store, with the numbers that touching the state gave, if it was touched; whether
    /// it is new. The error is that the state cannot be packed.
    #[inline]
    fn meet_compact(
        &mut self,
        state: &[u64],
        touched: Option<(&Numbers, usize)>,
        parent: u32,
        suspect: bool,
    ) -> Result<bool, Incompressible> {
        let compact = self.visited.compact.as_mut().expect("the caller checked it");
        let number = compact.len();
        // Checking now and then is enough: a few states more or less, and always the same.
        let full = if number >= self.limits.max_states {
            Some(self.limits.full)
        } else if number.is_multiple_of(1 << 10) && self.limits.is_over(compact.bytes()) {
            Some(Stop::Memory)
        } else {
            None
        };
        if full.is_some() {
            if !compact.contains(state) {
                self.limits.stop = full;
            }
            return Ok(false);
        }
        let new = match touched {
            Some(touched) => compact.insert_touched(state, touched, parent)?,
            None => compact.insert(state, parent)?,
        };
        if new && suspect {
            self.look_at(number, state);
        }
        Ok(new)
    }

    /// Unpacks the states and keeps them so, if they fit in the memory.
    #[cold]
    fn unpack(&mut self) {
        self.may_pack = false;
        let each = self.table_bytes_each();
        if self.visited.len() >= self.limits.fit(each) {
            self.limits.stop = Some(Stop::Memory);
        } else {
            self.visited.unpack();
            self.limits.bound_memory(each);
        }
    }

    /// Packs the states into numbers when that is possible; otherwise the memory is full.
    #[cold]
    fn pack(&mut self) {
        self.may_pack = false;
        if self.visited.pack(self.program) {
            self.limits.stop = None;
            self.are_packed();
        }
    }

    /// Records that states are packed: the room in a table no longer limits their number.
    pub fn are_packed(&mut self) {
        self.may_pack = false;
        self.limits.unbound_memory();
    }

    /// Bytes that an unpacked state takes in a breadth-first search, with room to pack it later.
    pub fn table_bytes_each(&self) -> usize {
        self.visited.table_bytes_each(self.may_pack)
    }

    /// Stores an initial state.
    fn take_initial(&mut self, state: &[u64]) {
        if self.visited.lossy.is_some() {
            self.meet_lossy(state, ROOT, true);
        }
        if self.visited.is_table() {
            self.insert(state, ROOT);
            if self.may_pack && self.limits.stop == Some(Stop::Memory) {
                self.pack();
            }
        }
        if self.visited.compact.is_some() && self.meet_compact(state, None, ROOT, true).is_err() {
            self.unpack();
            if self.limits.stop.is_none() {
                self.insert(state, ROOT);
            }
        }
        if self.limits.stop == Some(Stop::Memory) {
            self.spill(0, 0);
        }
        if self.visited.disk.is_some() {
            self.buffer_initial(state);
        }
    }

    /// Stores the initial states.
    pub fn seed(&mut self) -> Result<(), Unbuildable> {
        let program = self.program;
        let mut numbers = false;
        let mut buffer = vec![0; program.packing.words];
        let clock = Arc::clone(&self.limits.clock);
        program.initial_states(&clock, &mut numbers, |state| {
            buffer.copy_from_slice(state);
            let tried = program.symmetry.canonicalize(&program.cells, &program.packing, &mut buffer);
            if self.limits.count(1 + tried) {
                self.take_initial(&buffer);
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
    pub fn merge_chunk(&mut self, chunk: &Chunk) {
        if chunk.aborted {
            self.limits.look();
            return;
        }
        let mut first = 0;
        while first < chunk.successors.len() {
            if self.visited.disk.is_some() {
                return self.buffer(chunk, first);
            }
            if self.visited.lossy.is_some() {
                if !self.merge_chunk_lossy(chunk) {
                    return;
                }
                break;
            }
            let compact = self.visited.compact.is_some();
            let stored = if compact {
                self.store_from::<true>(chunk, first)
            } else {
                self.store_from::<false>(chunk, first)
            };
            match stored {
                Ok(()) => break,
                Err(at) if compact && self.limits.stop.is_none() => {
                    self.unpack();
                    if self.limits.stop.is_some() && !self.may_spill() {
                        self.cut(chunk, at, chunk.parents()(at));
                        return;
                    }
                }
                Err(_) if self.may_pack => self.pack(),
                Err(_) => self.spill(chunk.range.start, chunk.range.end),
            }
            first = stored.err().unwrap_or(first);
            if self.fault.is_some() {
                return;
            }
        }
        if self.limits.stop.is_none() {
            self.take_account(chunk);
        }
    }

    /// Adds the counts and findings of a chunk all of whose successors were stored.
    pub fn take_account(&mut self, chunk: &Chunk) {
        self.count(&chunk.fired);
        for (state, refined) in &chunk.deadlocks {
            self.findings.deadlock(self.program, *state, refined.clone());
        }
        self.numbers |= chunk.numbers;
        if chunk.wide {
            self.limits.stop = Some(Stop::Wide);
        }
    }

    /// Stores the successors of a chunk from `first` on, in order, until a limit or a finding ends the search. The error is
    /// the first one for which the store must switch between packed and unpacked.
    #[inline(never)]
    fn store_from<const COMPACT: bool>(&mut self, chunk: &Chunk, first: usize) -> Result<(), usize> {
        let words = self.program.packing.words;
        let successors = &chunk.successors;
        let mut parent = chunk.parents();
        let before = successors.suspects.partition_point(|at| (*at as usize) < first);
        let mut suspects = successors.suspects[before..].iter().map(|at| *at as usize).peekable();
        for (group, hashes) in successors.hashes[first..].chunks(TOUCHED).enumerate() {
            let start = first + group * TOUCHED;
            let touched = if COMPACT {
                let compact = self.visited.compact.as_ref().expect("the caller checked it");
                let states = (start..start + hashes.len()).map(|at| successors.state(at, words));
                Some(compact.touch(states))
            } else {
                self.visited.store.touch(hashes);
                None
            };
            for (i, &h) in hashes.iter().enumerate() {
                let at = start + i;
                let from = parent(at);
                let suspect = suspects.next_if_eq(&at).is_some();
                let state = successors.state(at, words);
                let new = if COMPACT {
                    let touched = touched.as_ref().map(|numbers| (numbers, i));
                    self.meet_compact(state, touched, from, suspect).map_err(|_| at)?
                } else {
                    matches!(self.meet_hashed(state, h, from, suspect), Met::New)
                };
                if new {
                    self.sleeps.push(successors.sleep[at]);
                }
                if self.limits.stop.is_some() {
                    let may_go_on = !COMPACT && self.may_pack || self.may_spill();
                    if may_go_on && self.limits.stop == Some(Stop::Memory) {
                        return Err(at);
                    }
                    self.cut(chunk, at, from);
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// The search ends with the successor of a chunk at this position: later ones do not count.
    #[cold]
    pub fn cut(&mut self, chunk: &Chunk, at: usize, from: u32) {
        let mut buffer = Vec::new();
        let states = self.visited.states(chunk.range.clone(), &mut buffer);
        let fired = chunk.fired_until(self.program, states, &self.sleeps, at);
        self.count(&fired);
        for (state, refined) in &chunk.deadlocks {
            if *state < from as usize {
                self.findings.deadlock(self.program, *state, refined.clone());
            }
        }
    }

    pub fn count(&mut self, fired: &[u64]) {
        for (total, n) in self.fired.iter_mut().zip(fired) {
            // Numbers restored from a checkpoint may be arbitrarily large.
            *total = total.saturating_add(*n);
        }
    }

    /// Reports progress now and then.
    pub fn report(&mut self, expanded: usize, observer: &mut dyn Observer) {
        if self.limits.report_due() {
            let states = self.visited.len();
            let event = Event::ForwardProgress { states, queued: states - expanded, depth: Some(self.depth) };
            observer.event(self.system, event);
        }
    }
}

/// Steps from one state beyond which a search gives up: undefined cells can be read in too many ways to
/// enumerate.
pub fn widest(limits: &Limits) -> usize {
    limits.max_states.saturating_mul(8).clamp(1 << 16, 1 << 18)
}
