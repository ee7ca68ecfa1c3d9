//! Why a path is spurious: the universal guard that pre-images forgot.
//!
//! A pre-image requires a universal guard of the processes of the cube, and not of others. So a run may follow the path up to
//! a step whose universal guard is false of a process that is named elsewhere on the path.

use std::time::Duration;

use super::concretize::{NamedPath, RunGoal};
use crate::cube::{CubeContext, formulas};
use crate::smt::{self, InstanceFormula, RunTarget, Unrolled};
use cubicle_lang::model::semantics::Semantics;
use cubicle_lang::model::{System, TransitionId};
use cubicle_run::interrupt::Interrupted;

/// The transition of the first step of a path, with its own arguments, that a run cannot take because of a universal guard; `None` when
/// the path fails for another reason, or that is not known.
pub fn forgotten(
    system: &System,
    context: &CubeContext,
    path: &NamedPath,
    goal: RunGoal<'_>,
    timeout: Duration,
) -> Result<Option<TransitionId>, Interrupted> {
    let without = system.edited(|parts| parts.transitions.iter_mut().for_each(|t| t.universals.clear()));
    let named = smt::Path {
        procs: path.procs,
        begin: smt::RunStart::Initial,
        steps: path.steps.iter().map(|(t, args)| (*t, Some(args.clone()))).collect(),
        target: RunTarget::Named(
            InstanceFormula::All(formulas(context, goal.cube)),
            path.goal_names.clone(),
            goal.bad,
        ),
    };
    let Unrolled::Run(run) = smt::unroll(&without, &named, timeout, &context.interrupt)? else {
        return Ok(None);
    };
    let semantics = Semantics::new(system, run.initial.procs);
    let mut before = &run.initial;
    for step in &run.steps {
        if semantics.excluded(before, step.transition, &step.args).is_some() {
            return Ok(Some(step.transition));
        }
        before = &step.after;
    }
    Ok(None)
}
