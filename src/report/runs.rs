//! Properties of runs: runs without an end, how they satisfy fairness, and a line for each property.

use std::fmt::Write as _;

use super::trace::{EndedRun, action, legend, walked};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::semantics::{FairStep, Lasso, Semantics, Served, State, Value};
use cubicle_lang::model::{System, TemporalKind};
use cubicle_lang::words::{ValueNames, for_processes, processes};
use cubicle_run::style::Style;
use cubicle_run::words::{cause, count, numbers, of_sorts, sizes, unproved};
use cubicle_run::{Report, RunsSeen, TemporalFinding, TemporalReport};

/// `Runs with 2 processes: all 14 states, 30 steps`.
pub fn runs(seen: RunsSeen, style: Style) -> String {
    let title = style.title(format!("Runs with {}", count(seen.procs, "process")));
    let (states, steps) = (count(seen.states, "state"), count(seen.steps, "step"));
    let renamed = if seen.renamed { " up to renaming" } else { "" };
    if seen.complete {
        format!("{title}: all {states}{renamed}, {steps}\n")
    } else {
        format!("{title}: {states}{renamed}, {steps} (not all)\n")
    }
}

/// `Init -> ask(#1) -> [ ask(#2) -> enter(#2) -> leave(#2) ] for ever`.
pub fn history(system: &System, property: usize, found: &TemporalFinding, style: Style) -> String {
    let run = found.run();
    let mut text = String::from("Init");
    let back = match found {
        TemporalFinding::Lasso { lasso, .. } => lasso.back,
        _ => None,
    };
    for (number, step) in run.steps.iter().enumerate() {
        let open = if back == Some(number) { "[ " } else { "" };
        let _ = write!(text, " -> {open}{}", action(system, step, style));
    }
    let name = &system.temporal[property].name;
    let end = match found {
        TemporalFinding::Lasso { lasso, .. } if lasso.back.is_some() => " ] for ever".to_owned(),
        TemporalFinding::Lasso { .. } => format!(" -> {}", style.bad("stuck")),
        TemporalFinding::DeadEnd { .. } => format!(" -> {}", style.bad(format!("no way to {name}"))),
        TemporalFinding::Reached { .. } => format!(" -> {}", style.good(name)),
    };
    text + &end
}

/// The finding for each property: its run, why it breaks the property, and how it satisfies fairness.
pub(super) fn findings(run: EndedRun<'_>) -> String {
    let EndedRun { system, source, report, trace_states, style } = run;
    let mut text = String::new();
    for known in &report.temporal {
        let Some(found) = &known.found else { continue };
        let title = match found {
            TemporalFinding::Reached { .. } => style.title("Run"),
            _ => style.bad("Run"),
        };
        let _ = writeln!(text, "\n{title}: {}", history(system, known.property, found, style));
        for (number, line) in explained(system, source, known.property, found).into_iter().enumerate() {
            let indent = if number > 0 { "     " } else { "" };
            let _ = writeln!(text, "{indent}{line}");
        }
        if let Some(which) = trace_states {
            let names = ValueNames::new(system, found.run());
            let _ = write!(text, "\n{}", walked(system, found.run(), which, &names, style));
            if let TemporalFinding::Lasso { lasso, .. } = found {
                let _ = match lasso.back {
                    Some(0) => writeln!(text, "-> the initial state again"),
                    Some(back) => writeln!(text, "-> the state after step {back} again"),
                    None => writeln!(text, "-> nothing has to follow"),
                };
            }
            text += &legend(&names);
        }
    }
    text
}

/// Explains what a run means for a property: one line, then a line for each fairness condition that the run satisfies.
pub fn explained(
    system: &System,
    source: &Source<'_>,
    number: usize,
    found: &TemporalFinding,
) -> Vec<String> {
    let property = &system.temporal[number];
    let place = match property.kind {
        TemporalKind::Ltl => "--ltl".to_owned(),
        _ => source.place(property.span),
    };
    let processes = for_processes(found.tuple());
    let what = match found {
        TemporalFinding::Reached { .. } => "is reached",
        _ => "is broken",
    };
    let mut lines =
        vec![format!("{} ({place}) {what}{processes}{}", property.name, why(system, number, found))];
    if let TemporalFinding::Lasso { lasso, .. } = found {
        lines.extend(fairness(system, lasso));
    }
    lines
}

/// Why the run breaks the property, after its name and its processes.
fn why(system: &System, property: usize, found: &TemporalFinding) -> String {
    let TemporalFinding::Lasso { tuple, lasso } = found else {
        return match found {
            TemporalFinding::DeadEnd { .. } => {
                ": from the last state no run leads there (the way was replayed, what follows was searched)"
                    .to_owned()
            }
            _ => String::new(),
        };
    };
    let stuck = if lasso.back.is_none() { " (stuck: no step has to follow the last state)" } else { "" };
    let property = &system.temporal[property];
    let semantics = Semantics::new(system, lasso.run.initial.procs);
    let from = semantics.breaks(lasso, property, tuple).unwrap_or_default();
    let from = match (from, property.kind) {
        (0, _) => "from the beginning".to_owned(),
        (step, TemporalKind::Response) => format!("after step {step}"),
        (step, _) => format!("from step {step} on"),
    };
    match property.kind {
        TemporalKind::Response => format!(": {from} the response never comes{stuck}"),
        TemporalKind::Ltl => stuck.to_owned(),
        _ => format!(": {from} it never holds{stuck}"),
    }
}

/// A line for each fairness condition, with how the loop satisfies it.
fn fairness(system: &System, lasso: &Lasso) -> Vec<String> {
    let semantics = Semantics::new(system, lasso.run.initial.procs);
    let line = |fair: FairStep| {
        let served = semantics.served(lasso, &fair).ok()?;
        let what = asked(system, &fair);
        Some(match served {
            Served::Taken(step) => format!("{what}: step {} takes it", step + 1),
            Served::Disabled(0) => format!("{what}: not possible in the beginning"),
            Served::Disabled(step) => format!("{what}: not possible after step {step}"),
            Served::Never => format!("{what}: not possible in the loop"),
        })
    };
    let of_sorts = |fair: &FairStep| fits_sorts(&semantics, &lasso.run.initial, fair);
    semantics.fair_steps().into_iter().filter(of_sorts).filter_map(line).collect()
}

/// Whether the arguments are of the sorts of the parameters: no others are ever possible.
fn fits_sorts(semantics: &Semantics<'_>, state: &State, fair: &FairStep) -> bool {
    let system = semantics.system();
    let (Some(array), Some(args)) = (system.sort_array(), &fair.args) else { return true };
    system.asked_by(&system.fairness[fair.fairness]).any(|transition| {
        let said = system.sorts_said(&transition.guard, args.len());
        args.iter().zip(said).all(|(process, sort)| {
            let of = state.values[semantics.layout().position(array, [*process])];
            sort.is_none_or(|sort| of == Value::Constructor(sort))
        })
    })
}

/// `fair enter(#1)`.
fn asked(system: &System, fair: &FairStep) -> String {
    let fairness = &system.fairness[fair.fairness];
    let word = if fairness.strong { "strong_fair" } else { "fair" };
    let name = system.name_of(fairness);
    match &fair.args {
        Some(args) => format!("{word} {name}({})", processes(args)),
        None => format!("{word} any {name}"),
    }
}

/// A line for each property: what is known of it.
pub fn known(system: &System, report: &Report, style: Style) -> String {
    let mut text = String::new();
    for known in &report.temporal {
        let line = line(system, report, known, style);
        let _ = writeln!(text, "{}: {line}", system.temporal[known.property].name);
        let because = known.proof.iter().filter(|_| known.proved).flat_map(|it| &it.because);
        because.for_each(|line| text += &format!("     {line}\n"));
    }
    text
}

fn line(system: &System, report: &Report, known: &TemporalReport, style: Style) -> String {
    let unchecked = report.is_unchecked() && known.proof.is_some();
    let cover = system.temporal[known.property].kind == TemporalKind::Cover;
    if let Some(found) = &known.found {
        let procs = count(found.run().initial.procs, "process");
        return match found {
            TemporalFinding::Reached { .. } => style.good(format!("reached with {procs}")),
            _ => style.bad(format!("VIOLATED with {procs}")),
        };
    }
    if known.never {
        let proved = if unchecked { "proved, unchecked," } else { "proved," };
        return style
            .bad(format!("VIOLATED: never reached with any number of processes ({proved} no run shows it)"));
    }
    let sizes = sizes(&known.held, ", ") + &of_sorts(&report.of_sorts);
    let any = system.max_procs.is_none() || !system.has_processes();
    let held = match (known.held.is_empty(), cover) {
        (none, false) if known.proved && (none || any) => {
            format!("holds for any number of processes{}", if unchecked { " (unchecked)" } else { "" })
        }
        (true, _) => String::new(),
        (false, false) if known.proved => {
            let sizes = numbers(&known.held, ", ");
            format!("holds for every number of processes that the model has ({sizes})")
        }
        (false, false) => format!("holds with {sizes}"),
        (false, true) => format!("not reached with {sizes}"),
    };
    let held = match &known.unproved {
        Some(why) if !held.is_empty() && !cover => format!("{held}; {}", unproved(why)),
        _ => held,
    };
    match &known.open {
        Some(cut) => {
            let open = format!("open with {}: {}", count(cut.procs, "process"), cause(cut.stop));
            if held.is_empty() { open } else { format!("{held}; {open}") }
        }
        None if known.proved => style.good(held),
        None => held,
    }
}

/// `VIOLATED: live, again`.
pub(super) fn violated(system: &System, report: &Report, style: Style) -> Option<String> {
    let names: Vec<&str> = (report.temporal.iter().filter(|it| it.is_violated()))
        .map(|it| system.temporal[it.property].name.as_str())
        .collect();
    (!names.is_empty()).then(|| style.bad(format!("VIOLATED: {}", names.join(", "))))
}
