//! The outcome of a run, as words of a document.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::{Lines, TextRange};
use cubicle_run::figures::{Name, searches};
use cubicle_run::{AssumptionKind, Conclusion, Deadlocks, Report, Verdict, result};

/// The outcome of a run in one word; the exit code follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum Answer {
    /// The model was checked.
    Checked(#[schemars(with = "Name<Conclusion>")] Conclusion),
    /// The model was not checked.
    Unchecked(Unchecked),
}

impl Default for Answer {
    fn default() -> Self {
        Self::Unchecked(Unchecked::Error)
    }
}

/// The outcome of a run that does not check a model.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unchecked {
    /// Only the well-formedness of the model was checked, and nothing is wrong with it.
    WellFormed,
    /// There was no run: `error` says why.
    Error,
}

/// Whether a bad state is reachable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SafetyAnswer {
    /// No, for any number of processes.
    Safe,
    /// Yes.
    Unsafe,
    /// Not decided.
    Unknown,
}

impl SafetyAnswer {
    pub(super) fn of(report: &Report) -> Option<Self> {
        report.verdict.as_ref().map(|verdict| match verdict {
            Verdict::Safe => Self::Safe,
            Verdict::Unsafe(_) if report.refuted.is_none() => Self::Unsafe,
            // Only a claim or an assumption is refuted.
            Verdict::Unsafe(_) | Verdict::Unknown(_) => Self::Unknown,
        })
    }
}

/// Whether there is a deadlock.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeadlockAnswer {
    /// Yes.
    Found,
    /// None in the states that were seen.
    NoneSeen,
    /// Not decided.
    Unknown,
}

impl From<&Deadlocks> for DeadlockAnswer {
    fn from(answer: &Deadlocks) -> Self {
        match answer {
            Deadlocks::Found => Self::Found,
            Deadlocks::NoneSeen => Self::NoneSeen,
            Deadlocks::Open(_) => Self::Unknown,
        }
    }
}

/// The engine that settled a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct DecidedBy {
    /// The engine: `forward` for the exploration of an instance, or a value of `--engine`.
    #[schemars(extend("enum" = searches().chain(["forward"]).collect::<Vec<_>>()))]
    pub engine: &'static str,
    /// Processes of the instance that was explored, or that guided the search.
    pub processes: Option<usize>,
}

/// A declaration that is assumed.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct Assumption {
    /// Why.
    #[schemars(with = "Name<AssumptionKind>")]
    pub kind: AssumptionKind,
    /// Its place in the model.
    #[serde(flatten)]
    pub place: TextRange,
}

impl Assumption {
    /// For a model with these lines.
    pub fn new(lines: &Lines<'_>, it: &result::Assumption) -> Self {
        Self { kind: it.kind, place: TextRange::new(lines, it.span) }
    }
}

/// A property that a model declares.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct Property {
    /// Its name in traces: `unsafe at line 12`.
    pub name: String,
    /// How it is declared.
    pub kind: PropertyKind,
    /// Its place in the model.
    #[serde(flatten)]
    pub place: TextRange,
    /// The verdict of the run on it.
    pub verdict: PropertyVerdict,
    /// For a property of runs: the numbers of processes for which it holds; for a `cover`, those with which no run
    /// reaches it.
    pub processes: Vec<usize>,
    /// For a property of runs that is not settled for every number of processes: why no proof was found, where one was
    /// tried.
    pub unproved: Option<String>,
    /// The number of processes of the run that shows the verdict, if one does.
    pub shown_with: Option<usize>,
}

/// How a property is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PropertyKind {
    /// By `unsafe`.
    Unsafe,
    /// By `invariant`.
    Invariant,
    /// By `response`.
    Response,
    /// By `recurrence`.
    Recurrence,
    /// By `possible`.
    Possible,
    /// By `cover`.
    Cover,
    /// By `--ltl`.
    Ltl,
}

/// The verdict of a run on a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PropertyVerdict {
    /// Such a state never occurs, for any number of processes.
    Proved,
    /// Such a state occurs: there is a trace.
    Violated,
    /// It was assumed that no such state occurs.
    Assumed,
    /// No such state was found in the instances that were explored, which is all that was asked for.
    NotMet,
    /// For a `cover`: a run reaches it, and there is a trace.
    Reached,
    /// For a property of runs: it holds with the numbers of processes in `processes`, and is open for others.
    HoldsForProcesses,
    /// Not decided.
    Unknown,
}
