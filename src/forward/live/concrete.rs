//! From stored states to a run that the reference semantics executes.

use crate::live::arrows::{Arrow, STUTTER};
use crate::live::graph::RunGraph;
use crate::live::moves::{self, STAY, Turn, then};
use crate::program::Program;
use crate::run::{RealStep, real_instance, states};
use crate::symmetry::refinement::rename;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::Lasso;
use cubicle_run::Trace;

/// The most rounds of a loop until it returns to the exact state where it began: values without a name may
/// have changed places.
const ROUNDS: usize = 6;

/// The run that begins in the state `first` and takes these steps. States and steps use the names of the first state,
/// however they are stored. `None` when a count leaves the 64-bit range.
pub fn run(
    (system, program, graph): (&System, &Program, &RunGraph),
    first: u32,
    way: &[Arrow],
    back: Option<usize>,
) -> Option<Trace> {
    let codes = |state: u32, names: &Turn| {
        let mut codes = Vec::new();
        program.packing.unpack(graph.store.state(state as usize), &mut codes);
        if *names == STAY {
            return codes;
        }
        let mut renamed = Vec::new();
        rename(&program.cells, names, &codes, &mut renamed);
        renamed
    };
    let mut steps = Vec::with_capacity(way.len());
    // What the names in the stored state stand for.
    let (mut at, mut names) = (first, STAY);
    for arrow in way {
        let taken = graph.moves.list[arrow.label as usize].instance as usize;
        let named = if names == STAY { Some(taken) } else { real_instance(program, taken, &names) };
        let instance = named.expect("what can be taken can be taken under other names");
        steps.push(RealStep { instance, before: codes(at, &names) });
        at = arrow.to;
        names = then(&moves::back(graph.moves.turn(arrow.label)), &names);
    }
    let (initial, steps) = states(system, program, &steps, codes(at, &names), back)?;
    Some(Trace { initial, steps, bad: None })
}

/// After how many rounds of a cycle each name has its original meaning again.
fn rounds(graph: &RunGraph, cycle: &[Arrow]) -> usize {
    let turn = cycle.iter().fold(STAY, |turn, arrow| then(&turn, graph.moves.turn(arrow.label)));
    let (mut rounds, mut all) = (1, turn);
    while all != STAY {
        all = then(&all, &turn);
        rounds += 1;
    }
    rounds
}

/// The lasso with this stem and this cycle that `accepts` confirms, if there is any.
pub fn lasso(
    (system, program, graph): (&System, &Program, &RunGraph),
    (first, stem): (u32, &[Arrow]),
    cycle: &[Arrow],
    accept: &mut dyn FnMut(&Lasso) -> bool,
) -> Option<Lasso> {
    let end = stem.iter().position(|arrow| arrow.label == STUTTER);
    if end.is_some() || cycle.iter().any(|arrow| arrow.label == STUTTER) {
        let stem = &stem[..end.unwrap_or(stem.len())];
        let lasso = Lasso { run: run((system, program, graph), first, stem, None)?, back: None };
        return accept(&lasso).then_some(lasso);
    }
    let mut way = stem.to_vec();
    let once = cycle.repeat(rounds(graph, cycle));
    (0..ROUNDS).find_map(|_| {
        way.extend(&once);
        let back = Some(stem.len());
        let lasso = Lasso { run: run((system, program, graph), first, &way, back)?, back };
        accept(&lasso).then_some(lasso)
    })
}
