//! From the report of a run to its document.

use std::time::Duration;

use super::answer::{Answer, Assumption, DecidedBy, Property, PropertyKind, PropertyVerdict, SafetyAnswer};
use super::message::{Lines, TextRange};
use super::search::{BackwardFigures, FiredIn, TailRecord, TransitionFigures};
use super::trace::TraceRecord;
use super::{Document, Times};
use crate::statistics::fired;
use crate::vacuity;
use cubicle_lang::model::{Bad, BadKind, System, Tail, TemporalKind, Transition, tail_names};
use cubicle_lang::words;
use cubicle_run::named::Named;
use cubicle_run::words::unproved;
use cubicle_run::{Decider, Exploration, Report, TemporalFinding, TemporalReport, Trace, Verdict, result};

impl Document {
    /// Fills in what `report` says about the model; spans index `text`.
    pub fn fill(&mut self, system: &System, text: &str, report: &Report) {
        let lines = &Lines::new(text);
        let cut = report.coverage.as_ref().and_then(|coverage| coverage.cut.as_ref());
        self.verdict = Answer::Checked(report.conclusion());
        self.reason = report.open().map(Into::into);
        self.safety = SafetyAnswer::of(report);
        self.deadlock = report.deadlocks.as_ref().map(Into::into);
        self.complete = report.coverage.as_ref().map(|coverage| coverage.cut.is_none());
        self.cause = cut.map(|cut| cut.stop);
        self.decider = report.decider.map(decider);
        self.assumptions = report.assumptions.iter().map(|it| Assumption::new(lines, it)).collect();
        self.properties = properties(system, lines, report);
        self.traces = report.traces().map(|trace| TraceRecord::new(system, lines, trace)).collect();
        self.traces.extend(report.temporal.iter().filter_map(|it| TraceRecord::of_runs(system, lines, it)));
        self.transitions = transitions(system, lines, &report.explorations);
        self.explorations = report.explorations.iter().map(Into::into).collect();
        self.sizes = report.enough.as_ref().map(Into::into);
        self.stages = report.stages.iter().map(Into::into).collect();
        self.announcements = report.announcements.iter().map(|it| system.title(*it)).collect();
        self.tails = tails(system, report);
        self.backward = BackwardFigures::of(system, report);
        self.proof_check = report.acceptance;
        self.vacuity = vacuity::lines(system, report);
        self.times = times(report);
    }
}

fn tails(system: &System, report: &Report) -> Vec<TailRecord> {
    let names = tail_names(system, &report.tails).into_iter();
    let record = |(name, tail): (String, &Tail)| TailRecord {
        name,
        indices: tail.constants.into(),
        clause: words::tail(system, tail),
    };
    names.zip(&report.tails).map(record).collect()
}

fn decider(decider: Decider) -> DecidedBy {
    match decider {
        Decider::Forward(procs) | Decider::AllInstances(procs) => {
            DecidedBy { engine: "forward", processes: Some(procs) }
        }
        Decider::Stage(proof) => DecidedBy { engine: proof.method().name(), processes: proof.oracle_procs() },
    }
}

/// The declarations of bad states. A declaration with several disjuncts is violated when one of them is.
fn properties(system: &System, lines: &Lines<'_>, report: &Report) -> Vec<Property> {
    let mut found: Vec<(&Bad, PropertyVerdict)> = Vec::new();
    for (number, bad) in system.bad.iter().enumerate() {
        let verdict = property(report, number, bad);
        match found.iter_mut().find(|(known, _)| known.span == bad.span) {
            Some((_, known)) if verdict == PropertyVerdict::Violated => *known = verdict,
            Some(_) => {}
            None => found.push((bad, verdict)),
        }
    }
    found.sort_by_key(|(bad, _)| bad.span);
    let shown_with = |verdict, bad: &Bad| {
        let ends_there = |trace: &&Trace| trace.bad.is_some_and(|at| system.bad[at].span == bad.span);
        let run = report.traces().find(ends_there);
        run.filter(|_| verdict == PropertyVerdict::Violated).map(|trace| trace.initial.procs)
    };
    let declared = |(bad, verdict): (&Bad, PropertyVerdict)| Property {
        processes: Vec::new(),
        shown_with: shown_with(verdict, bad),
        name: bad.name.clone(),
        kind: match bad.kind {
            BadKind::Unsafe => PropertyKind::Unsafe,
            BadKind::Invariant => PropertyKind::Invariant,
        },
        place: TextRange::new(lines, bad.span),
        verdict,
        unproved: None,
    };
    let mut all: Vec<Property> = found.into_iter().map(declared).collect();
    all.extend(report.temporal.iter().map(|it| temporal(system, lines, it)));
    all.sort_by_key(|it| (it.place.line, it.place.column));
    all
}

fn temporal(system: &System, lines: &Lines<'_>, known: &TemporalReport) -> Property {
    let property = &system.temporal[known.property];
    Property {
        name: property.name.clone(),
        kind: match property.kind {
            TemporalKind::Response => PropertyKind::Response,
            TemporalKind::Recurrence => PropertyKind::Recurrence,
            TemporalKind::Possible => PropertyKind::Possible,
            TemporalKind::Cover => PropertyKind::Cover,
            TemporalKind::Ltl => PropertyKind::Ltl,
        },
        place: TextRange::new(lines, property.span),
        verdict: match &known.found {
            Some(TemporalFinding::Reached { .. }) => PropertyVerdict::Reached,
            Some(TemporalFinding::Lasso { .. } | TemporalFinding::DeadEnd { .. }) => {
                PropertyVerdict::Violated
            }
            None if known.never => PropertyVerdict::Violated,
            None if known.proved => PropertyVerdict::Proved,
            None if property.kind == TemporalKind::Cover || known.held.is_empty() => PropertyVerdict::Unknown,
            None => PropertyVerdict::HoldsForProcesses,
        },
        processes: known.held.clone(),
        unproved: known.unproved.as_ref().map(unproved),
        shown_with: known.found.as_ref().map(|found| found.run().initial.procs),
    }
}

fn property(report: &Report, number: usize, bad: &Bad) -> PropertyVerdict {
    let trusted = |it: &result::Assumption| it.span == bad.span;
    match &report.verdict {
        _ if report.traces().any(|trace| trace.bad == Some(number)) => PropertyVerdict::Violated,
        _ if report.assumptions.iter().any(trusted) => PropertyVerdict::Assumed,
        Some(Verdict::Safe) => PropertyVerdict::Proved,
        None => PropertyVerdict::NotMet,
        Some(Verdict::Unsafe(_) | Verdict::Unknown(_)) => PropertyVerdict::Unknown,
    }
}

/// The transitions as they are declared: the parts of one count together.
fn transitions(system: &System, lines: &Lines<'_>, explorations: &[Exploration]) -> Vec<TransitionFigures> {
    let all: Vec<Vec<_>> = explorations.iter().map(|it| fired(system, it).collect()).collect();
    let figures = |(at, (transition, _)): (usize, (&Transition, u64))| TransitionFigures {
        name: transition.name.clone(),
        place: TextRange::new(lines, transition.span),
        fired: (explorations.iter().zip(&all))
            .map(|(it, fired)| FiredIn { processes: it.procs, count: fired[at].1 })
            .collect(),
    };
    fired(system, &Exploration::default()).enumerate().map(figures).collect()
}

fn times(report: &Report) -> Times {
    let mut times = Times::default();
    for (part, time) in &report.times {
        times.parts.insert((*part).to_owned(), time.as_secs_f64());
    }
    for phase in report.backward.iter().flat_map(|outcome| &outcome.statistics.phases) {
        times.phases.insert(phase.name.to_owned(), phase.time.as_secs_f64());
    }
    for technique in report.explorations.iter().flat_map(|exploration| &exploration.techniques) {
        *times.techniques.entry(technique.name.to_owned()).or_default() +=
            Duration::as_secs_f64(&technique.time);
    }
    times
}
