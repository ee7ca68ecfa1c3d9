//! The steps of an instance one by one: each transition with each choice of processes, and what it writes.

use super::expr::{ExportExpr, Process};
use super::instance::Refusal;
use super::read::{Others, SystemReader};
use cubicle_lang::model::semantics::{distinct_tuples, interchangeable, rising_tuples, tuples};
use cubicle_lang::model::{Bad, System, Transition, VarId};
use cubicle_lang::words::processes;

/// The most steps that are written out.
const MOST_STEPS: usize = 50_000;

#[derive(Clone, Debug)]
pub struct GroundTransition {
    /// Its name, as a trace shows it.
    pub name: String,
    pub guard: ExportExpr,
    pub writes: Vec<GroundWrite>,
}

#[derive(Clone, Debug)]
pub struct GroundWrite {
    pub var: VarId,
    pub index: Vec<Process>,
    /// The new value; `None` for `:= ?`.
    pub value: Option<ExportExpr>,
}

/// All steps of the instance with `procs` processes; those that cannot be taken in any state are left out.
pub fn steps(reader: SystemReader<'_>, procs: usize) -> Result<Vec<GroundTransition>, Refusal> {
    let mut steps = Vec::new();
    for transition in &reader.system.transitions {
        for args in distinct_tuples(procs, transition.arity()) {
            let Some(step) = step(reader, transition, procs, &args) else { continue };
            steps.push(step);
            if steps.len() > MOST_STEPS {
                let what = format!("there are more than {MOST_STEPS} choices of processes for transitions");
                return Err(Refusal::at(transition.span, what));
            }
        }
    }
    Ok(steps)
}

fn step(
    reader: SystemReader<'_>,
    transition: &Transition,
    procs: usize,
    args: &[usize],
) -> Option<GroundTransition> {
    let others: Vec<usize> = (0..procs).filter(|p| !args.contains(p)).map(|p| p + 1).collect();
    let arguments = numbers(args);
    let mut guard = vec![reader.guard(transition, &arguments, &Others::These(&others))];
    let mut writes = Vec::new();
    for update in &transition.updates {
        for index in tuples(procs, reader.system.var(update.var).arity()) {
            let index = numbers(&index);
            guard.push(reader.in_range(update, &arguments, &index));
            let value = reader.new_value(update, &arguments, &index);
            if value != Some(ExportExpr::Cell(update.var, index.clone())) {
                writes.push(GroundWrite { var: update.var, index, value });
            }
        }
    }
    let guard = ExportExpr::all(guard);
    let name = format!("{}({})", transition.name, processes(&args[..transition.params.len()]));
    (guard != ExportExpr::FALSE).then_some(GroundTransition { name, guard, writes })
}

pub fn bad(reader: SystemReader<'_>, procs: usize, bad: &Bad) -> Result<ExportExpr, Refusal> {
    // For two processes that the cube treats alike, the smaller one first is enough.
    let above = interchangeable(&bad.cube, usize::from(bad.params));
    let tuples: Vec<Vec<usize>> = rising_tuples(procs, above).take(MOST_STEPS + 1).collect();
    if tuples.len() > MOST_STEPS {
        let what = format!("there are more than {MOST_STEPS} choices of processes for it");
        return Err(Refusal::at(bad.span, what));
    }
    Ok(ExportExpr::any(tuples.iter().map(|tuple| reader.bad(bad, &numbers(tuple)))))
}

pub fn numbers(procs: &[usize]) -> Vec<Process> {
    procs.iter().map(|p| Process::Number(p + 1)).collect()
}

/// All cells of the instance, in order of the layout.
pub fn cells(system: &System, procs: usize) -> Vec<(VarId, Vec<Process>)> {
    let of = |v: usize| {
        let id = VarId(v as u16);
        tuples(procs, system.var(id).arity()).map(move |index| (id, numbers(&index)))
    };
    (0..system.vars.len()).flat_map(of).collect()
}
