//! The figures of a run for programs.

use serde_json::{Value, json};

use super::assumptions;
use super::style::Style;
use super::trace::history;
use super::vacuity;
use crate::diagnostic::Source;
use crate::model::System;
use crate::options::Proof;
use crate::result::{Conclusion, Deadlocks, Enough, Exploration, Report, Stage, Stop};
use crate::verdict::Verdict;
use crate::words::reason;

/// Everything that the run found out, as a JSON text that ends in a line feed. Only `times` and the seconds
/// of `phases` depend on the clock.
pub fn statistics(system: &System, source: &Source<'_>, report: &Report) -> String {
    let verdict = match report.conclusion() {
        Conclusion::Safe => "safe",
        Conclusion::Unsafe => "unsafe",
        Conclusion::InvariantRefuted => "invariant refuted",
        Conclusion::AssumptionRefuted => "assumption refuted",
        Conclusion::Deadlock => "deadlock",
        Conclusion::NothingFound => "nothing found",
        Conclusion::Unknown => "unknown",
    };
    let safety = report.verdict.as_ref().map(|verdict| match verdict {
        Verdict::Safe => "safe",
        Verdict::Unsafe(_) if report.refuted.is_none() => "unsafe",
        // Only a claim or an assumption is refuted.
        Verdict::Unsafe(_) | Verdict::Unknown(_) => "unknown",
    });
    let deadlock = report.deadlocks.as_ref().map(|answer| match answer {
        Deadlocks::Found => "found",
        Deadlocks::NoneSeen => "none seen",
        Deadlocks::Open(_) => "unknown",
    });
    let cut = report.coverage.as_ref().and_then(|coverage| coverage.cut.as_ref());
    let deadlocked = report.deadlocked().next().map(|trace| history(system, trace, Style::PLAIN));
    let trace = match &report.verdict {
        Some(Verdict::Unsafe(trace)) => Some(history(system, trace, Style::PLAIN)),
        _ => None,
    };
    let file = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "model": source.name,
        "verdict": verdict,
        "assumptions": assumptions::values(source, &report.assumptions),
        "reason": report.open().map(reason),
        "safety": safety,
        "deadlock": deadlock,
        "complete": report.coverage.as_ref().map(|coverage| coverage.cut.is_none()),
        "cause": cut.map(|cut| stop(cut.stop)),
        "error trace": trace,
        "deadlock trace": deadlocked,
        "vacuity": vacuity::lines(system, report),
        "explorations": report.explorations.iter().map(exploration).collect::<Vec<_>>(),
        "sizes": report.enough.map(sizes),
        "stages": report.stages.iter().map(stage).collect::<Vec<_>>(),
        "backward": report.backward.as_ref().map(backward),
        "times": times(&report.times),
    });
    format!("{file:#}\n")
}

pub(super) fn exploration(exploration: &Exploration) -> Value {
    json!({
        "processes": exploration.procs,
        "states": exploration.states,
        "symmetry": exploration.symmetry,
        "open cells": exploration.compressed,
        "depth": exploration.depth,
        "complete": exploration.stop == Stop::Complete,
        "stop": stop(exploration.stop),
        "deadlocked states": exploration.deadlock_states,
        "fired": exploration.fired,
    })
}

fn sizes(enough: Enough) -> &'static str {
    match enough {
        Enough::Settled { .. } => "settled",
        Enough::Cut(_) => "cut",
        Enough::Largest => "largest",
        Enough::Limit => "limit",
        Enough::Found => "found",
    }
}

fn stop(stop: Stop) -> &'static str {
    match stop {
        Stop::Complete => "complete",
        Stop::Depth => "depth",
        Stop::States => "states",
        Stop::Time => "time",
        Stop::Memory => "memory",
        Stop::Unsafe => "unsafe",
        Stop::Numbers => "numbers",
        Stop::Epochs => "epochs",
        Stop::Fired => "fired",
        Stop::Interrupted => "interrupted",
        Stop::Wide => "wide",
        Stop::TooLarge => "too large",
        Stop::NoInstance => "no instance",
    }
}

fn backward(outcome: &crate::result::Outcome) -> Value {
    let statistics = &outcome.statistics;
    let candidates: Vec<_> = outcome
        .candidates
        .iter()
        .map(|candidate| json!({ "number": candidate.number, "literals": candidate.literals }))
        .collect();
    let counters: serde_json::Map<_, _> =
        statistics.counters.iter().map(|&(name, value)| (name.to_owned(), value.into())).collect();
    let (tests, proposals) = (&statistics.tests, &statistics.proposals);
    let phases: serde_json::Map<_, _> = statistics
        .phases
        .iter()
        .map(|phase| {
            let figures = json!({ "calls": phase.calls, "seconds": phase.time.as_secs_f64() });
            (phase.name.to_owned(), figures)
        })
        .collect();
    json!({
        "nodes": statistics.nodes,
        "abandoned": statistics.abandoned,
        "fixpoints": statistics.fixpoints,
        "solver calls": statistics.solver_calls,
        "max processes": statistics.max_procs,
        "max literals": statistics.max_literals,
        "deleted": statistics.deleted,
        "restarts": statistics.restarts,
        "candidates": candidates,
        "counters": counters,
        "tests": {
            "subsumption": tests.subsumed,
            "contradiction": tests.empty,
            "finite domains": tests.finite,
            "Z3": tests.solver,
        },
        "proposed candidates": proposals.proposed,
        "bad candidates": proposals.bad,
        "questions to the oracle": proposals.asked,
        "questions refuted": proposals.refuted,
        "phases": phases,
    })
}

/// A search of the automatic choice.
pub(super) fn stage(stage: &Stage) -> Value {
    let (search, procs) = match stage.proof {
        Proof::Brab(procs) => ("brab", Some(procs)),
        Proof::Auto | Proof::Classic => ("classic", None),
    };
    json!({
        "search": search,
        "processes": procs,
        "nodes": stage.nodes,
        "reason": stage.reason.as_ref().map(reason),
    })
}

/// Seconds per phase.
fn times(times: &[(&'static str, std::time::Duration)]) -> Value {
    Value::Object(times.iter().map(|(name, time)| ((*name).to_owned(), time.as_secs_f64().into())).collect())
}
