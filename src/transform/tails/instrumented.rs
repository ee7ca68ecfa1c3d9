//! A system with ghost variables, and its runs as runs of the original.

use cubicle_lang::model::semantics::{State, Step, Trace};
use cubicle_lang::model::{System, TransitionId};

/// A system with further variables, after those of the original.
#[derive(Clone, Debug)]
pub struct Instrumented {
    pub system: System,
    /// For each transition, which one of the original it is a part of.
    parts_of: Vec<TransitionId>,
}

impl Instrumented {
    /// A system with further variables, each of whose transitions is a part of one of the original.
    pub(super) const fn new(system: System, parts_of: Vec<TransitionId>) -> Self {
        Self { system, parts_of }
    }

    /// A run of this system as one of the original.
    pub fn run(&self, original: &System, run: &Trace) -> Trace {
        let state = |state: &State| {
            let cells = original.vars.iter().map(|var| state.procs.pow(var.arity() as u32)).sum();
            State { procs: state.procs, values: state.values[..cells].to_vec() }
        };
        let step = |step: &Step| {
            let transition = self.parts_of[usize::from(step.transition.0)];
            let arity = original.transition(transition).arity();
            Step { transition, args: step.args[..arity].to_vec(), after: state(&step.after) }
        };
        Trace { initial: state(&run.initial), steps: run.steps.iter().map(step).collect(), bad: run.bad }
    }
}
