//! From the history of a node that meets init to a concrete run.

use std::time::Duration;

use super::node::{History, NodeId, Nodes, Origin};
use super::slot::Shape;
use crate::interrupt::Interrupted;
use crate::model::System;
use crate::smt::{self, Formula, Target, Unrolled};

/// Larger instances than the history names are tried up to this many more processes.
const MORE_PROCESSES: usize = 1;

/// Looks for a run that follows the transitions of a node's history: first with its own arguments, then
/// with any, on instances of other sizes too.
pub fn replay(
    system: &System,
    shape: &Shape,
    nodes: &Nodes,
    id: NodeId,
    timeout: Duration,
) -> Result<Unrolled, Interrupted> {
    let interrupt = &shape.interrupt;
    let history = nodes.history(id);
    let root = nodes.get(history.root);
    // The root's literals speak of its processes by their own names, which the history knows.
    let formula = Formula::All(super::export::formulas(shape, &root.cube));
    let width = usize::from(root.cube.procs);
    let (bad, least) = match root.origin {
        Origin::Bad(k) => (Some(k), usize::from(system.bad[k].params)),
        Origin::Candidate(_) | Origin::Step { .. } => (None, width),
    };
    let target = bad.map_or_else(|| Target::Formula(formula.clone(), width), Target::Bad);
    let named = smt::Candidate {
        procs: history.procs,
        steps: history.steps.iter().map(|(t, args)| (*t, Some(args.clone()))).collect(),
        target: Target::Named(formula, history.root_names.clone(), bad),
    };
    let mut unknown = match smt::unroll(system, &named, timeout, interrupt)? {
        Unrolled::None => None,
        Unrolled::Unknown(why) => Some(why),
        run @ Unrolled::Run(_) => return Ok(run),
    };
    let arity = history.steps.iter().map(|(t, _)| system.transition(*t).arity()).max().unwrap_or(0);
    let from = least.max(arity).max(usize::from(system.proc_constants));
    for procs in sizes(&history, from) {
        let free = smt::Candidate {
            procs,
            steps: history.steps.iter().map(|(t, _)| (*t, None)).collect(),
            target: target.clone(),
        };
        match smt::unroll(system, &free, timeout, interrupt)? {
            Unrolled::None => {}
            Unrolled::Unknown(why) => unknown = Some(why),
            run @ Unrolled::Run(_) => return Ok(run),
        }
    }
    Ok(unknown.map_or(Unrolled::None, Unrolled::Unknown))
}

fn sizes(history: &History, from: usize) -> std::ops::RangeInclusive<usize> {
    from..=(history.procs + MORE_PROCESSES)
}
