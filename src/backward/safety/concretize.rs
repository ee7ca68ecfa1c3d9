//! From the steps between init and a bad cube to a concrete run; where there is none, why the path is spurious: the universal guard that
//! pre-images forgot, or a condition that no run meets.
//!
//! A pre-image requires a universal guard of the processes of the cube, and not of others. So a run may follow the path up to
//! a step whose universal guard is false of a process that is named elsewhere on the path. Where guards are remembered, what is lost is a
//! condition on two processes that are not named, or what no cube says of numbers.

use std::time::Duration;

use crate::cube::{Cube, CubeContext, formulas};
use crate::tuning::{MORE_PROCESSES, REPLAY_WORK, WAYS_OF_SORTS, WAYS_TO_BAD};
use cubicle_lang::model::semantics::Semantics;
use cubicle_lang::model::{Conj, Dnf, System, TransitionId};
use cubicle_lang::words;
use cubicle_run::{Interrupted, Trace};
use cubicle_solver as solver;
use cubicle_solver::smt::{self, InstanceFormula, RunTarget, Unrolled};
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

/// The transition of the first step of a path, with its own arguments, that a run cannot take because of a universal guard; `None` when
/// the path fails for another reason, or that is not known.
pub fn forgotten(
    system: &System,
    context: &CubeContext,
    path: &NamedPath,
    goal: RunGoal<'_>,
    timeout: Duration,
) -> Result<Option<TransitionId>, Interrupted> {
    let weaker = Weaker::new(system, context, path, timeout);
    let Unrolled::Run(run) = weaker.unroll(path.steps.len(), weaker.goal(goal))? else { return Ok(None) };
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

/// The condition that keeps all runs from following a path that no instance executes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lost {
    /// The number of the step that has it.
    pub step: usize,
    /// The condition, in the words of the model, about the processes of the path.
    pub condition: String,
}

/// The first condition that keeps runs from following a path, as far as one alone does.
pub fn lost(
    system: &System,
    context: &CubeContext,
    path: &NamedPath,
    goal: RunGoal<'_>,
    timeout: Duration,
) -> Result<Option<Lost>, Interrupted> {
    let weaker = Weaker::new(system, context, path, timeout);
    let name = |process: &usize| words::processes(&[*process]);
    if let Unrolled::Run(run) = weaker.unroll(path.steps.len(), weaker.goal(goal))? {
        let semantics = Semantics::new(system, run.initial.procs);
        let of_path = names_of_path(&run, path);
        let states = run.states();
        for (at, (before, step)) in states.zip(&run.steps).enumerate() {
            if let Some((universal, scope)) = semantics.failing(before, step.transition, &step.args).next() {
                let names: Vec<String> = scope.iter().map(|process| name(&of_path[*process])).collect();
                let body = &system.transition(step.transition).universals[universal].body;
                return Ok(Some(Lost { step: at, condition: words::formula(system, body, &names) }));
            }
        }
        return Ok(None);
    }
    let any = || RunTarget::Named(InstanceFormula::All(Vec::new()), Vec::new(), None);
    let mut taken = 0;
    while taken < path.steps.len() && matches!(weaker.unroll(taken + 1, any())?, Unrolled::Run(_)) {
        taken += 1;
    }
    let Some((transition, args)) = path.steps.get(taken) else { return Ok(None) };
    let guard = &system.transition(*transition).guard;
    for (at, literal) in guard.iter().enumerate() {
        let rest: Conj =
            guard.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, it)| it.clone()).collect();
        let all = InstanceFormula::All(rest.into_iter().map(InstanceFormula::Literal).collect());
        if let Unrolled::Run(_) = weaker.unroll(taken, RunTarget::Named(all, args.clone(), None))? {
            let names: Vec<String> = args.iter().map(name).collect();
            let condition = words::formula(system, &Dnf(vec![vec![literal.clone()]]), &names);
            return Ok(Some(Lost { step: taken, condition }));
        }
    }
    Ok(None)
}

/// The names that the processes of a run have on the path: a run numbers them in their order. Those that no step has as arguments get what is left.
fn names_of_path(run: &Trace, path: &NamedPath) -> Vec<usize> {
    let mut names = vec![None; run.initial.procs];
    for (step, (_, args)) in run.steps.iter().zip(&path.steps) {
        step.args.iter().zip(args).for_each(|(of_run, of_path)| names[*of_run] = Some(*of_path));
    }
    let known = names.clone();
    let mut left = (0..names.len()).filter(|it| !known.contains(&Some(*it)));
    names
        .into_iter()
        .map(|name| name.or_else(|| left.next()).expect("there are as many names as processes"))
        .collect()
}

/// A path in the system without its universal guards.
struct Weaker<'a> {
    system: System,
    context: &'a CubeContext,
    path: &'a NamedPath,
    timeout: Duration,
}

impl<'a> Weaker<'a> {
    fn new(system: &System, context: &'a CubeContext, path: &'a NamedPath, timeout: Duration) -> Self {
        let system = system.edited(|parts| parts.transitions.iter_mut().for_each(|t| t.universals.clear()));
        Self { system, context, path, timeout }
    }

    /// The cube that the path leads to.
    fn goal(&self, goal: RunGoal<'_>) -> RunTarget {
        let formula = InstanceFormula::All(formulas(self.context, goal.cube));
        RunTarget::Named(formula, self.path.goal_names.clone(), goal.bad)
    }

    /// A run of the first steps of the path, to a target.
    fn unroll(&self, steps: usize, target: RunTarget) -> Result<Unrolled, Interrupted> {
        let named = smt::Path {
            procs: self.path.procs,
            begin: smt::RunStart::Initial,
            steps: self.path.steps[..steps].iter().map(|(t, args)| (*t, Some(args.clone()))).collect(),
            target,
        };
        smt::unroll(&self.system, &named, self.timeout, &self.context.interrupt)
    }
}
