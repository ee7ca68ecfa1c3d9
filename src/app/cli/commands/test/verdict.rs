//! From the document of a run to the verdict on it, and whether that is as expected.

use cubicle_report::document::{RunCost, TestOutcome, TestedRun};
use cubicle_run::Conclusion;
use cubicle_run::named::Named;
use cubicle_run::words::count;
use cubicle_tools::expect::{Expectation, verdict_word};
use serde_json::Value;

use super::plan::PlannedRun;
use crate::child::ChildEnd;
use crate::cli::exit;

pub fn of_child(planned: &PlannedRun, end: &ChildEnd) -> TestedRun {
    document(end).map_or_else(|| failed(planned, end), |document| judge(planned, &document))
}

/// The document that a run has written; `None` when it ended without one, or with another exit code than the document's.
fn document(end: &ChildEnd) -> Option<Value> {
    let document: Value = serde_json::from_str(&end.stdout).ok()?;
    let code = end.code?.ok()?;
    (document["exit_code"] == code && code != exit::INTERNAL && document["verdict"].is_string())
        .then_some(document)
}

/// A run that ended without a document that can be used.
fn failed(planned: &PlannedRun, end: &ChildEnd) -> TestedRun {
    let last = end.stderr.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let how = match end.code {
        Some(Ok(code)) => format!("the program ended with exit code {code}"),
        Some(Err(signal)) => format!("signal {signal} ended the program"),
        None => "it was ended".to_owned(),
    };
    let why = if last.is_empty() { how } else { format!("{how}: {last}") };
    TestedRun { outcome: TestOutcome::Failed, why: Some(why), ..unjudged(planned) }
}

/// The verdict of a run that wrote this document.
fn judge(planned: &PlannedRun, document: &Value) -> TestedRun {
    let word = document["verdict"].as_str().unwrap_or_default();
    let conclusion = Conclusion::by_name(word);
    let trace = conclusion.map_or(&Value::Null, |it| shown_by(document, it));
    let steps = trace["steps"].as_array().map(Vec::len);
    let errors: Vec<&Value> = messages(document).filter(|it| it["level"] == "error").collect();
    let codes = || errors.iter().filter_map(|it| it["code"].as_str());
    let verdict = match (conclusion, steps) {
        (Some(conclusion), None) => verdict_word(conclusion),
        (Some(conclusion), Some(steps)) => format!("{} in {steps}", verdict_word(conclusion)),
        (None, _) => match codes().next() {
            Some(code) => format!("error {code}"),
            None => word.replace('_', "-"),
        },
    };
    let as_expected = match (&planned.expected, conclusion) {
        (Expectation::Verdict(expected, most), Some(actual)) => {
            *expected == actual && most.is_none_or(|most| steps.is_some_and(|steps| steps <= most))
        }
        (Expectation::Verdict(..), None) => false,
        (Expectation::WellFormed, _) => word == "well_formed",
        (Expectation::Error(code), _) => conclusion.is_none() && codes().any(|it| it == code),
    };
    let outcome = match conclusion {
        _ if as_expected => TestOutcome::AsExpected,
        Some(Conclusion::Unknown) => TestOutcome::Inconclusive,
        _ => TestOutcome::Unexpected,
    };
    let times = &document["times"];
    let seconds = |key: &str| times[key].as_f64().unwrap_or_default();
    let peak_memory = times["peak_memory"].as_u64().and_then(|bytes| usize::try_from(bytes).ok());
    TestedRun {
        verdict: Some(verdict),
        outcome,
        why: why(document, trace, &errors),
        cost: RunCost { wall: seconds("total"), cpu: seconds("cpu"), peak_memory },
        ..unjudged(planned)
    }
}

/// The run of a document that shows its conclusion; null when none does.
fn shown_by(document: &Value, conclusion: Conclusion) -> &Value {
    let kinds: &[&str] = match conclusion {
        Conclusion::Unsafe => &["unsafe"],
        Conclusion::InvariantRefuted | Conclusion::AssumptionRefuted => &["invariant"],
        Conclusion::Violated => &["lasso", "dead_end"],
        Conclusion::Deadlock => &["deadlock"],
        Conclusion::Safe | Conclusion::NothingFound | Conclusion::Unknown => &[],
    };
    let mut traces = document["traces"].as_array().into_iter().flatten();
    traces.find(|it| it["kind"].as_str().is_some_and(|kind| kinds.contains(&kind))).unwrap_or(&Value::Null)
}

fn messages(document: &Value) -> impl Iterator<Item = &Value> {
    document["messages"].as_array().into_iter().flatten()
}

/// More about a verdict, in a line: the run that shows it, the reason why there is none, an error.
fn why(document: &Value, trace: &Value, errors: &[&Value]) -> Option<String> {
    if let Some(history) = trace["history"].as_str() {
        let processes = trace["processes"].as_u64().unwrap_or_default();
        return Some(format!("with {}: {history}", count(processes, "process")));
    }
    if let Some(reason) = document["reason"]["text"].as_str() {
        return Some(reason.to_owned());
    }
    match errors.first() {
        Some(first) => {
            let text = first["text"].as_str().unwrap_or_default();
            let line = first["place"]["line"].as_u64();
            Some(line.map_or_else(|| text.to_owned(), |line| format!("line {line}: {text}")))
        }
        None => document["error"].as_str().map(str::to_owned),
    }
}

fn unjudged(planned: &PlannedRun) -> TestedRun {
    TestedRun {
        place: planned.place.map(|(place, _)| place),
        arguments: planned.words.join(" "),
        expected: planned.expected.to_string(),
        verdict: None,
        outcome: TestOutcome::Failed,
        why: None,
        cost: RunCost::default(),
    }
}
