//! How the graph of an instance is built: level by level, or by walks.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::clock::begin_to_help;
use crate::error::Unbuildable;
use crate::limits::Limits;
use crate::live::expand::{Expanded, Expander};
use crate::live::graph::RunGraph;
use crate::live::walks::Walks;
use crate::program::compiled::Program;
use crate::run::levels::{Level, Levels, breadth_first};
use crate::tuning::{RUN_CHUNK_STATES, RUN_ROUND_STATES, RUN_SHARED_CHUNKS, TOUCH_GROUP};
use cubicle_lang::model::System;
use cubicle_run::options::{ForwardOptions, Strategy};
use cubicle_run::result::Stop;
use cubicle_run::workers::WorkerPool;
use tracing::debug;

/// The states and steps of an instance, as far as the limits allow.
pub fn explore(
    system: &System,
    program: &Program,
    options: &ForwardOptions,
    mut limits: Limits,
) -> Result<RunGraph, Unbuildable> {
    let (mut graph, mut numbers) = RunGraph::begin(program, &mut limits)?;
    let fails = |id| Some(system.transition(id).origin) == system.failures;
    let optional: Vec<bool> = program.instances.iter().map(|it| fails(it.transition)).collect();
    let most = limits.max_states;
    let clock = Arc::clone(&limits.clock);
    let expander = || Expander::new(program, &optional, most, &clock);
    let guided = options.strategy == Strategy::Cfl;
    // Only a search by levels knows the depth of a state.
    if options.depth.is_none() && (guided || options.strategy == Strategy::Random) {
        let walks = Walks::new(system, program, options.seed, guided)?;
        let (order, left) = walks.explore(&mut graph, expander(), options, &mut limits);
        numbers |= left;
        graph.arrange(&order);
    } else {
        let workers = WorkerPool::new(options.jobs, begin_to_help);
        let states = 0..graph.store.len();
        let (graph, limits) = (&mut graph, &mut limits);
        let own = expander();
        let round = Round::new(program.packing.words);
        let mut levels = GraphLevels { graph, limits, options, workers, expander, own, round, numbers };
        breadth_first(&mut levels, Level { states, ..Level::default() });
        numbers = levels.numbers;
    }
    graph.end(&limits, numbers);
    Ok(graph)
}

/// A graph that is built level by level. It does not depend on the number of threads.
struct GraphLevels<'s, 'a, E> {
    graph: &'s mut RunGraph,
    limits: &'s mut Limits,
    options: &'s ForwardOptions,
    workers: WorkerPool,
    /// Makes an expander for a helper.
    expander: E,
    own: Expander<'a>,
    round: Round,
    /// Whether a number left its range.
    numbers: bool,
}

/// Some states in chunks, which threads expand while the one that leads stores the successors of earlier chunks.
struct Round {
    /// Words of a state.
    words: usize,
    states: Vec<u64>,
    /// For each chunk: its steps, once they are known.
    chunks: Vec<Mutex<(bool, Expanded)>>,
    /// The first chunk that no thread has begun.
    next: AtomicUsize,
}

impl Round {
    fn new(words: usize) -> Self {
        Self { words, states: Vec::new(), chunks: Vec::new(), next: AtomicUsize::new(0) }
    }

    /// Begins with these states; returns the number of chunks.
    fn begin(&mut self, states: &[u64]) -> usize {
        self.states.clear();
        self.states.extend_from_slice(states);
        let count = states.len().div_ceil(RUN_CHUNK_STATES * self.words);
        self.chunks.resize_with(count.max(self.chunks.len()), Mutex::default);
        for chunk in &mut self.chunks {
            chunk.get_mut().unwrap_or_else(PoisonError::into_inner).0 = false;
        }
        *self.next.get_mut() = 0;
        count
    }

    /// The steps of a chunk, which no other thread has begun or which is finished before this returns.
    fn chunk(&self, at: usize, expander: &mut Expander<'_>) -> MutexGuard<'_, (bool, Expanded)> {
        let mut chunk = self.chunks[at].lock().unwrap_or_else(PoisonError::into_inner);
        let (is_done, steps) = &mut *chunk;
        if !*is_done {
            let size = RUN_CHUNK_STATES * self.words;
            expander.expand(&self.states[at * size..self.states.len().min((at + 1) * size)], steps);
            *is_done = true;
        }
        chunk
    }

    /// Expands the next chunk that no thread has begun; false when there is none.
    fn help(&self, expander: &mut Expander<'_>) -> bool {
        let at = self.next.fetch_add(1, Ordering::Relaxed);
        if at * RUN_CHUNK_STATES * self.words >= self.states.len() {
            return false;
        }
        drop(self.chunk(at, expander));
        true
    }

    /// No thread begins another chunk.
    fn end(&self) {
        self.next.store(self.chunks.len(), Ordering::Relaxed);
    }

    /// Like [`chunk`](Self::chunk), for the thread that leads: while another one expands it, others are begun.
    fn wait(&self, at: usize, expander: &mut Expander<'_>) -> MutexGuard<'_, (bool, Expanded)> {
        self.next.fetch_max(at + 1, Ordering::Relaxed);
        while self.chunks[at].try_lock().is_err() {
            if !self.help(expander) {
                break;
            }
        }
        self.chunk(at, expander)
    }
}

impl<'a, E: Fn() -> Expander<'a> + Sync> Levels for GraphLevels<'_, 'a, E> {
    fn found(&self) -> usize {
        self.graph.store.len()
    }

    fn tick(&mut self) -> bool {
        self.limits.stop.is_none()
    }

    fn begin_level(&mut self, level: &Level) -> bool {
        debug!(level = level.depth, states = level.states.end, "level of runs");
        true
    }

    /// Takes the steps from some states, and stores the successors in order.
    fn expand(&mut self, level: &Level, first: usize) -> Option<usize> {
        let Self { graph, limits, options, workers, expander, own, round, numbers } = self;
        if options.depth.is_some_and(|most| level.depth >= most) {
            limits.stop = Some(Stop::Depth);
            return None;
        }
        limits.look();
        let end = level.states.end.min(first + RUN_ROUND_STATES);
        let count = round.begin(graph.store.states(first..end));
        let round = &*round;
        let mut lead = || {
            for at in 0..count {
                let from = first + at * RUN_CHUNK_STATES;
                let chunk = round.wait(at, own);
                merge(graph, from..end.min(from + RUN_CHUNK_STATES), &chunk.1, limits, numbers)?;
            }
            Some(end)
        };
        if count < RUN_SHARED_CHUNKS {
            return lead();
        }
        let help = || {
            begin_to_help();
            let mut expander = expander();
            while round.help(&mut expander) {}
        };
        workers.lead(help, || {
            let reached = lead();
            round.end();
            reached
        })
    }
}

/// Stores the successors of consecutive states in order; `None` when the exploration ends there.
fn merge(
    graph: &mut RunGraph,
    states: Range<usize>,
    steps: &Expanded,
    limits: &mut Limits,
    numbers: &mut bool,
) -> Option<()> {
    let mut touched = 0;
    for (at, state) in states.enumerate() {
        if limits.stop.is_some() {
            return None;
        }
        while touched < steps.ends[at].0 {
            let ahead = steps.hashes.len().min(touched + TOUCH_GROUP);
            graph.store.touch(&steps.hashes[touched..ahead]);
            touched = ahead;
        }
        *numbers |= steps.ends[at].1.numbers;
        graph.merge_expanded(state, steps, at, limits);
        if limits.tick() && state % 1024 == 0 {
            limits.check_memory(graph.bytes());
        }
    }
    Some(())
}
