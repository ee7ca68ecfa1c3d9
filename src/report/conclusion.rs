//! The end of a run: candidates, statistics, trace and answer, in the format of the original program; and the trace
//! and the answer alone, for other formats.

use std::fmt::Write as _;

use super::runs;
use super::stages::{decider, literals};
use super::statistics::{Block, statistics};
use super::trace::{EndedRun, history, states, violation};
use cubicle_lang::diagnostic::{Source, Span};
use cubicle_lang::model::{BadKind, System};
use cubicle_run::style::Style;
use cubicle_run::{
    Assumption, AssumptionKind, Conclusion, Coverage, Deadlocks, Decider, Enough, Options, Outcome, Reason,
    Report, Trace, Verdict, words,
};

/// Everything after the node lines, ending in the answer.
pub fn conclusion(run: EndedRun<'_>, options: &Options) -> String {
    let EndedRun { report, style, .. } = run;
    let mut text = String::new();
    if let Some(outcome) = &report.backward {
        text.push_str(&candidates(outcome, style));
        text.push_str(&statistics(outcome, report.acceptance, options, style));
    }
    text + &ending(run, true)
}

/// The traces, the engine that decided when that is wanted, and the answer.
pub(super) fn ending(run: EndedRun<'_>, with_decider: bool) -> String {
    let EndedRun { system, source, report, trace_states, style } = run;
    let mut text = String::new();
    for (title, trace) in traces(report) {
        let _ = writeln!(text, "\n{}: {}", style.bad(title), history(system, trace, style));
        if let Some(line) = violation(system, source, trace) {
            let _ = writeln!(text, "{line}");
        }
        if let Some(line) = refuted_invariant(system, source, report, trace) {
            let _ = writeln!(text, "{line}");
        }
        if let Some(which) = trace_states {
            let _ = write!(text, "\n{}", states(system, trace, which, style));
        }
    }
    text.push_str(&runs::findings(run));
    let before = text.len();
    if let Some(why) = report.enough.and_then(|enough| sizes(report, enough)) {
        let _ = writeln!(text, "{why}");
    }
    if let Some(who) = decider(report).filter(|_| with_decider) {
        let _ = writeln!(text, "{who}");
    }
    if text.len() > before {
        text.push('\n');
    }
    text.insert(before, '\n');
    text.push_str(&answers(run));
    text
}

/// Explains a trace that ends in a state which an `invariant` of the model excludes.
fn refuted_invariant(system: &System, source: &Source<'_>, report: &Report, trace: &Trace) -> Option<String> {
    let bad = system.bad.get(trace.bad?).filter(|bad| bad.kind == BadKind::Invariant)?;
    let line = source.position(bad.span).0;
    let trusted = report.assumptions.iter().any(|it| it.kind == AssumptionKind::Trusted);
    let so = if trusted { ": the assumption does not hold" } else { "" };
    Some(format!("The `invariant` at line {line} is refuted{so}."))
}

/// Only the answer, after the states of the traces when they are asked for.
pub fn answer(run: EndedRun<'_>) -> String {
    let mut text = String::new();
    if let Some(which) = run.trace_states {
        for (_, trace) in traces(run.report) {
            text.push_str(&states(run.system, trace, which, run.style));
        }
        text.push_str(&runs::findings(run));
    }
    text.push_str(&answers(run));
    text
}

/// The traces of a report with their titles.
fn traces(report: &Report) -> impl Iterator<Item = (&'static str, &Trace)> {
    report.traces().map(|trace| (if trace.bad.is_some() { "Error trace" } else { "Deadlock" }, trace))
}

/// The answers, one per line: the one that the exit code stands for comes last.
fn answers(run: EndedRun<'_>) -> String {
    let EndedRun { system, source, report, style, .. } = run;
    let unchecked = if report.is_unchecked() { " (unchecked)" } else { "" };
    let rests_on = clause(source, &report.assumptions);
    let safety = match &report.verdict {
        // Without a bad state to prove unreachable, this adds nothing to the lines about runs.
        Some(Verdict::Safe)
            if system.bad.is_empty()
                && !system.temporal.is_empty()
                && report.conclusion() != Conclusion::Safe =>
        {
            None
        }
        Some(Verdict::Safe) => Some(style.good(format!("The system is SAFE{unchecked}{rests_on}"))),
        Some(Verdict::Unsafe(trace)) if report.refuted.is_some() => {
            Some(style.bad(refuted(system, source, report, trace)))
        }
        Some(Verdict::Unsafe(_)) => Some(style.bad("UNSAFE !")),
        Some(Verdict::Unknown(why)) => Some(unknown(why, style)),
        None => None,
    };
    let deadlocks = match &report.deadlocks {
        Some(Deadlocks::Found) => Some(style.bad("DEADLOCK !")),
        Some(Deadlocks::Open(why)) if !matches!(&report.verdict, Some(Verdict::Unknown(same)) if same == why) => {
            Some(unknown(why, style))
        }
        Some(Deadlocks::NoneSeen) if proved(report) => {
            let seen = report.coverage.as_ref();
            seen.map(|seen| style.good(in_states("No deadlock", seen, &report.of_sorts) + &rests_on))
        }
        Some(Deadlocks::Open(_) | Deadlocks::NoneSeen) | None => None,
    };
    let last = match (report.conclusion(), &report.verdict) {
        (Conclusion::NothingFound, _) => {
            let seen = report.coverage.as_ref().expect("without a proof there is an exploration");
            [Some(style.good(in_states("Nothing wrong", seen, &report.of_sorts) + &rests_on)), None]
        }
        (Conclusion::Deadlock, _) | (Conclusion::Unknown, Some(Verdict::Safe)) => [safety, deadlocks],
        _ => [deadlocks, safety],
    };
    let of_runs = match report.conclusion() {
        Conclusion::Violated => runs::violated(system, report, style),
        Conclusion::Unknown if report.open() == report.unproved.as_ref() => {
            report.unproved.as_ref().map(|why| unknown(why, style))
        }
        _ => None,
    };
    let known = runs::known(system, report, style);
    let lines = last.into_iter().flatten().chain(of_runs).map(|line| line + "\n");
    known + &lines.collect::<String>()
}

/// The answer of a run that ends for `why`, in one line without line end.
pub fn unknown(why: &Reason, style: Style) -> String {
    style.doubtful(format!("UNKNOWN: {}", words::reason(why)))
}

/// Whether something was said of all instances.
const fn proved(report: &Report) -> bool {
    report.backward.is_some() || matches!(report.decider, Some(Decider::AllInstances(_)))
}

/// `INVARIANT REFUTED: line 4; whether an unsafe state is reachable is open`.
fn refuted(system: &System, source: &Source<'_>, report: &Report, trace: &Trace) -> String {
    let what = match report.conclusion() {
        Conclusion::AssumptionRefuted => "ASSUMPTION REFUTED: invariant at ",
        _ => "INVARIANT REFUTED: ",
    };
    let at = trace.bad.map(|bad| system.bad[bad].span);
    let open = if system.bad.iter().any(|bad| bad.kind == BadKind::Unsafe) {
        "; whether an unsafe state is reachable is open"
    } else {
        ""
    };
    format!("{what}{}{open}", lines(source, at.into_iter()))
}

/// `Nothing wrong found with 3 processes in all 5107 orbits of states`: says what was seen, since it is not
/// a proof for any number of processes.
fn in_states(what: &str, seen: &Coverage, sorts: &[(String, usize)]) -> String {
    let processes = words::sizes(&seen.procs, ", ") + &words::of_sorts(sorts);
    let (unit, of) = if seen.symmetry { ("orbit", " of states") } else { ("state", "") };
    if seen.states == 0 && seen.cut.is_none() {
        return format!("{what} found with {processes}: no state is initial");
    }
    let (all, not_all) = if seen.cut.is_none() { ("all ", "") } else { ("", " (not all)") };
    format!("{what} found with {processes} in {all}{}{of}{not_all}", words::count(seen.states, unit))
}

/// Why no larger instance was explored, without line end; `None` when that is obvious.
fn sizes(report: &Report, enough: Enough) -> Option<String> {
    let last = report.explorations.last()?.procs;
    Some(match enough {
        Enough::Settled { of, views } => format!(
            "Ended with {last} processes: {}, {} and {last} have the same {views} views of {of} processes (no proof)",
            last - 2,
            last - 1
        ),
        Enough::Cut(procs) => {
            format!("Ended with {procs} processes: a partial exploration cannot be compared with others")
        }
        Enough::Largest => format!("Ended with {last} processes: the model has no larger instance"),
        Enough::Limit => format!("Ended with {last} processes: larger instances are not tried"),
        Enough::Found => return None,
    })
}

/// The candidates that BRAB proved, or those that it was trying.
fn candidates(outcome: &Outcome, style: Style) -> String {
    if outcome.candidates.is_empty() {
        return String::new();
    }
    let safe = outcome.verdict == Verdict::Safe;
    let title = if safe { "INFERRED NEGATED INVARIANTS" } else { "USED CANDIDATES" };
    let mut block = Block::new(title, style);
    for candidate in &outcome.candidates {
        let number = style.name(format!("({})", candidate.number));
        block.line(&format!("{number}  {}", literals(&candidate.literals)));
    }
    block.finish()
}

/// Behind an answer: `, under the axioms at lines 50, 51, assuming 1 invariant (line 4)`; empty without
/// assumptions.
pub(super) fn clause(source: &Source<'_>, assumptions: &[Assumption]) -> String {
    let of = |kind| assumptions.iter().filter(move |it| it.kind == kind).map(|it| it.span);
    let mut text = under_axioms(source, of(AssumptionKind::Axiom));
    let trusted: Vec<Span> = of(AssumptionKind::Trusted).collect();
    if !trusted.is_empty() {
        let (noun, lines) =
            (if trusted.len() == 1 { "invariant" } else { "invariants" }, trusted.into_iter());
        let count = lines.len();
        text = format!("{text}, assuming {count} {noun} ({})", self::lines(source, lines));
    }
    text
}

/// `, under the axiom at line 50`: the axioms of a system; empty when it has none.
pub fn axioms(system: &System, source: &Source<'_>) -> String {
    under_axioms(source, system.assumed().into_iter())
}

fn under_axioms(source: &Source<'_>, spans: impl Iterator<Item = Span>) -> String {
    let spans: Vec<Span> = spans.collect();
    let noun = if spans.len() == 1 { "axiom" } else { "axioms" };
    if spans.is_empty() {
        String::new()
    } else {
        format!(", under the {noun} at {}", lines(source, spans.into_iter()))
    }
}

/// `line 4`, `lines 4, 5`.
pub(super) fn lines(source: &Source<'_>, spans: impl Iterator<Item = Span>) -> String {
    let mut lines: Vec<usize> = spans.map(|span| source.position(span).0).collect();
    lines.dedup();
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    format!("{noun} {}", lines.join(", "))
}
