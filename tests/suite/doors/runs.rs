//! Properties of runs: instances exactly, and proofs for any number of processes.

use cubicle::forward::{RunAnswer, check_runs};
use cubicle::model::System;
use cubicle::{BackwardMode, ForwardOptions, Interrupt, Silent, TemporalFinding, check};

use super::ast::RunKind;
use super::failures::failing as with_failures;
use super::instance::Failures;
use super::states::small;
use super::{Case, Checked, differ};
use crate::support::ranked::is_ranked;

pub fn instances(case: &Case<'_>) -> Checked {
    agree(case, &case.system()?, Failures::None)
}

pub fn failing(case: &Case<'_>) -> Checked {
    let failures = [Failures::Stop(1), Failures::Stop(usize::MAX), Failures::Restart];
    let failures = failures[(case.seed / 4 % 3) as usize];
    match with_failures(&case.system()?, failures) {
        Some(system) => agree(case, &system, failures),
        None => Ok(false),
    }
}

fn agree(case: &Case<'_>, system: &System, failures: Failures) -> Checked {
    let mut compared = false;
    if case.model.runs.is_empty() {
        return Ok(false);
    }
    for graph in case.graphs(failures).filter(|it| it.complete) {
        let procs = graph.instance.procs;
        let symmetry = (case.seed / 2).is_multiple_of(2);
        let options = ForwardOptions::default().symmetry(symmetry).max_states(4 * case.states);
        let seen = check_runs(system, procs, &options, &Interrupt::default());
        for (run, answer) in case.model.runs.iter().zip(&seen.answers) {
            let violated = match answer {
                RunAnswer::Open(stop) => {
                    return differ("runs are open", format!("{} with {procs}: {stop:?}", run.name));
                }
                RunAnswer::Holds => run.kind == RunKind::Cover,
                RunAnswer::Reached(..) => false,
                RunAnswer::Lasso(..) | RunAnswer::DeadEnd(..) => true,
            };
            let right = graph.violates(run);
            if violated != right {
                let detail = format!(
                    "{}, {failures:?}, {procs} processes, symmetry {symmetry}: violated: {violated}, right is {right}\n{answer:?}",
                    run.name
                );
                return differ("a property of runs", detail);
            }
            compared = true;
        }
    }
    Ok(compared)
}

/// No ranking proves a property that an instance violates.
pub fn rankings(case: &Case<'_>) -> Checked {
    let system = case.system()?;
    let mut compared = false;
    for (run, property) in case.model.runs.iter().zip(&system.temporal) {
        if !matches!(run.kind, RunKind::Response | RunKind::Recurrence) {
            continue;
        }
        for procs in run.params..=2 {
            let graph = case.graph(procs, Failures::None).filter(|it| it.complete);
            if !graph.is_some_and(|graph| graph.violates(run)) {
                continue;
            }
            if is_ranked(&system, property) {
                let detail = format!("{} is broken with {procs} processes, and proved", run.name);
                return differ("a wrong ranking", detail);
            }
            compared = true;
            break;
        }
    }
    Ok(compared)
}

/// The answer of a whole run for each property.
pub fn for_any_number(case: &Case<'_>) -> Checked {
    if case.model.runs.is_empty() {
        return Ok(false);
    }
    let failures = match case.seed / 5 % 4 {
        0 => Failures::Stop(1),
        1 => Failures::Restart,
        _ => Failures::None,
    };
    let Some(system) = with_failures(&case.system()?, failures) else { return Ok(false) };
    // Some numbers grow for ever.
    let options = small(BackwardMode::Auto).only_states(false);
    let options = options.forward(ForwardOptions::default().max_states(5_000));
    let report = match check(&system, &options, &Interrupt::default(), &mut Silent) {
        Ok(report) => report,
        Err(why) => return differ("internal error", why.to_string()),
    };
    let mut compared = false;
    for said in &report.temporal {
        let run = &case.model.runs[said.property];
        for graph in case.graphs(failures).filter(|it| it.complete) {
            let procs = graph.instance.procs;
            let right = graph.violates(run);
            let about = |what: &str| {
                format!(
                    "{}, {failures:?}: {what}, with {procs} processes violated: {right}\n{said:?}",
                    run.name
                )
            };
            let here = |found: &TemporalFinding| found.run().initial.procs == procs;
            if run.kind == RunKind::Cover {
                let reached = said.found.as_ref().is_some_and(here);
                if (said.never || said.held.contains(&procs)) && !right || reached && right {
                    return differ("a cover", about("cover"));
                }
                continue;
            }
            if (said.proved || said.held.contains(&procs)) && right {
                return differ("a property is said to hold", about("holds"));
            }
            if said.found.as_ref().is_some_and(here) && !right {
                return differ("a property is said to be broken", about("broken"));
            }
            compared |= said.proved || said.found.is_some();
        }
    }
    Ok(compared)
}
