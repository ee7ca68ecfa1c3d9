//! Logs that were compared with a model, and runs that show something harmless.

use std::fmt::Write as _;

use super::conclusion::unknown;
use super::document::{LogAnswerWord, LogSum};
use super::junit::{JunitCase, JunitOutcome};
use super::trace::open_run;
use cubicle_lang::model::System;
use cubicle_lang::words::{ValueNames, cells_of, ending};
use cubicle_run::style::Style;
use cubicle_run::words::{self, count};
use cubicle_run::{Covered, Witness, WitnessCoverage};
use cubicle_tools::validate::{LogAnswer, Validated, named};
use cubicle_tools::witness::WitnessAnswer;

/// The most steps of a run that are shown: `--trace-out` writes all.
const MOST_STEPS: usize = 12;

/// The most cells of a state that are shown.
const MOST_CELLS: usize = 60;

/// The longest part of a line of a log that is shown, in characters.
const MOST_TEXT: usize = 160;

/// The result for the log of this name, with what explains it.
pub fn validated(system: &System, log: &str, found: &Validated, style: Style) -> String {
    let events = count(found.events, "event");
    let procs = count(found.procs, "process");
    let line =
        found.at.as_ref().map_or_else(|| "the beginning".to_owned(), |(line, _)| format!("line {line}"));
    let mut text = match &found.answer {
        LogAnswer::Explained => {
            format!("{log}: {}: {events}, {procs}\n", style.good("explained"))
        }
        LogAnswer::Violated => {
            let bad = found.run.as_ref().map(|(run, _)| ending(system, &run.trace).to_owned());
            let bad = bad.map_or_else(|| "a bad state".to_owned(), |name| format!("a bad state ({name})"));
            let title = style.bad("violated");
            format!("{log}: {title}: {line}: every run with {procs} that explains the log reaches {bad}\n")
        }
        LogAnswer::NotExplained => {
            let title = style.bad("not explained");
            let counted = if found.counted { ", as many as the log names" } else { "" };
            format!("{log}: {title}: {line}, after {events}, with {procs}{counted}\n")
        }
        LogAnswer::Inconclusive(_) | LogAnswer::Interrupted(_) => {
            let why = LogAnswerWord::of(&found.answer).1.unwrap_or_default();
            format!("{log}: {}: {why}; {events} explained, {procs}\n", style.doubtful("inconclusive"))
        }
        LogAnswer::Refused(why) => format!("{log}: {}: {why}\n", style.bad("error")),
        LogAnswer::Fault(why) => format!("{log}: {}: internal: {why}\n", style.bad("error")),
    };
    if let Some((_, line)) = found.at.as_ref().filter(|(_, line)| !line.is_empty()) {
        let shown: String = line.chars().take(MOST_TEXT).collect();
        let more = if shown.len() < line.len() { ".." } else { "" };
        let _ = writeln!(text, "  {shown}{more}");
    }
    if let (skipped, Some(first)) = &found.skipped {
        let _ = writeln!(text, "  {} skipped, the first of them {first}", count(skipped, "line"));
    }
    if found.answer == LogAnswer::NotExplained {
        text += &lost(found);
    }
    if found.answer == LogAnswer::Violated {
        text += &run(system, found, style);
    }
    if let Some(WitnessCoverage { transitions, values }) = &found.coverage {
        text += &covered(transitions, "transition", "takes");
        text += &covered(values, "value", "shows");
    }
    text
}

fn lost(found: &Validated) -> String {
    let Some(lost) = &found.lost else { return String::new() };
    let mut text = match lost.possible {
        0 => "  the model has no initial state\n".to_owned(),
        n => format!(
            "  before it, {} possible\n",
            if n == 1 { "1 state is".to_owned() } else { format!("{n} states are") }
        ),
    };
    for (number, cells) in lost.states.iter().enumerate() {
        let all = cells.iter().take(MOST_CELLS).map(|it| format!("{} = {}", it.cell, it.value));
        let more = if cells.len() > MOST_CELLS { ", .." } else { "" };
        let _ = writeln!(text, "  {}: {}{more}", number + 1, all.collect::<Vec<_>>().join(", "));
    }
    if lost.nearest.is_empty() && lost.possible > 0 {
        text += "  no transition can be this event with these processes\n";
    }
    for near in &lost.nearest {
        let place = near.state.filter(|_| lost.possible > 1);
        let place = place.map_or_else(String::new, |at| format!(" in state {}", at + 1));
        let _ = writeln!(text, "  {}{place} fails:", near.step);
        for why in &near.fails {
            let _ = writeln!(text, "    {why}");
        }
    }
    text
}

/// The last steps of the run, with the lines of their events and what they change.
fn run(system: &System, found: &Validated, style: Style) -> String {
    let Some((run, names)) = &found.run else { return String::new() };
    let trace = &run.trace;
    let values = ValueNames::new(system, trace);
    let first = trace.steps.len().saturating_sub(MOST_STEPS);
    let mut text = String::new();
    if first > 0 || !run.whole {
        let _ = writeln!(text, "  the last steps of the run (--trace-out writes the run):");
    }
    let all = cells_of(system, &trace.initial);
    for (number, step) in trace.steps.iter().enumerate().skip(first) {
        let before = trace.state(number);
        let transition = system.transition(step.transition);
        let args: Vec<&str> =
            step.args[..transition.params.len()].iter().map(|p| names[*p].as_str()).collect();
        let line = match run.labels[number] {
            0 => "hidden".to_owned(),
            line => format!("line {line}"),
        };
        let changes = all.iter().filter(|cell| cell.differs(before, &step.after));
        let changes: Vec<String> = changes
            .map(|cell| named(&format!("{} = {}", cell.name, values.shown(cell, &step.after)), names))
            .collect();
        let name = style.name(&transition.name);
        let _ = writeln!(text, "  {line:>10}  {name}({}): {}", args.join(", "), changes.join(", "));
    }
    let bad = ending(system, trace);
    let _ = writeln!(text, "  {:>10}  {}", "", style.bad(bad));
    text
}

fn covered(of: &[Covered], what: &str, verb: &str) -> String {
    if of.is_empty() { String::new() } else { format!("  it {verb} {}", of_all(of, what)) }
}

/// The sum over several logs.
pub fn validated_all(sum: LogSum) -> String {
    let LogSum { explained, violated, not_explained, inconclusive, error } = sum;
    let all = explained + violated + not_explained + inconclusive + error;
    let parts = [
        (explained, "explained"),
        (violated, "violated"),
        (not_explained, "not explained"),
        (inconclusive, "inconclusive"),
        (error, "refused"),
    ];
    let parts = parts.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| format!("{n} {what}"));
    format!("{}: {}\n", count(all, "log"), parts.collect::<Vec<_>>().join(", "))
}

/// The result for a log as a case of a test report.
pub fn validation_case(
    system: &System,
    model: &str,
    log: &str,
    found: &Validated,
    seconds: f64,
) -> JunitCase {
    let outcome = match LogAnswerWord::of(&found.answer).0 {
        LogAnswerWord::Explained => JunitOutcome::Passed,
        LogAnswerWord::Violated | LogAnswerWord::NotExplained => JunitOutcome::Failed,
        LogAnswerWord::Inconclusive | LogAnswerWord::Error => JunitOutcome::Error,
    };
    let message = validated(system, log, found, Style::PLAIN);
    let message = if outcome == JunitOutcome::Passed { String::new() } else { message };
    JunitCase { name: log.to_owned(), class: model.to_owned(), seconds, outcome, message }
}

/// The answer about a run of `system` to `what`: the run with what it covers, or where there is none.
pub fn witness(what: &str, system: &System, answer: &WitnessAnswer, style: Style) -> String {
    let Witness { run, coverage: WitnessCoverage { transitions, values } } = match answer {
        WitnessAnswer::Run(witness) => &**witness,
        WitnessAnswer::Never => {
            let models = if system.max_procs.is_some() { " that the model allows" } else { "" };
            return format!(
                "{what}: {}\n",
                style.good(format!("never, for any number of processes{models}"))
            );
        }
        WitnessAnswer::NotFound { sizes, complete, why } => {
            let seen =
                if *complete { "all runs of which were seen" } else { "not all runs of which were seen" };
            let (title, sizes) = (style.doubtful("not found"), words::sizes(sizes, " and "));
            let why = why.undecided().map_or_else(String::new, |why| unknown(why, style) + "\n");
            return format!("{what}: {title} with {sizes}, {seen}\n{why}");
        }
    };
    let (procs, steps) = (count(run.initial.procs, "process"), count(run.steps.len(), "step"));
    let title = style.title(format!("{what}: reached with {procs} after {steps}"));
    let run = open_run(system, run, style);
    let values =
        if values.is_empty() { String::new() } else { format!("It shows {}", of_all(values, "value")) };
    format!("{title}\n\n{run}\nIt takes {}{values}", of_all(transitions, "transition"))
}

/// How many of these are covered, and which are not; ends the line.
fn of_all(all: &[Covered], what: &str) -> String {
    let left: Vec<&str> = all.iter().filter(|it| !it.covered).map(|it| it.name.as_str()).collect();
    let not = if left.is_empty() { String::new() } else { format!("; not {}", left.join(", ")) };
    format!("{} of {}{not}\n", all.len() - left.len(), count(all.len(), what))
}
