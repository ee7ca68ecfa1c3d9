//! Checks whether a trace from a file is a run of the model and whether the file's claims about it are true, with messages
//! that help to write one by hand.

use super::explain::Explainer;
use super::{Claims, RunClaim};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::list::are_different;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{
    Lasso, Layout, ReplayError, Semantics, State, replay as execute, replay_lasso, replay_steps, tuples,
};
use cubicle_lang::words::{ValueNames, ending, process_names, processes};
use cubicle_run::Trace;

/// Returns what the trace shows (`3 steps with 2 processes, ending in unsafe at line 12`); `source` is the model.
///
/// # Errors
/// Where the trace fails first, and why; or, when it is a run that ends as the file says, which other claim is false.
pub fn replay(
    system: &System,
    source: &Source<'_>,
    trace: &Trace,
    claims: &Claims,
) -> Result<String, String> {
    let explainer = Explainer::new(system, source, trace);
    let because = |what: String, why: Option<String>| {
        Err(match why {
            Some(why) => format!("{what}: {why}"),
            None => what,
        })
    };
    let (steps, procs) = (trace.steps.len(), trace.initial.procs);
    if let (true, Some(claim)) = (claims.open && replay_steps(system, trace).is_ok(), &claims.run) {
        return replay_run(system, trace, claim);
    }
    let executed = if claims.open { replay_steps(system, trace) } else { execute(system, trace) };
    match executed {
        Ok(()) if claims.open => Ok(format!("{steps} steps with {procs} processes, ending anywhere")),
        Ok(()) => {
            check_claims(system, &explainer, trace, claims)?;
            Ok(format!("{steps} steps with {procs} processes, ending in {}", ending(system, trace)))
        }
        Err(ReplayError::Step { step, why }) => match difference(system, trace, step) {
            Some(difference) => because(format!("step {step}: {difference}"), None),
            None => because(format!("step {step}: {why}"), not_enabled(system, &explainer, trace, step)),
        },
        Err(error @ ReplayError::NotInitial) => because(error.to_string(), explainer.init(&trace.initial)),
        Err(error @ ReplayError::NotBad { .. }) => {
            let claimed = trace.bad.zip(claims.witnesses.as_deref());
            let claimed = claimed.filter(|(bad, witnesses)| fit(system, *bad, witnesses));
            let why = claimed.and_then(|(bad, witnesses)| explainer.bad(trace.last(), bad, witnesses));
            because(error.to_string(), why)
        }
        Err(error) => because(error.to_string(), None),
    }
}

/// Checks what a file claims about a property of runs, for a run whose steps can be taken.
fn replay_run(system: &System, trace: &Trace, claim: &RunClaim) -> Result<String, String> {
    let (steps, procs) = (trace.steps.len(), trace.initial.procs);
    let property = &system.temporal[claim.property];
    if claim.breaks {
        let lasso = Lasso { run: trace.clone(), back: claim.back };
        replay_lasso(system, claim.property, &claim.tuple, &lasso)
            .map_err(|why| format!("it does not break {}: {why}", property.name))?;
        let end = match claim.back {
            Some(back) => format!("from step {} on for ever", back + 1),
            None => "stuck in the last state".to_owned(),
        };
        return Ok(format!("{steps} steps with {procs} processes, {end}: {} is broken", property.name));
    }
    match Semantics::new(system, procs).holds(trace.last(), &property.first, &claim.tuple) {
        Some(true) => Ok(format!("{steps} steps with {procs} processes, reaching {}", property.name)),
        _ => Err(format!("the last state is not one that {} wants to be reached", property.name)),
    }
}

/// Whether bad cube number `bad` can be evaluated for these processes.
fn fit(system: &System, bad: usize, witnesses: &[usize]) -> bool {
    witnesses.len() == usize::from(system.bad[bad].params) && are_different(witnesses)
}

/// Checks the file's claims about the processes that make the last state bad, and about the literals that hold for them.
fn check_claims(
    system: &System,
    explainer: &Explainer<'_>,
    trace: &Trace,
    claims: &Claims,
) -> Result<(), String> {
    let name = ending(system, trace);
    let Some(bad) = trace.bad else {
        return match claims {
            Claims { witnesses: None, literals: None, .. } => Ok(()),
            _ => Err("#meta has arguments or literals, but a deadlock is not about processes".to_owned()),
        };
    };
    if let Some(witnesses) = &claims.witnesses {
        let who = processes(witnesses);
        if !fit(system, bad, witnesses) {
            let params = system.bad[bad].params;
            return Err(format!("{name} is about {params} different processes, not about {who:?}"));
        }
        if let Some(why) = explainer.bad(trace.last(), bad, witnesses) {
            return Err(format!("{name} does not hold for {who} in the last state: {why}"));
        }
    }
    let Some(claimed) = &claims.literals else { return Ok(()) };
    let Some(witnesses) = &claims.witnesses else {
        return Err("#meta has literals, but not the arguments that they are about".to_owned());
    };
    let literals = explainer.literals_of_bad(bad, witnesses);
    let odd = claimed.iter().find(|literal| !literals.contains(literal));
    let missing = literals.iter().find(|literal| !claimed.contains(literal));
    match (odd, missing) {
        (Some(odd), _) => Err(format!("{name} has no literal {odd:?}; it has {:?}", literals.join(" && "))),
        (None, Some(missing)) => Err(format!("{name} has the literal {missing:?} too")),
        (None, None) => Ok(()),
    }
}

/// Why the guard of step `number` does not hold, with the part of the transition that was chosen.
fn not_enabled(system: &System, explainer: &Explainer<'_>, trace: &Trace, number: usize) -> Option<String> {
    let step = &trace.steps[number - 1];
    let transition = system.transition(step.transition);
    let before = trace.state(number - 1);
    // Other faults of the arguments have been reported.
    if step.args.len() != transition.arity() || !are_different(&step.args) {
        return None;
    }
    let why = explainer.guard(before, step)?;
    let hidden = &step.args[transition.params.len()..];
    Some(if hidden.is_empty() { why } else { format!("with {} besides, {why}", processes(hidden)) })
}

/// The first cell in which the step's state differs from the one that the transition leads to; `None` when
/// the step fails for another reason.
fn difference(system: &System, trace: &Trace, number: usize) -> Option<String> {
    let step = &trace.steps[number - 1];
    let before = trace.state(number - 1);
    let procs = before.procs;
    let (semantics, layout) = (Semantics::new(system, procs), Layout::new(system, procs));
    if semantics.enabled(before, step.transition, &step.args) != Some(true) {
        return None;
    }
    let transition = system.transition(step.transition);
    let chosen = semantics.chosen(step.transition, &step.after);
    let after = semantics.fire(before, step.transition, &step.args, &chosen)?;
    let names = ValueNames::new(system, trace);
    for (id, var) in system.declared() {
        for index in tuples(procs, var.arity()) {
            let at = layout.position(id, index.iter().copied());
            let show = |state: &State| names.value(var, state.values[at]);
            if after.values[at] != step.after.values[at] {
                return Some(format!(
                    "{} gives {} the value {}, not {}",
                    transition.name,
                    system.families.cell(&var.name, &process_names(&index)),
                    show(&after),
                    show(&step.after)
                ));
            }
        }
    }
    None
}
