//! A refinement that fails: the concrete run with the abstract one beside it.

use std::fmt::Write as _;

use super::trace::{action, legend};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::State;
use cubicle_lang::words::{ValueNames, cells_of};
use cubicle_run::style::Style;
use cubicle_run::words::count;
use cubicle_tools::refines::BrokenRefinement;

/// The run state by state, with the abstract steps and what they change behind bars; at the end, why there is no further one.
pub fn refinement(
    concrete: &System,
    abstraction: &System,
    broken: &BrokenRefinement,
    style: Style,
) -> String {
    let BrokenRefinement { run, beside, why } = broken;
    let (own, names) = (ValueNames::new(concrete, run), beside.names(abstraction));
    let mut text = format!("Init ({})\n", count(run.initial.procs, "process"));
    let steps =
        std::iter::once((None, &run.initial)).chain(run.steps.iter().map(|step| (Some(step), &step.after)));
    let mut before: Option<(&State, &State)> = None;
    for (at, ((step, state), image)) in steps.zip(&beside.states).enumerate() {
        if let Some(step) = step {
            let _ = writeln!(text, "-> {}", action(concrete, step, style));
        }
        let changed = changes(concrete, state, before.map(|it| it.0), &own);
        for line in &changed {
            let _ = writeln!(text, "     {line}");
        }
        if changed.is_empty() && step.is_some() {
            text.push_str("     (nothing changes)\n");
        }
        if let Some(name) = at.checked_sub(1).and_then(|at| beside.steps.get(at)) {
            let _ = writeln!(text, "   | {}", style.name(name));
        }
        for line in changes(abstraction, image, before.map(|it| it.1), &names) {
            let _ = writeln!(text, "   |   {line}");
        }
        before = Some((state, image));
    }
    for line in why {
        let _ = writeln!(text, "   | {}: {line}", style.bad("no such step"));
    }
    text + &legend(&own) + &legend(&names)
}

/// The cells that differ from those of an earlier state, or all.
pub fn changes(
    system: &System,
    state: &State,
    before: Option<&State>,
    names: &ValueNames<'_>,
) -> Vec<String> {
    let all = cells_of(system, state).into_iter();
    let changed = all.filter(|cell| before.is_none_or(|it| cell.differs(it, state)));
    changed.map(|cell| format!("{} = {}", cell.name, names.shown(&cell, state))).collect()
}
