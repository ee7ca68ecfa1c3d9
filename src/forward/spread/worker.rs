//! A worker of a distributed exploration: the states that it owns, level by level, and its work in a round.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use crate::clock::{Clock, Ticker};
use crate::error::StorageError;
use crate::exhaustive::expand::{Chunk, Expander};
use crate::explored::bitmap_index::BitmapIndex;
use crate::limits::MAX_STATES;
use crate::program::{AWAKE, Program, Scratch, SleepId};
use crate::run::Findings;
use crate::spread::files::Keeping;
use crate::spread::message::{Command, Deadlocks, NotableState, Parcel, States, Summary, note_bad, owner};
use crate::spread::parents::Wanted;
use crate::store::{Batch, Inserted, Store, hash};
use crate::tuning::{MAX_DEADLOCK_TRACES, TOUCH_GROUP};
use cubicle_run::Stop;

/// The configuration of a worker, besides the model.
#[derive(Clone, Copy, Debug)]
pub struct WorkerConfig {
    /// Its number, from 0.
    pub me: usize,
    /// How many workers there are.
    pub total: usize,
    /// How many of them are in one process.
    pub workers: usize,
    /// The bytes that its states may take.
    pub memory: usize,
    pub stop_at_unsafe: bool,
}

/// The unfinished work of a round.
#[derive(Debug)]
pub enum Task {
    Rest,
    /// Expand states; the round began at this time.
    Expand(Instant),
    /// Search steps to these targets.
    Parents(Wanted),
}

/// One owner of states.
pub struct Worker {
    pub(super) program: Arc<Program>,
    pub(super) config: WorkerConfig,
    pub(super) clock: Arc<Clock>,
    pub(super) ticker: Ticker,
    pub(super) store: Store,
    /// The first state of each level; the last level is the one being found.
    pub(super) levels: Vec<usize>,
    /// The next state to be expanded.
    pub(super) cursor: usize,
    /// How the states of the level were found, and those of the next one.
    pub(super) sleeps: Vec<SleepId>,
    pub(super) next_sleeps: Vec<SleepId>,
    pub(super) expander: Expander,
    pub(super) chunk: Chunk,
    pub(super) outboxes: Vec<States>,
    /// States that it owns, and is about to store.
    pub(super) own: Batch,
    scratch: Scratch,
    /// Cells that say which deadlocks count.
    pub(super) findings: Findings,
    bads: BTreeMap<usize, NotableState>,
    /// The states of the level that was found, in order, once they are cut.
    sorted: Vec<u32>,
    pub(super) task: Task,
    /// Number of rounds that have begun here.
    round: u64,
    /// States of a round that has not begun here.
    early: Vec<States>,
    /// Its part of the checkpoint, if one is kept.
    pub(super) keeping: Option<Keeping>,
    /// All its states, once they serve as oracle.
    served: Option<(Store, BitmapIndex)>,
    /// Number of words sent in this round.
    pub(super) sent_words: usize,
    pub(super) summary: Summary,
}

impl Worker {
    /// A worker without states. Its clock is that of this thread, and ends its expander, too.
    pub fn new(
        program: Arc<Program>,
        clock: Arc<Clock>,
        expander: Expander,
        config: WorkerConfig,
        keeping: Option<Keeping>,
    ) -> Self {
        Self {
            config,
            expander,
            chunk: Chunk::default(),
            scratch: Scratch::timed(&program, &clock),
            clock,
            ticker: Ticker::new(),
            store: Store::new(program.packing.words),
            levels: vec![0],
            cursor: 0,
            sleeps: Vec::new(),
            next_sleeps: Vec::new(),
            outboxes: vec![States::default(); config.total],
            own: Batch::default(),
            findings: Findings::new(&program),
            bads: BTreeMap::new(),
            sorted: Vec::new(),
            task: Task::Rest,
            round: 0,
            early: Vec::new(),
            keeping,
            served: None,
            sent_words: 0,
            summary: Summary::default(),
            program,
        }
    }

    /// Begins a round.
    pub fn command(&mut self, command: Command) {
        self.summary.fired.resize(self.program.transitions(), 0);
        self.sent_words = 0;
        self.round += 1;
        match command {
            Command::Begin => self.begin(),
            Command::Expand { next } => {
                if next {
                    self.keeping.iter_mut().for_each(Keeping::go_on);
                    self.next_level();
                }
                self.task = Task::Expand(Instant::now());
            }
            Command::Resume { level, members } => self.resume(level, &members),
            Command::Save => self.save(),
            Command::Count(pivot) => self.summary.count = self.count(&pivot),
            Command::Cut(pivot) => self.bads.retain(|_, worth| worth.state <= pivot),
            Command::Parents { level, targets } => {
                // Findings are to be shown, whatever the time limit of the exploration.
                self.clock = Arc::new(self.clock.lifted());
                let range = self.levels[level - 1]..self.levels[level];
                self.task = Task::Parents(Wanted::new(range, &targets, &self.program, &self.clock));
            }
            Command::Serve => self.serve(),
            Command::Ask(candidate) => {
                self.summary.answer = self.served.as_ref().map(|(store, index)| index.ask(store, &candidate));
            }
            Command::End | Command::Fail(_) => {}
        }
        for states in std::mem::take(&mut self.early) {
            self.receive(states);
        }
    }

    /// Does a piece of the commanded work; returns whether all is done. Parcels for other workers are passed to `send`.
    pub fn work(&mut self, send: &mut dyn FnMut(usize, Parcel)) -> bool {
        let done = self.summary.halt.is_some()
            || match &mut self.task {
                Task::Rest => true,
                Task::Expand(since) => {
                    let since = *since;
                    self.expand(since)
                }
                Task::Parents(wanted) => {
                    let looked = wanted.look(&self.program, &self.store, &self.clock, &mut self.ticker);
                    match looked {
                        Ok(true) => self.summary.parents = wanted.found(),
                        Ok(false) => {}
                        Err(halt) => self.summary.halt = Some(halt),
                    }
                    looked != Ok(false)
                }
            };
        for (to, outbox) in self.outboxes.iter_mut().enumerate() {
            if let Some(states) = outbox.take(self.round, done) {
                self.sent_words += states.words.len();
                self.summary.traffic.sent += states.sleeps.len() as u64;
                send(to, Parcel::States(states));
            }
        }
        if done {
            self.task = Task::Rest;
        }
        done
    }

    /// Stores states that other workers found.
    pub fn receive(&mut self, states: States) {
        if states.round > self.round {
            self.early.push(states);
            return;
        }
        self.own.clear();
        for (state, sleep) in states.words.chunks_exact(self.program.packing.words).zip(&states.sleeps) {
            self.own.add(state, hash(state), *sleep);
        }
        let new = self.insert_own();
        self.summary.traffic.known += (states.sleeps.len() - new) as u64;
    }

    /// The summary at the end of a round.
    pub fn summary(&mut self) -> Summary {
        let found = self.levels.last().map_or(0, |first| self.store.len() - first);
        self.summary.deadlocks.add(Deadlocks::default());
        Summary {
            worker: self.config.me,
            rest: self.level().end - self.cursor,
            found,
            states: self.store.len(),
            numbers: self.scratch.numbers || self.summary.numbers,
            bads: self.bads.clone(),
            halt: self.summary.halt,
            ..std::mem::take(&mut self.summary)
        }
    }

    /// The states that are to be expanded.
    pub fn level(&self) -> Range<usize> {
        match self.levels.as_slice() {
            [.., first, next] => *first..*next,
            _ => 0..0,
        }
    }

    /// Makes all its states available for queries.
    fn serve(&mut self) {
        let words = self.program.packing.words;
        let store = std::mem::replace(&mut self.store, Store::new(words));
        let states = store.len();
        self.served = Some((store, BitmapIndex::new(&self.program, 0..states)));
        (self.levels, self.cursor) = (vec![0], 0);
    }

    /// The last level of a checkpoint that counts, as far as this worker knows.
    pub fn kept(&self) -> Option<usize> {
        self.keeping.as_ref().and_then(|it| it.counts)
    }

    fn begin(&mut self) {
        if let Some(Err(StorageError(why))) = self.keeping.as_mut().map(Keeping::begin) {
            self.summary.fault = Some(why);
            return;
        }
        let program = Arc::clone(&self.program);
        let clock = Arc::clone(&self.clock);
        let done = program.initial_states(&clock, &mut |state| {
            let tried = program.symmetry.canonicalize(&program.cells, &program.packing, state);
            let h = hash(state);
            if owner(h, self.config.total) == self.config.me {
                self.meet(state, h, AWAKE);
            }
            if let Some(stop) = self.ticker.count(1 + tried, &self.clock) {
                self.summary.halt = Some(stop);
            }
            self.summary.halt.is_some()
        });
        match done {
            Ok(numbers) => self.summary.numbers |= numbers,
            Err(why) => self.summary.halt = Some(why.into()),
        }
    }

    fn next_level(&mut self) {
        self.cursor = *self.levels.last().expect("there is one that is being found");
        self.levels.push(self.store.len());
        std::mem::swap(&mut self.sleeps, &mut self.next_sleeps);
        self.next_sleeps.clear();
        self.bads.clear();
    }

    /// Stores the states in `own`; returns how many were new.
    pub fn insert_own(&mut self) -> usize {
        let own = std::mem::take(&mut self.own);
        let (words, before) = (self.program.packing.words, self.store.len());
        for (group, hashes) in own.hashes.chunks(TOUCH_GROUP).enumerate() {
            self.store.touch(hashes);
            for (h, at) in hashes.iter().zip(group * TOUCH_GROUP..) {
                self.meet(own.state(at, words), *h, own.sleep[at]);
            }
        }
        self.own = own;
        self.store.len() - before
    }

    /// Stores a state, unless it is known or the store is full.
    #[inline]
    fn meet(&mut self, state: &[u64], h: u64, sleep: SleepId) {
        let full = self.store.len() >= MAX_STATES
            || self.store.len().is_multiple_of(1 << 10) && self.store.bytes() > self.config.memory;
        if full {
            self.summary.halt.get_or_insert(Stop::Memory);
            return;
        }
        match self.store.insert(state, h) {
            Inserted::New(_) => {
                self.next_sleeps.push(sleep);
                let (level, one) = (self.levels.len() - 1, self.config.stop_at_unsafe);
                for (bad, refined) in self.program.bads(state, &mut self.scratch, one, &|_| false) {
                    note_bad(&mut self.bads, bad, NotableState { level, state: state.to_vec(), refined });
                }
            }
            Inserted::Old(number) => {
                let first = *self.levels.last().expect("there is one that is being found");
                if number >= first {
                    let found = &mut self.next_sleeps[number - first];
                    *found = sleep.min(*found);
                }
            }
        }
    }

    /// Records that a state that was expanded is deadlocked.
    #[cold]
    pub fn deadlock(&mut self, number: usize, refined: Vec<u64>) {
        let (level, state) = (self.levels.len() - 2, self.store.state(number).to_vec());
        let outside = self.findings.is_outside(&self.program, &refined);
        let known = &mut self.summary.deadlocks;
        known.states += 1;
        known.outside += usize::from(outside);
        let kept = if outside { &mut known.first_outside } else { &mut known.first };
        kept.push(NotableState { level, state, refined });
        if kept.len() >= 16 * MAX_DEADLOCK_TRACES {
            known.add(Deadlocks::default());
        }
    }

    /// The number of states of the level that was found that do not exceed this one.
    fn count(&mut self, pivot: &[u64]) -> usize {
        let first = *self.levels.last().expect("there is one that is being found");
        if self.sorted.is_empty() {
            self.sorted = (first as u32..self.store.len() as u32).collect();
            let store = &self.store;
            self.sorted.sort_unstable_by(|a, b| store.state(*a as usize).cmp(store.state(*b as usize)));
        }
        self.sorted.partition_point(|number| self.store.state(*number as usize) <= pivot)
    }
}
