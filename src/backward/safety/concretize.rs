//! From the steps between init and a bad cube to a concrete run.

use std::time::Duration;

use crate::cube::{Cube, CubeContext, formulas};
use crate::smt::{self, InstanceFormula, RunTarget, Unrolled};
use crate::tuning::{MORE_PROCESSES, REPLAY_WORK, WAYS_OF_SORTS, WAYS_TO_BAD};
use cubicle_lang::model::{System, TransitionId};
use cubicle_run::Interrupted;
use cubicle_solver as solver;
use z3::{Config, with_z3_config};

/// The cube that a run has to reach.
#[derive(Clone, Copy, Debug)]
pub struct RunGoal<'c> {
    pub cube: &'c Cube,
    /// The bad cube that it comes from, in `System::bad`.
    pub bad: Option<usize>,
}

/// Steps that lead from a cube to a goal, under one naming of all their processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedPath {
    /// First fired first, with their arguments (processes from 0).
    pub steps: Vec<(TransitionId, Vec<usize>)>,
    /// Number of processes named.
    pub procs: usize,
    /// Names of the goal's processes.
    pub goal_names: Vec<usize>,
}

/// The number of ways to choose distinct processes for this many parameters.
fn arrangements(procs: usize, params: usize) -> usize {
    (0..params).fold(1, |ways: usize, chosen| ways.saturating_mul(procs.saturating_sub(chosen)))
}

/// Searches for a run that takes these steps to `goal`: first with their own arguments; to a bad state then with any, on instances
/// of other sizes too, as long as that is not too much [work](solver::work). Returns that work, too.
pub fn concretize(
    system: &System,
    context: &CubeContext,
    path: &NamedPath,
    goal: RunGoal<'_>,
    timeout: Duration,
) -> Result<(Unrolled, u64), Interrupted> {
    let interrupt = &context.interrupt;
    // The goal's literals use the goal's own process names, which `goal_names` maps to those of the steps.
    let formula = InstanceFormula::All(formulas(context, goal.cube));
    let width = usize::from(goal.cube.procs);
    let least = goal.bad.map_or(width, |k| usize::from(system.bad[k].params));
    let target = goal.bad.map_or_else(|| RunTarget::Formula(formula.clone(), width), RunTarget::Bad);
    let named = smt::Path {
        procs: path.procs,
        begin: smt::RunStart::Initial,
        steps: path.steps.iter().map(|(t, args)| (*t, Some(args.clone()))).collect(),
        target: RunTarget::Named(formula, path.goal_names.clone(), goal.bad),
    };
    let own = smt::unroll(system, &named, timeout, interrupt)?;
    // A candidate is given up in any case: the run to it would only show more states.
    if goal.bad.is_none() || matches!(own, Unrolled::Run(_)) {
        return Ok((own, 0));
    }
    let arity = path.steps.iter().map(|(t, _)| system.transition(*t).arity()).max().unwrap_or(0);
    let from = least.max(arity).max(usize::from(system.proc_constants));
    let has_sorts = system.sorts.as_ref().is_some_and(|it| it.names.len() > 1);
    let with_any = || {
        let mut found = own;
        for procs in from..=path.procs + MORE_PROCESSES {
            // A bad state is looked for by explorations as well, of processes of few sorts where there are several.
            let ways = path.steps.iter().map(|(t, _)| arrangements(procs, system.transition(*t).arity()));
            let most = if has_sorts { WAYS_OF_SORTS } else { WAYS_TO_BAD };
            if ways.fold(0, usize::saturating_add) > most || solver::work() > REPLAY_WORK {
                break;
            }
            let free = smt::Path {
                procs,
                begin: smt::RunStart::Initial,
                steps: path.steps.iter().map(|(t, _)| (*t, None)).collect(),
                target: target.clone(),
            };
            match smt::unroll(system, &free, timeout, interrupt)? {
                Unrolled::None => {}
                unknown @ Unrolled::Unknown(_) => found = unknown,
                run @ Unrolled::Run(_) => return Ok((run, solver::work())),
            }
        }
        Ok((found, solver::work()))
    };
    // What Z3 needs must not depend on what it was asked before.
    with_z3_config(&Config::new(), with_any)
}
