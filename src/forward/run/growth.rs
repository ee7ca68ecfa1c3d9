//! Numbers that grow on the way to the last state of an incomplete exploration.

use crate::program::{Program, Scratch};
use crate::run::trace::repeat;
use crate::state::{CodeKind, UNDEF};
use crate::store::{StateTree, way};
use cubicle_lang::model::semantics::Value;
use cubicle_lang::model::{Rational, VarId};
use cubicle_run::{Growing, Growth, last_rise};

/// The most steps that are repeated to name the transitions between two states.
const MOST_STEPS: usize = 32;

/// The most states that are examined, back from the last one: paths may be as long as there are states, and the
/// run may have ended for lack of memory.
const MOST_STATES: usize = 4096;

/// The numbers that grew on the way to the last state.
pub fn growth(program: &Program, visited: &StateTree) -> Vec<Growth> {
    let cells = &program.cells;
    let is_number = |kind| matches!(kind, CodeKind::Int | CodeKind::Real);
    let mut vars: Vec<VarId> = cells
        .cells
        .iter()
        .filter(|cell| is_number(cell.kind) && cell.counts.is_none())
        .map(|cell| cell.var)
        .collect();
    vars.dedup();
    let Some(last) = visited.last().filter(|_| !vars.is_empty()) else { return Vec::new() };
    // In breadth-first order, no state is deeper than the last one.
    let path = way(last, MOST_STATES, |at| visited.parents[at]);
    let mut codes = Vec::new();
    // For each variable, the largest number of each state, and the largest below zero without its sign.
    let mut values = vec![(Vec::new(), Vec::new()); vars.len()];
    for &state in &path {
        program.packing.unpack(visited.store.state(state), &mut codes);
        for (var, (up, down)) in vars.iter().zip(&mut values) {
            let numbers = || {
                let of_var = cells.cells.iter().enumerate().filter(|(_, cell)| cell.var == *var);
                of_var.filter(|(c, _)| codes[*c] != UNDEF).filter_map(|(c, _)| {
                    match cells.value(c, codes[c], None) {
                        Value::Number(n) => Some(n),
                        _ => None,
                    }
                })
            };
            up.push(numbers().max());
            down.push(numbers().filter_map(|n| Rational::ZERO.sub(n)).max());
        }
    }
    let mut found = Vec::new();
    for (var, (up, down)) in vars.iter().zip(&values) {
        for (line, sign) in [(up, 1), (down, -1)] {
            let Some((before, last)) = last_rise(line) else { continue };
            let Some(cycle) = transitions(program, visited, &path[before..=last]) else { continue };
            let signed = |n: Option<Rational>| n?.mul(Rational::integer(sign));
            let first = signed(line.iter().find_map(|n| *n));
            if let (Some(first), Some(most)) = (first, signed(line[last])) {
                found.push(Growth { what: Growing::Number(vec![*var]), values: (first, most), cycle });
            }
        }
    }
    found
}

/// The transitions that lead from each state to the next; `None` when they take too long to determine.
fn transitions(program: &Program, visited: &StateTree, path: &[usize]) -> Option<Vec<String>> {
    if path.len() > MOST_STEPS {
        return None;
    }
    let mut scratch = Scratch::new(program);
    path.windows(2)
        .map(|edge| {
            let (from, to) = (visited.store.state(edge[0]), visited.store.state(edge[1]));
            repeat(program, from, to, &mut scratch)
                .map(|step| program.system.transition(program.instances[step.0].transition).name.clone())
        })
        .collect()
}
