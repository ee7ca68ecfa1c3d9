//! States and steps of a small instance as the reference semantics has them, to look for what holds of all runs.

use crate::error::Unbuildable;
use crate::limits::Limits;
use crate::live::arrows::STUTTER;
use crate::live::conditions::{every_cell, observed};
use crate::live::explore::explore;
use crate::program::Program;
use crate::run::states;
use cubicle_lang::model::semantics::State;
use cubicle_lang::model::{System, TransitionId};
use cubicle_run::{ForwardOptions, Interrupt};
use tracing::debug;

/// A step between two of the states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeenStep {
    /// The number of the state before it.
    pub from: usize,
    /// Which transition.
    pub transition: TransitionId,
    /// Its arguments, hidden ones included.
    pub args: Vec<usize>,
    /// The number of the state after it.
    pub to: usize,
}

/// Some states and steps of an instance. They only steer.
#[derive(Clone, Debug, Default)]
pub struct RunSample {
    /// The states, each reachable.
    pub states: Vec<State>,
    /// The steps between them, those of states that were not expanded left out.
    pub steps: Vec<SeenStep>,
}

/// The first states of the instance with `procs` processes, breadth-first, as many as the options say; none where it cannot be explored.
pub fn sample_runs(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
) -> RunSample {
    attempt(system, procs, options, interrupt).unwrap_or_else(|why| {
        debug!(?why, "no sample");
        RunSample::default()
    })
}

fn attempt(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
) -> Result<RunSample, Unbuildable> {
    let limits = Limits::new(options, interrupt);
    let any_sorts = ForwardOptions { of_sorts: Vec::new(), ..every_cell(options) };
    let program = Program::new(&observed(system), procs, &any_sorts, &limits.clock)?;
    let graph = explore(&program, options, limits)?;
    let mut sample = RunSample::default();
    for number in 0..graph.tree.store.len() {
        let codes = program.packing.codes(graph.tree.store.state(number));
        let Some((state, _)) = states(&program, &[], codes, None) else {
            return Ok(RunSample::default());
        };
        sample.states.push(state);
        for arrow in graph.arrows.of(number as u32).iter().filter(|it| it.label != STUTTER) {
            let instance = &program.instances[graph.moves.list[arrow.label as usize].instance as usize];
            sample.steps.push(SeenStep {
                from: number,
                transition: instance.transition,
                args: instance.args.iter().map(|it| usize::from(*it)).collect(),
                to: arrow.to as usize,
            });
        }
    }
    Ok(sample)
}
