//! The statistics block, and the timings under `--profile`.

use std::fmt::Write as _;

use super::block::Block;
use cubicle_run::style::Style;
use cubicle_run::words::count;
use cubicle_run::{Acceptance, Options, Outcome, Proposals, Report, TechniqueReport, Tests, Verdict};

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
    match acceptance {
        Acceptance::Checked { invariants, obligations, .. } => {
            format!("{} about {}", count(obligations, "obligation"), count(invariants, "invariant"))
        }
        Acceptance::Unchecked => "none".to_owned(),
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
