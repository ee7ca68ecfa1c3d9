//! How the graph of an instance is built: level by level, or by walks.

use std::ops::Range;
use std::sync::Arc;

use crate::clock::begin_to_help;
use crate::error::Unbuildable;
use crate::limits::Limits;
use crate::live::graph::{Expanded, Expander, RunGraph};
use crate::live::walks::Walks;
use crate::program::Program;
use crate::run::{Level, Levels, Pipeline, breadth_first};
use crate::tuning::{CHUNKS_AHEAD, RUN_CHUNK_STATES, RUN_SHARED_STATES, TOUCH_GROUP};
use cubicle_run::workers::WorkerPool;
use cubicle_run::{ForwardOptions, Stop, Strategy};
use tracing::debug;

/// The states and steps of an instance, as far as the limits allow.
pub fn explore(program: &Program, options: &ForwardOptions, limits: Limits) -> Result<RunGraph, Unbuildable> {
    let (most, clock) = (limits.max_states, Arc::clone(&limits.clock));
    let mut graph = RunGraph::begin(program, limits)?;
    let fails = |id| Some(program.system.transition(id).origin) == program.system.failures;
    let optional: Vec<bool> = program.instances.iter().map(|it| fails(it.transition)).collect();
    let expander = || Expander::new(program, &optional, most, &clock);
    let guided = options.strategy == Strategy::Cfl;
    // Only a search by levels knows the depth of a state.
    if options.depth.is_none() && (guided || options.strategy == Strategy::Random) {
        let walks = Walks::new(program, &mut graph, expander(), options.seed, guided)?;
        let order = walks.explore(options.epochs);
        graph.arrange(&order);
    } else {
        let workers = WorkerPool::new(options.jobs, begin_to_help);
        let states = 0..graph.tree.store.len();
        let (graph, own) = (&mut graph, expander());
        let pipeline = Pipeline::new(options.jobs * CHUNKS_AHEAD);
        let mut levels = GraphLevels { graph, options, workers, expander, own, pipeline };
        breadth_first(&mut levels, Level { states, ..Level::default() });
    }
    graph.end();
    Ok(graph)
}

/// A graph that is built level by level. It does not depend on the number of threads.
struct GraphLevels<'s, 'a, E> {
    graph: &'s mut RunGraph,
    options: &'s ForwardOptions,
    workers: WorkerPool,
    /// Makes an expander for a helper.
    expander: E,
    own: Expander<'a>,
    pipeline: Pipeline<Piece>,
}

#[derive(Default)]
struct Piece {
    range: Range<usize>,
    states: Vec<u64>,
    steps: Expanded,
}

impl<'a, E: Fn() -> Expander<'a> + Sync> Levels for GraphLevels<'_, 'a, E> {
    fn found(&self) -> usize {
        self.graph.tree.store.len()
    }

    fn tick(&mut self) -> bool {
        self.graph.limits.stop.is_none()
    }

    fn begin_level(&mut self, level: &Level) -> bool {
        debug!(level = level.depth, states = level.states.end, "level of runs");
        true
    }

    /// Takes the steps from some states, and stores the successors in order.
    fn expand(&mut self, level: &Level, first: usize) -> Option<usize> {
        let Self { graph, options, workers, expander, own, pipeline } = self;
        if options.depth.is_some_and(|most| level.depth >= most) {
            graph.limits.stop = Some(Stop::Depth);
            return None;
        }
        graph.limits.look();
        let end = level.states.end;
        let (helped, mut lead) = pipeline.lead();
        let mut take_all = move || {
            let mut cursor = first;
            loop {
                while cursor < end && lead.has_room() {
                    let range = cursor..end.min(cursor + RUN_CHUNK_STATES);
                    cursor = range.end;
                    lead.hand_out(|piece| {
                        piece.states.clear();
                        piece.states.extend_from_slice(graph.tree.store.states(range.clone()));
                        piece.range = range;
                    });
                }
                let piece = lead.next(|piece| own.expand(&piece.states, &mut piece.steps));
                let Some(piece) = piece else { return Some(end) };
                graph.merge(piece.range.clone(), &piece.steps)?;
            }
        };
        if end - first < RUN_SHARED_STATES {
            return take_all();
        }
        let help = || {
            let mut expander = expander();
            helped.help(|piece| expander.expand(&piece.states, &mut piece.steps));
        };
        workers.lead(help, take_all)
    }
}

impl RunGraph {
    /// Stores the successors of consecutive states in order; `None` when the exploration ends there.
    fn merge(&mut self, states: Range<usize>, steps: &Expanded) -> Option<()> {
        let mut touched = 0;
        for (at, state) in states.enumerate() {
            if self.limits.stop.is_some() {
                return None;
            }
            while touched < steps.ends[at].0 {
                let ahead = steps.hashes.len().min(touched + TOUCH_GROUP);
                self.tree.store.touch(&steps.hashes[touched..ahead]);
                touched = ahead;
            }
            self.merge_expanded(state, steps, at);
            if self.limits.tick() {
                self.check_memory(state);
            }
        }
        Some(())
    }
}
