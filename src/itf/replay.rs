//! Whether a trace from a file is a run of the model, with words for who wrote it by hand.

use crate::model::semantics::{Layout, ReplayError, Semantics, State, Value, replay as execute, tuples};
use crate::model::{Assignment, System, VarId};
use crate::report::{Names, ending};
use crate::verdict::Trace;

/// What the trace shows (`3 steps with 2 processes, ending in unsafe at line 12`), or where it fails first.
pub fn replay(system: &System, trace: &Trace) -> Result<String, String> {
    match execute(system, trace) {
        Ok(()) => {
            let (steps, procs) = (trace.steps.len(), trace.initial.procs);
            Ok(format!("{steps} steps with {procs} processes, ending in {}", ending(system, trace)))
        }
        Err(ReplayError::Step { step, why }) => {
            Err(format!("step {step}: {}", difference(system, trace, step).unwrap_or(why)))
        }
        Err(error) => Err(error.to_string()),
    }
}

/// The first cell in which the step's state is not the one that the transition leads to; `None` when
/// the step fails for another reason.
fn difference(system: &System, trace: &Trace, number: usize) -> Option<String> {
    let step = &trace.steps[number - 1];
    let before = if number == 1 { &trace.initial } else { &trace.steps[number - 2].after };
    let procs = before.procs;
    let (semantics, layout) = (Semantics::new(system, procs), Layout::new(system, procs));
    if semantics.enabled(before, step.transition, &step.args) != Some(true) {
        return None;
    }
    let transition = system.transition(step.transition);
    let free: Vec<Value> = transition
        .updates
        .iter()
        .filter(|update| update.assignment == Assignment::Nondet)
        .map(|update| step.after.values[layout.position(update.var, [])])
        .collect();
    let after = semantics.fire(before, step.transition, &step.args, &free)?;
    let names = Names::new(system, trace);
    for (id, var) in system.vars.iter().enumerate() {
        for index in tuples(procs, var.arity()) {
            let at = layout.position(VarId(id as u16), index.iter().copied());
            let show = |state: &State| names.value(var, state.values[at]);
            if after.values[at] != step.after.values[at] {
                let processes: Vec<_> = index.iter().map(|p| format!("#{}", p + 1)).collect();
                let index =
                    if index.is_empty() { String::new() } else { format!("[{}]", processes.join(", ")) };
                return Some(format!(
                    "{} gives {}{index} the value {}, not {}",
                    transition.name,
                    var.name,
                    show(&after),
                    show(&step.after)
                ));
            }
        }
    }
    None
}
