//! A running exhaustive search: how initial states and the successors of a chunk reach its store, and how it ends.

use std::ops::Range;
use std::sync::Arc;

use crate::checkpoint::SearchKeeper;
use crate::clock::begin_to_help;
use crate::error::{StorageError, Unbuildable};
use crate::exhaustive::expand::{Chunk, Expander};
use crate::limits::Limits;
use crate::program::{Scratch, SleepId};
use crate::run::{Curve, Findings, Pipeline, Problem, Tally, add_counts};
use crate::store::{Intake, ROOT, Visited};
use crate::tuning::{CHUNK_STATES, CHUNKS_AHEAD, MOST_HELPED};
use cubicle_run::workers::WorkerPool;
use cubicle_run::{Event, Exploration, Observer, Stop, StoreKind, Strategy};

pub struct Search<'a> {
    pub problem: Problem<'a>,
    pub limits: Limits,
    pub visited: Visited,
    pub tally: Tally<'a>,
    /// Largest depth of a state.
    pub depth: usize,
    /// States by depth; empty but for breadth-first search.
    pub curve: Curve,
    /// The threads, and where they meet.
    pub workers: Arc<WorkerPool>,
    pub pipeline: Pipeline<Piece>,
    /// Writes the checkpoint, if one is kept.
    pub keeper: Option<SearchKeeper>,
    /// The file error that ended the search.
    fault: Option<StorageError>,
    /// Since when successors wait to be compared with the states.
    pending: Option<Pending>,
}

/// States to expand, and their successors.
#[derive(Debug, Default)]
pub struct Piece {
    pub range: Range<usize>,
    /// The states, one after the other.
    pub states: Vec<u64>,
    /// How they were found.
    pub sleeps: Vec<SleepId>,
    pub chunk: Chunk,
}

/// The point since which successors wait to be compared with the states.
#[derive(Debug)]
struct Pending {
    /// The first state whose successors wait.
    first: usize,
    /// How often transitions had fired before it was expanded, and what was found.
    fired: Vec<u64>,
    findings: Findings,
}

impl<'a> Search<'a> {
    pub fn within(problem: Problem<'a>, limits: Limits) -> Self {
        let Problem { program, options, .. } = problem;
        let store = if options.strategy == Strategy::Bfs { options.store } else { StoreKind::Table };
        Self {
            problem,
            visited: Visited::new(program, store),
            tally: Tally::new(problem, &limits),
            limits,
            depth: 0,
            curve: Curve::default(),
            workers: Arc::new(WorkerPool::new(options.jobs, begin_to_help)),
            pipeline: Pipeline::new(options.jobs.min(MOST_HELPED) * CHUNKS_AHEAD),
            keeper: None,
            fault: None,
            pending: None,
        }
    }

    /// Runs the strategy that the options name.
    pub fn run(&mut self, observer: &mut dyn Observer) -> Result<Exploration, Unbuildable> {
        let complete = match self.problem.options.strategy {
            Strategy::Dfs => self.dfs(observer)?,
            _ => self.bfs(observer)?,
        };
        Ok(self.exploration(complete))
    }

    /// The exploration without its findings; `complete` says whether it expanded everything within its bounds.
    fn exploration(&mut self, complete: bool) -> Exploration {
        let missed = self.visited.missed();
        let stop = match self.limits.stop {
            Some(stop) => stop,
            None if self.tally.numbers => Stop::Numbers,
            None if complete && missed.is_some() => Stop::Bitstate,
            None if complete => Stop::Complete,
            None => Stop::Depth,
        };
        let (depth, curve) = (self.depth, self.curve.levels(self.depth, self.visited.len()));
        let (fired, fault) = (std::mem::take(&mut self.tally.fired), self.fault.take().map(|why| why.0));
        let course = self.problem.exploration(self.visited.len(), stop);
        Exploration { fault, missed, depth, fired, curve, ..course }
    }

    /// The store, and what it may ask.
    pub fn intake(&mut self) -> (&mut Visited, Intake<'_>) {
        let Self { problem, limits, visited, tally, .. } = self;
        (visited, Intake { program: problem.program, limits, examiner: tally })
    }

    /// Ends the search after a file error.
    #[cold]
    pub fn fail(&mut self, why: StorageError) {
        self.fault = Some(why);
        self.limits.stop = Some(Stop::Storage);
    }

    /// Stores the initial states.
    pub fn seed(&mut self) -> Result<(), Unbuildable> {
        let program = self.problem.program;
        let clock = Arc::clone(&self.limits.clock);
        let numbers = program.initial_states(&clock, &mut |state| {
            let tried = program.symmetry.canonicalize(&program.cells, &program.packing, state);
            if self.limits.count(1 + tried) {
                let (visited, mut intake) = self.intake();
                if let Err(why) = visited.add_root(state, &mut intake) {
                    self.fail(why);
                }
            }
            self.limits.stop.is_some()
        })?;
        let (visited, mut intake) = self.intake();
        if let Err(why) = visited.end_roots(&mut intake) {
            self.fail(why);
        }
        self.tally.numbers |= numbers;
        Ok(())
    }

    /// Makes an expander for each thread.
    pub fn expanders(&self) -> impl Fn() -> Expander + Sync + use<'a> {
        let Problem { program, options, .. } = self.problem;
        let (deadlock, widest) = (options.deadlock, widest(&self.limits));
        let clock = Arc::clone(&self.limits.clock);
        move || Expander::new(program, Arc::clone(&clock), deadlock, widest, false)
    }

    /// Stores the successors of a chunk, in order, until a limit or a finding ends the search.
    pub fn merge_chunk(&mut self, chunk: &Chunk) {
        if chunk.aborted {
            self.limits.look();
            return;
        }
        let (visited, mut intake) = self.intake();
        match visited.merge(&chunk.successors, &mut intake) {
            Err(why) => self.fail(why),
            Ok(Some(at)) => {
                self.wait_from(chunk.successors.of.start);
                let (batch, words) = (&chunk.successors.batch, self.problem.program.packing.words);
                // Its states are in memory.
                let counted = self.count_until(batch.state(at, words), chunk.successors.parents()(at));
                counted.unwrap_or_else(|why| self.fail(why));
            }
            Ok(None) => {
                if !self.visited.is_deduplicated() && self.pending.is_none() {
                    self.wait_from(chunk.successors.of.start);
                }
                add_counts(&mut self.tally.fired, &chunk.fired);
                self.tally.deadlocks(&chunk.deadlocks);
                self.tally.numbers |= chunk.numbers;
                if chunk.wide {
                    self.limits.stop = Some(Stop::Wide);
                }
            }
        }
    }

    /// Compares waiting successors with the states: the level has been expanded, or will not be finished.
    pub fn deduplicate(&mut self) {
        let (visited, mut intake) = self.intake();
        let settled = visited.deduplicate(&mut intake).and_then(|last| match last {
            None => Ok(()),
            Some((state, parent)) => self.count_until(&state, parent),
        });
        if let Err(why) = settled {
            self.fail(why);
        }
        self.pending = None;
    }

    /// Successors of this state and those after it wait from now on, or the search ends among them.
    fn wait_from(&mut self, first: usize) {
        let (fired, findings) = (self.tally.fired.clone(), self.tally.findings.clone());
        self.pending = Some(Pending { first, fired, findings });
    }

    /// The search ends with the first step to `last`, which comes from state number `parent`: later steps do not count, so that those from
    /// pending states are repeated.
    #[cold]
    fn count_until(&mut self, last: &[u64], parent: u32) -> Result<(), StorageError> {
        let Some(Pending { first, fired, mut findings }) = self.pending.take() else { return Ok(()) };
        if parent == ROOT {
            return Ok(());
        }
        let parent = parent as usize;
        let Self { problem: Problem { program, options, .. }, limits, visited, tally, .. } = self;
        tally.fired = fired;
        // Deadlocks found since then do not count.
        findings.bad_states = std::mem::take(&mut tally.findings.bad_states);
        tally.findings = findings;
        let (mut scratch, mut buffer, mut at) = (Scratch::new(program), Vec::new(), first);
        while at <= parent {
            let range = at..visited.load(at..parent + 1)?.min(at + CHUNK_STATES);
            // The steps of one chunk are always counted.
            if at > first && limits.clock.expired() {
                return Ok(());
            }
            at = range.end;
            let states = visited.states(range.clone(), &mut buffer).chunks_exact(program.packing.words);
            for ((number, state), sleep) in range.clone().zip(states).zip(visited.sleeps(range)) {
                let asleep = program.asleep(*sleep);
                let live = program.successors_but(state, asleep, &mut scratch, |i, next| {
                    let fired = &mut tally.fired[usize::from(program.instances[i].transition.0)];
                    *fired = fired.saturating_add(1);
                    number == parent && {
                        program.symmetry.canonicalize(&program.cells, &program.packing, next);
                        next == last
                    }
                });
                if options.deadlock
                    && number < parent
                    && !live
                    && let Some(refined) = program.deadlock(state, &mut scratch)
                {
                    tally.deadlocks(&[(number, refined)]);
                }
            }
        }
        Ok(())
    }

    /// Reports progress now and then.
    pub fn report(&mut self, expanded: usize, observer: &mut dyn Observer) {
        if self.limits.report_due() {
            let states = self.visited.len();
            let (queued, depth) = (states - expanded, Some(self.depth));
            let event = Event::ForwardProgress { states, queued, depth };
            observer.event(&self.problem.program.system, event);
        }
    }
}

/// Steps from one state beyond which a search gives up: undefined cells can be read in too many ways to
/// enumerate.
pub fn widest(limits: &Limits) -> usize {
    limits.max_states.saturating_mul(8).clamp(1 << 16, 1 << 18)
}
