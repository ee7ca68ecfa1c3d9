//! In which states a condition holds for a tuple of processes.

use crate::error::Unbuildable;
use crate::ground::{GroundConj, Grounder};
use crate::live::graph::RunGraph;
use crate::program::{Program, Test};
use crate::state::UNDEF;
use cubicle_lang::model::semantics::other_tuples;
use cubicle_lang::model::{Bad, Condition, Conj, System};
use cubicle_run::ForwardOptions;

/// The system with the cubes of its run properties as bad cubes: states must distinguish what these compare as they do
/// for any bad cube.
pub fn observed(system: &System) -> System {
    system.edited(|parts| {
        for property in &system.temporal {
            let bad = |(params, cube): (usize, &Conj)| {
                Bad::derived("", 0, params as u8, cube.clone(), property.span)
            };
            parts.bad.extend(property.cubes().map(bad));
        }
    })
}

/// The options with which instances are compiled for runs: each cell has a value, and no process is renamed.
pub fn every_cell(options: &ForwardOptions) -> ForwardOptions {
    let plain = options.clone().symmetry(false).undefined_cells(false).merge_dead(false);
    ForwardOptions { expected_end: Conj::new(), ..plain }
}

/// Where a condition holds: a truth value for each state of a graph, and whether it is unknown for some states.
pub struct Holds {
    pub states: Vec<bool>,
    pub unclear: bool,
}

/// Evaluates the condition in all states of `graph`.
pub fn holds(
    program: &Program,
    graph: &RunGraph,
    condition: &Condition,
    tuple: &[usize],
) -> Result<Holds, Unbuildable> {
    let cases = ground(program, condition, tuple)?;
    let plain = program.is_plain();
    let mut found = Holds { states: Vec::with_capacity(graph.tree.store.len()), unclear: false };
    for number in 0..graph.tree.store.len() {
        let state = graph.tree.store.state(number);
        let readable = |test: &Test| test.find(&mut |cell| program.get(state, cell) == UNDEF).is_none();
        let truth =
            if plain || cases.iter().flatten().all(readable) { program.any(&cases, state) } else { None };
        found.unclear |= truth.is_none();
        found.states.push(truth == Some(true));
        if number % 4096 == 0 {
            program.interrupt.poll()?;
        }
    }
    Ok(found)
}

/// The cases of a condition for a tuple, as tests on codes.
pub fn ground(
    program: &Program,
    condition: &Condition,
    tuple: &[usize],
) -> Result<Vec<Vec<Test>>, Unbuildable> {
    let places = &program.cells.places;
    let grounder = Grounder { system: &program.system, places, sorts: program.sorts.as_ref() };
    let tests = |conj: &GroundConj| -> Result<Vec<Test>, Unbuildable> {
        conj.iter().map(|lit| program.counts.test(&program.cells, lit)).collect()
    };
    let mut cases = Vec::new();
    for case in &condition.0 {
        for env in other_tuples(places.procs, tuple, case.hidden.into()) {
            let Some(conj) = grounder.conj(&case.cube, &env)? else { continue };
            let mut all = tests(&conj)?;
            for universal in &case.universals {
                for scope in other_tuples(places.procs, &env, universal.bound.into()) {
                    let any = grounder.dnf(&universal.body, &scope)?;
                    all.push(Test::Any(any.iter().map(&tests).collect::<Result<_, _>>()?));
                }
            }
            cases.push(all);
        }
    }
    Ok(cases)
}
