//! How the graph of an instance is built: level by level, or by walks.

use std::sync::Arc;

use crate::error::Unbuildable;
use crate::live::expand::Expander;
use crate::live::graph::RunGraph;
use crate::live::walks::Walks;
use crate::program::compiled::Program;
use crate::run::limits::Limits;
use cubicle_lang::model::System;
use cubicle_run::options::{ForwardOptions, Strategy};

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
        numbers |= graph.breadth_first(expander, options, &mut limits);
    }
    graph.end(&limits, numbers);
    Ok(graph)
}
