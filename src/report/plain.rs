//! The output of a run for people: a line for each stage, the invariants, the figures in words. `docs/output.md`
//! explains the words.

use std::fmt::Write as _;

use super::conclusion::ending;
use super::stages::{literals, ordered_name};
use super::statistics::{checked, coverage, expected};
use super::trace::EndedRun;
use cubicle_lang::model::{System, tail_names};
use cubicle_lang::words;
use cubicle_run::style::Style;
use cubicle_run::words::{cause, count, of_sorts, reason};
use cubicle_run::{
    Acceptance, BackwardMode, Candidate, Decider, Exploration, Options, Outcome, Proposals, Reason, Report,
    Stage, Stop, Tests, Verdict,
};

/// At most this many invariants are shown unless all are asked for.
const MOST_INVARIANTS: usize = 20;

/// `Explored 3 processes: all 5107 orbits, 26 steps deep, all 11 transitions fired`.
pub fn explored(system: &System, exploration: &Exploration, style: Style) -> String {
    let procs = count(exploration.procs, "process") + &of_sorts(&exploration.sorts);
    let states = count(exploration.states, if exploration.symmetry { "orbit" } else { "state" });
    let seen = match exploration.stop {
        Stop::Complete if exploration.states == 0 => "no state is initial".to_owned(),
        Stop::Complete => format!("all {states}"),
        stop => format!("{states}, {}", cause(stop)),
    };
    let mut text = format!("{}: {seen}", style.title(format!("Explored {procs}")));
    if exploration.states == 0 {
        return text + "\n";
    }
    let _ = write!(text, ", {} deep", count(exploration.depth, "step"));
    if !exploration.fired.is_empty() {
        let (fired, declared, never) = coverage(system, exploration);
        let _ = match (fired == declared, declared) {
            (true, 1) => write!(text, ", its transition fired"),
            (true, _) => write!(text, ", all {declared} transitions fired"),
            (false, _) => write!(text, ", {fired} of {} fired{never}", count(declared, "transition")),
        };
    }
    if let Some(missed) = exploration.missed {
        let _ = write!(text, ", {} expected to be missed", expected(missed));
    }
    if exploration.epochs > 0 {
        let epochs = count(exploration.epochs, "epoch");
        let _ = write!(text, ", {epochs} of walks with seed {}", exploration.seed);
    }
    if exploration.deadlock_states > 0 {
        let _ = write!(text, ", {}", count(exploration.deadlock_states, "deadlocked state"));
    }
    text + "\n"
}

/// `BRAB with 2 processes: decided, 37 nodes`.
pub fn searched(stage: &Stage, style: Style) -> String {
    let came_to = match &stage.reason {
        None => "decided".to_owned(),
        Some(Reason::Effort(_)) => "its turn ended without an answer".to_owned(),
        Some(Reason::Spurious(_)) => "found only traces that no instance executes".to_owned(),
        Some(why) => reason(why),
    };
    let nodes = count(stage.nodes, "node");
    format!("{}: {came_to}, {nodes}\n", style.title(capitalized(&ordered_name(stage.proof, stage.order))))
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// Everything after the stages: invariants, figures, traces, the answer. `all` is for all invariants and
/// candidates.
pub fn plain_conclusion(run: EndedRun<'_>, options: &Options, all: bool) -> String {
    let EndedRun { system, report, style, .. } = run;
    let mut text = String::new();
    if let Some(outcome) = &report.backward {
        if !matches!(options.proof, BackwardMode::Auto) {
            text.push_str(&searched(&only_stage(options, outcome), style));
        }
        text.push_str(&candidates(outcome, all, style));
        text.push_str(&tails(system, report, style));
        text.push_str(&figures(outcome, report.acceptance, style));
    }
    // The lines of the stages say which engine decided, unless it was an exploration made after all of them.
    let afterwards = !matches!(report.decider, Some(Decider::Stage(_)));
    text + &ending(run, afterwards)
}

/// A single search, as a stage.
fn only_stage(options: &Options, outcome: &Outcome) -> Stage {
    let statistics = &outcome.statistics;
    let nodes = statistics.nodes + statistics.abandoned.iter().sum::<usize>();
    let reason = match &outcome.verdict {
        Verdict::Unknown(why) => Some(why.clone()),
        Verdict::Safe | Verdict::Unsafe(_) => None,
    };
    let effort = outcome.statistics.effort;
    Stage { proof: options.proof, order: options.backward.order.unwrap_or_default(), nodes, effort, reason }
}

/// The invariants that were proved; candidates that were only tried are shown when all are asked for.
fn candidates(outcome: &Outcome, all: bool, style: Style) -> String {
    let safe = outcome.verdict == Verdict::Safe;
    if outcome.candidates.is_empty() || !(safe || all) {
        return String::new();
    }
    let title = if safe { "Invariants" } else { "Candidates" };
    let says = if safe {
        "no reachable state is in one of these cubes, for any number of processes"
    } else {
        "it is not known whether a reachable state is in one of these cubes"
    };
    let mut text = format!("\n{}: {says}\n", style.title(title));
    let shown = if all { usize::MAX } else { MOST_INVARIANTS };
    for Candidate { number, literals: cube } in outcome.candidates.iter().take(shown) {
        let _ = writeln!(text, "  {}  {}", style.name(format!("({number})")), literals(cube));
    }
    let more = outcome.candidates.len().saturating_sub(shown);
    if more > 0 {
        let _ = writeln!(
            text,
            "  and {more} more: `--verbose` shows them all, `--certificate DIR` writes the whole proof"
        );
    }
    text
}

/// The arrays that the proof has added to the model.
fn tails(system: &System, report: &Report, style: Style) -> String {
    let mut text = String::new();
    for array in &report.announcements {
        let name = system.title(*array);
        let _ = write!(
            text,
            "\n{}: not in the cubes of the proof; bad states say what the steps that set it saw\n",
            style.title(format!("Announcement {name}")),
        );
    }
    for (tail, name) in report.tails.iter().zip(tail_names(system, &report.tails)) {
        let index: Vec<String> = ('a'..).take(tail.constants.into()).map(String::from).collect();
        let at = if index.is_empty() { String::new() } else { format!("at {} ", index.join(", ")) };
        let _ = write!(
            text,
            "\n{}: added for the proof; true {at}wherever {}\n",
            style.title(format!("Tail {name}")),
            words::tail(system, tail)
        );
    }
    text
}

/// The figures of the last backward search. Nothing that depends on the clock.
fn figures(outcome: &Outcome, acceptance: Option<Acceptance>, style: Style) -> String {
    let statistics = &outcome.statistics;
    let mut text = format!("\n{}\n", style.title("Statistics"));
    let mut row = |label: &str, value: String| {
        let _ = writeln!(text, "  {label:<15} {value}");
    };
    let deleted = match statistics.deleted {
        0 => String::new(),
        deleted => format!(", {deleted} of them covered later"),
    };
    row("nodes", format!("{} expanded{deleted}", statistics.nodes));
    row("", format!("{} not expanded, because they were covered", statistics.fixpoints));
    let procs = count(statistics.max_procs, "process");
    row("largest cube", format!("{procs}, {}", count(statistics.max_literals, "literal")));
    let Tests { subsumption, contradiction, finite_domains, z3 } = statistics.tests;
    row("fixpoint tests", format!("{subsumption} settled by subsumption, {contradiction} by contradiction"));
    row("", format!("{finite_domains} by finite domains, {z3} by Z3"));
    row("Z3", count(statistics.solver_calls, "call"));
    if outcome.approximated {
        let Proposals { lemmas, asked, refuted, proposed, bad } = statistics.proposals;
        if lemmas > 0 {
            row("lemmas", format!("{lemmas} about numbers, proved together"));
        }
        row("candidates", format!("{proposed} proposed, {bad} of them given up"));
        row("oracle", format!("{}, {refuted} of them answered by a state", count(asked, "question")));
        let given_up = statistics.abandoned.iter().sum::<usize>();
        row(
            "restarts",
            match statistics.restarts {
                0 => "none".to_owned(),
                restarts => format!("{restarts}, which gave up {}", count(given_up, "node")),
            },
        );
    }
    if let Some(acceptance) = acceptance {
        row("check", checked(acceptance));
    }
    text
}
