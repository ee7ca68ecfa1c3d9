//! From states as they are stored to a run that the reference semantics executes.

use crate::forward::live::arrows::{Arrow, STUTTER};
use crate::forward::live::graph::RunGraph;
use crate::forward::program::compiled::Program;
use crate::forward::run::trace::{LabelledStep, labelled};
use crate::model::semantics::{Lasso, State};
use crate::verdict::Trace;

/// How often a loop is gone round at most until it comes back to the very state where it began: values without a name may
/// have changed places.
const ROUNDS: usize = 6;

/// The run that begins in the state `first` and takes these steps.
pub fn run(program: &Program, graph: &RunGraph, first: u32, way: &[Arrow], back: Option<usize>) -> Trace {
    let codes = |state: u32| {
        let mut codes = Vec::new();
        program.packing.unpack(graph.store.state(state as usize), &mut codes);
        codes
    };
    let mut steps = Vec::with_capacity(way.len());
    let mut at = first;
    for arrow in way {
        steps.push(LabelledStep { instance: arrow.label as usize, before: codes(at) });
        at = arrow.to;
    }
    let (initial, steps) = labelled(program, &steps, codes(at), back);
    let procs = program.cells.procs;
    Trace { initial: State { procs, values: initial }, steps, bad: None }
}

/// The lasso with this stem and this cycle that `accept`s says is one, if there is any.
pub fn lasso(
    (program, graph): (&Program, &RunGraph),
    (first, stem): (u32, &[Arrow]),
    cycle: &[Arrow],
    accept: &mut dyn FnMut(&Lasso) -> bool,
) -> Option<Lasso> {
    let end = stem.iter().position(|arrow| arrow.label == STUTTER);
    if end.is_some() || cycle.iter().any(|arrow| arrow.label == STUTTER) {
        let stem = &stem[..end.unwrap_or(stem.len())];
        let lasso = Lasso { run: run(program, graph, first, stem, None), back: None };
        return accept(&lasso).then_some(lasso);
    }
    let mut way = stem.to_vec();
    (0..ROUNDS).find_map(|_| {
        way.extend(cycle);
        let back = Some(stem.len());
        let lasso = Lasso { run: run(program, graph, first, &way, back), back };
        accept(&lasso).then_some(lasso)
    })
}
