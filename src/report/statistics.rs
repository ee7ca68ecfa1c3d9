//! Ruled blocks, a title between lines of `=` and `-`, then rows `label : value`: of an exploration, of the backward search, and the
//! timings under `--profile`.

use std::fmt::Write as _;

use cubicle_lang::model::{System, Transition};
use cubicle_run::style::Style;
use cubicle_run::words::{cause, count};
use cubicle_run::{
    AROUND_DEADLOCKS, Acceptance, Exploration, Options, Outcome, Proposals, Report, Stop, TechniqueReport,
    Tests, Verdict,
};

/// Width of the rules, and the column to which trailing notes are aligned.
pub(super) const WIDTH: usize = 80;

/// Column of the colon in a row.
const LABEL: usize = 33;

pub(super) struct Block(String);

impl Block {
    pub(super) fn new(title: &str, style: Style) -> Self {
        Self(format!("{}\n* {}\n{}\n", "=".repeat(WIDTH), style.title(title), "-".repeat(WIDTH)))
    }

    /// Adds `label : value`.
    pub(super) fn row(&mut self, label: &str, value: impl std::fmt::Display) {
        let _ = writeln!(self.0, "{label:LABEL$}: {value}");
    }

    /// Adds a line as it is.
    pub(super) fn line(&mut self, text: &str) {
        self.0.push_str(text);
        self.0.push('\n');
    }

    /// Closes the block.
    pub(super) fn finish(mut self) -> String {
        self.line(&"=".repeat(WIDTH));
        self.0
    }
}

/// Figures of the backward search; nothing that depends on the clock.
pub(super) fn statistics(
    outcome: &Outcome,
    acceptance: Option<Acceptance>,
    options: &Options,
    style: Style,
) -> String {
    let statistics = &outcome.statistics;
    let mut block = Block::new("STATS", style);
    block.row("Number of visited nodes", statistics.nodes);
    block.row("Fixpoints", statistics.fixpoints);
    block.row("Number of solver calls", statistics.solver_calls);
    block.row("Max Number of processes", statistics.max_procs);
    block.row("Max Number of literals", statistics.max_literals);
    let Tests { subsumption, contradiction, finite_domains, z3 } = statistics.tests;
    block.row(
        "Tests settled by",
        format!(
            "subsumption {subsumption}, contradiction {contradiction}, finite domains {finite_domains}, Z3 {z3}"
        ),
    );
    if options.backward.delete {
        block.row("Number of deleted nodes", statistics.deleted);
    }
    if outcome.approximated {
        let safe = outcome.verdict == Verdict::Safe;
        block.row(
            if safe { "Number of invariants" } else { "Number of candidates" },
            outcome.candidates.len(),
        );
        let Proposals { lemmas, asked, refuted, proposed, bad } = statistics.proposals;
        if lemmas > 0 {
            block.row("Lemmas about numbers", lemmas);
        }
        block.row("Candidates", format!("{proposed} proposed, {bad} of them bad"));
        block.row("Questions to the oracle", format!("{asked}, {refuted} refuted"));
        let mut restarts = statistics.restarts.to_string();
        if !statistics.abandoned.is_empty() {
            let nodes: Vec<_> = statistics.abandoned.iter().map(usize::to_string).collect();
            let _ = write!(restarts, " (nodes {})", nodes.join(" + "));
        }
        block.row("Restarts", restarts);
    }
    if let Some(acceptance) = acceptance {
        block.row("Check of the proof", checked(acceptance));
    }
    block.finish()
}

/// What the check of proofs showed.
pub(super) fn checked(acceptance: Acceptance) -> String {
    match (acceptance.obligations, acceptance.invariants) {
        (Some(obligations), Some(invariants)) => {
            format!("{} about {}", count(obligations, "obligation"), count(invariants, "invariant"))
        }
        _ => "none".to_owned(),
    }
}

/// What a technique of walks contributed.
pub(super) fn walks(technique: &TechniqueReport) -> String {
    let TechniqueReport { runs, steps, states, combinations, .. } = technique;
    format!("{runs} walks, {steps} steps, {states} states, {combinations} combinations")
}

/// Time per phase and the named counters.
pub fn profile(report: &Report, style: Style) -> String {
    let mut block = Block::new("PROFILE", style);
    let statistics = report.backward.as_ref().map(|outcome| &outcome.statistics);
    for (phase, time) in &report.times {
        block.row(&format!("Time, {phase}"), format!("{:.3} s", time.as_secs_f64()));
    }
    for phase in statistics.iter().flat_map(|statistics| &statistics.phases) {
        let (seconds, calls) = (phase.time.as_secs_f64(), phase.calls);
        let calls = if calls == 0 { String::new() } else { format!(", {calls} times") };
        block.row(&format!("  {}", phase.name), format!("{seconds:.3} s{calls}"));
    }
    for exploration in &report.explorations {
        for technique in &exploration.techniques {
            block.row(&format!("  {}", technique.name), walks(technique));
        }
    }
    for (counter, value) in statistics.iter().flat_map(|statistics| &statistics.counters) {
        block.row(counter, value);
    }
    block.finish()
}

/// Names of transitions shown in one row at most.
const MOST_NAMES: usize = 12;

/// The block: what was seen, and whether that is everything.
pub fn exploration(system: &System, exploration: &Exploration, style: Style) -> String {
    let procs = exploration.procs;
    let mut block = Block::new(&format!("FORWARD EXPLORATION [{procs} procs]"), style);
    block.row("Total forward nodes", format!("{} {}", exploration.states, unit(exploration)));
    block.row("Depth", exploration.depth);
    let none = exploration.states == 0 && exploration.stop == Stop::Complete;
    block.row("Exploration", if none { "complete: no state is initial" } else { cause(exploration.stop) });
    if !exploration.fired.is_empty() {
        let (fired, declared, never) = coverage(system, exploration);
        block.row("Transitions that fired", format!("{fired} of {declared}{never}"));
    }
    if let Some(missed) = exploration.missed {
        block.row("Expected to be missed", expected(missed));
    }
    if exploration.epochs > 0 {
        block.row("Seed, epochs", format!("{}, {}", exploration.seed, exploration.epochs));
    }
    if let Some((cells, combinations)) = exploration.combinations {
        // States found around deadlocks are not examined for combinations.
        let all = exploration.techniques.iter().all(|t| t.name != AROUND_DEADLOCKS);
        let least = if all { "" } else { "at least " };
        block.row("Combinations of values seen", format!("{least}{combinations} (of {cells} cells each)"));
    }
    if exploration.deadlock_states > 0 {
        block.row("Deadlocked states", exploration.deadlock_states);
    }
    if exploration.outside_deadlock_states > 0 {
        block.row("Only with an outside value", exploration.outside_deadlock_states);
    }
    for technique in &exploration.techniques {
        block.row(&format!("  {}", technique.name), walks(technique));
    }
    block.finish()
}

/// How many states are expected to have been missed, besides those reachable only through them.
pub(super) fn expected(missed: f64) -> String {
    if missed < 0.1 { format!("{missed:.0e} states") } else { format!("{missed:.1} states") }
}

/// What is counted: concrete states, or something that stands for several.
fn unit(exploration: &Exploration) -> &'static str {
    match (exploration.symmetry, exploration.compressed) {
        (false, false) => "states",
        (true, false) => "orbits of states under renaming of processes",
        (false, true) => "states, some with cells left open",
        (true, true) => "orbits of states, some with cells left open",
    }
}

/// The declarations of transitions, each with how often all of its parts fired in an exploration.
pub(super) fn fired<'s>(
    system: &'s System,
    exploration: &Exploration,
) -> impl Iterator<Item = (&'s Transition, u64)> {
    let mut counts = exploration.fired.iter().chain(std::iter::repeat(&0));
    let declared = system.transitions.chunk_by(|a, b| a.origin == b.origin);
    declared.map(move |parts| (&parts[0], counts.by_ref().take(parts.len()).sum()))
}

/// How many transitions fired, of how many, and ` (never: t, u)`. The parts of one declaration count as one.
pub(super) fn coverage(system: &System, exploration: &Exploration) -> (usize, usize, String) {
    let declared: Vec<_> = fired(system, exploration).filter(|it| !system.is_watch(it.0)).collect();
    let never: Vec<&str> = declared.iter().filter(|it| it.1 == 0).map(|it| it.0.name.as_str()).collect();
    let mut text = String::new();
    if !never.is_empty() {
        let shown = &never[..never.len().min(MOST_NAMES)];
        let more = if shown.len() < never.len() { ", .." } else { "" };
        let _ = write!(text, " (never: {}{more})", shown.join(", "));
    }
    (declared.len() - never.len(), declared.len(), text)
}
