//! How the graph of an instance is built: level by level, or by walks.

use std::ops::Range;
use std::sync::Arc;

use crate::clock::begin_to_help;
use crate::error::Unbuildable;
use crate::limits::Limits;
use crate::live::expand::{Expanded, Expander};
use crate::live::graph::RunGraph;
use crate::live::walks::Walks;
use crate::program::compiled::Program;
use crate::run::levels::{Level, Levels, breadth_first};
use crate::tuning::{RUN_CHUNK_STATES, RUN_ROUND_STATES, TOUCH_GROUP};
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
        let mut levels =
            GraphLevels { graph, limits, options, workers, expander, buffers: Vec::new(), numbers };
        breadth_first(&mut levels, Level { states, ..Level::default() });
        numbers = levels.numbers;
    }
    graph.end(&limits, numbers);
    Ok(graph)
}

/// A graph that is built level by level. It does not depend on the number of threads.
struct GraphLevels<'s, E> {
    graph: &'s mut RunGraph,
    limits: &'s mut Limits,
    options: &'s ForwardOptions,
    workers: WorkerPool,
    /// Makes an expander for a thread.
    expander: E,
    /// Reused in each round.
    buffers: Vec<Expanded>,
    /// Whether a number left its range.
    numbers: bool,
}

impl<'a, E: Fn() -> Expander<'a> + Sync> Levels for GraphLevels<'_, E> {
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

    /// Takes the steps from some states, each thread its share, and then stores the successors in order.
    fn expand(&mut self, level: &Level, first: usize) -> Option<usize> {
        let Self { graph, limits, options, workers, expander, buffers, numbers } = self;
        if options.depth.is_some_and(|most| level.depth >= most) {
            limits.stop = Some(Stop::Depth);
            return None;
        }
        limits.look();
        let end = level.states.end.min(first + RUN_ROUND_STATES);
        let chunks: Vec<Range<usize>> =
            (first..end).step_by(RUN_CHUNK_STATES).map(|at| at..end.min(at + RUN_CHUNK_STATES)).collect();
        buffers.resize_with(chunks.len().max(buffers.len()), Expanded::default);
        let store = &graph.store;
        let work: Vec<_> = chunks.iter().cloned().zip(buffers.iter_mut()).collect();
        workers.share_with(work, &*expander, |expander, _, (chunk, buffer)| {
            expander.expand(store.states(chunk), buffer);
        });
        for (chunk, buffer) in chunks.into_iter().zip(buffers.iter()) {
            let mut touched = 0;
            for (at, state) in chunk.enumerate() {
                if limits.stop.is_some() {
                    return None;
                }
                while touched < buffer.ends[at].0 {
                    let ahead = buffer.hashes.len().min(touched + TOUCH_GROUP);
                    graph.store.touch(&buffer.hashes[touched..ahead]);
                    touched = ahead;
                }
                *numbers |= buffer.ends[at].1.numbers;
                graph.merge_expanded(state, buffer, at, limits);
                if limits.tick() && state % 1024 == 0 {
                    limits.check_memory(graph.bytes());
                }
            }
        }
        Some(end)
    }
}
