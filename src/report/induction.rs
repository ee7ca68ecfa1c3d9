//! Whether the claims of a model are inductive; a refinement that fails: the concrete run with the abstract one beside it.

use std::fmt::Write as _;

use super::trace::{TraceStates, action, changes, entered, legend, open_run};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{Layout, forbidden_at};
use cubicle_lang::words::{ValueNames, cells_of, for_processes};
use cubicle_run::style::Style;
use cubicle_run::words::{count, reason, sizes};
use cubicle_tools::inductive::{ClaimFinding, Induction, InductionStep};
use cubicle_tools::refines::BrokenRefinement;

/// What is known of a claim.
pub fn induction(system: &System, finding: &ClaimFinding, style: Style) -> String {
    let ClaimFinding { names, induction, run, without, holds, strengthening, .. } = finding;
    let title = if names.len() == 1 { names[0].clone() } else { "all together".to_owned() };
    let mut text = match induction {
        Induction::Inductive => {
            format!("{title}: {}, for any number of processes\n", style.good("inductive"))
        }
        Induction::Open(why) => format!("{title}: {}: {}\n", style.doubtful("not known"), reason(why)),
        Induction::Initially => {
            format!("{title}: {}: an initial state is like this\n", style.bad("violated"))
        }
        Induction::Step(_) if run.is_some() => format!("{title}: {}\n", style.bad("violated")),
        Induction::Step(it) => {
            format!("{title}: {}\n\n{}", style.bad("not inductive"), step(system, it, style))
        }
    };
    if let Some(run) = run {
        let _ = write!(text, "\nA run shows it:\n\n{}", open_run(system, run, style));
        return text;
    }
    if matches!(induction, Induction::Step(_)) {
        text += "No run has to reach the first state";
        if !without.is_empty() {
            let _ = write!(text, "; with {}, none ends like this", sizes(without, ", "));
        }
        text += ".\n";
    }
    if !strengthening.is_empty() {
        let what = count(strengthening.len(), "further claim");
        let _ = writeln!(text, "It holds for any number of processes: with {what}, it is inductive.\n");
        for line in strengthening {
            let _ = writeln!(text, "     {line}");
        }
    } else if *holds {
        text += "It holds for any number of processes; the proof needs more than what is claimed here.\n";
    }
    text
}

/// The state before a step and the step, with the changed cells and the processes of the cube that it leads into.
fn step(system: &System, InductionStep { step: run, bad, claim }: &InductionStep, style: Style) -> String {
    let names = ValueNames::new(system, run);
    let before = &run.initial;
    let mut text = format!("From this state ({})\n", count(before.procs, "process"));
    for line in changes(system, before, None, &names) {
        let _ = writeln!(text, "     {line}");
    }
    for step in &run.steps {
        let _ = writeln!(text, "-> {}", action(system, step, style));
        for cell in cells_of(system, before) {
            let [old, new] = [before, &step.after].map(|state| names.shown(&cell, state));
            if old != new {
                let _ = writeln!(text, "   * {} = {new} (was {old})", cell.name);
            }
        }
        let it = &system.bad[*bad];
        let layout = Layout::new(system, before.procs);
        let witnesses = forbidden_at(&layout, &step.after, claim);
        let who = for_processes(&witnesses.unwrap_or_default());
        let _ = writeln!(text, "   {}{who}", style.bad(&it.name));
    }
    text + &legend(&names) + "\n"
}

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
    for (at, image) in (0..=run.steps.len()).zip(&beside.states) {
        text += &entered(concrete, run, at, TraceStates::Diff, &own, style);
        let before = at.checked_sub(1);
        if let Some(name) = before.and_then(|it| beside.steps.get(it)) {
            let _ = writeln!(text, "   | {}", style.name(name));
        }
        for line in changes(abstraction, image, before.map(|it| &beside.states[it]), &names) {
            let _ = writeln!(text, "   |   {line}");
        }
    }
    for line in why {
        let _ = writeln!(text, "   | {}: {line}", style.bad("no such step"));
    }
    text + &legend(&own) + &legend(&names)
}
