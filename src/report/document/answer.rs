//! The outcome of a run, as words of a document; schemas of enums whose values have names.

use std::borrow::Cow;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Serialize;
use serde_json::{Value, json};

use super::message::{Lines, TextRange};
use cubicle_run::named::Named;
use cubicle_run::words::reason;
use cubicle_run::{AssumptionKind, Conclusion, Deadlocks, Method, Reason, Report, Verdict, result};

/// The names of backward searches.
pub fn searches() -> impl Iterator<Item = &'static str> {
    Method::ALL.iter().map(|it| it.name()).filter(|it| *it != Method::Auto.name())
}

/// Stands for a value of `T` in the type that a schema is made from: the crate of `T` knows no schemas.
pub struct Name<T>(PhantomData<T>);

impl<T: Named> JsonSchema for Name<T> {
    fn schema_name() -> Cow<'static, str> {
        let path = std::any::type_name::<T>();
        path.rsplit("::").next().unwrap_or(path).into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        let value = |it: &T| json!({ "type": "string", "const": it.name(), "description": it.about() });
        json_schema!({ "oneOf": T::ALL.iter().map(value).collect::<Vec<Value>>() })
    }
}

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

/// Why there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct WhyOpen {
    /// Its kind.
    pub kind: ReasonKind,
    /// In words.
    pub text: String,
}

impl From<&Reason> for WhyOpen {
    fn from(why: &Reason) -> Self {
        let kind = match why {
            Reason::Nodes(_) => ReasonKind::Nodes,
            Reason::Effort(_) => ReasonKind::Effort,
            Reason::Depth(_) => ReasonKind::Depth,
            Reason::Time => ReasonKind::Time,
            Reason::Memory => ReasonKind::Memory,
            Reason::SolverUnknown(_) => ReasonKind::Solver,
            Reason::Spurious(_) => ReasonKind::Spurious,
            Reason::Overflow => ReasonKind::Overflow,
            Reason::Threads(_) => ReasonKind::Threads,
            Reason::Storage(_) => ReasonKind::Storage,
            Reason::Cluster(_) => ReasonKind::Cluster,
            Reason::Uncertified(_) => ReasonKind::Uncertified,
            Reason::Unconfirmed(_) => ReasonKind::Unconfirmed,
            Reason::Deadlocks(_) => ReasonKind::Deadlocks,
            Reason::Partial(_) => ReasonKind::Partial,
            Reason::Vacuous(_) => ReasonKind::Vacuous,
            Reason::Denied(_) => ReasonKind::Denied,
            Reason::Runs { .. } => ReasonKind::Runs,
            Reason::NotReached(_) => ReasonKind::NotReached,
            Reason::Interrupted(_) => ReasonKind::Interrupted,
        };
        Self { kind, text: reason(why) }
    }
}

/// Kinds of reasons why there is no verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ReasonKind {
    /// The limit on nodes.
    Nodes,
    /// The limit on effort.
    Effort,
    /// The limit on depth.
    Depth,
    /// The limit on time.
    Time,
    /// The limit on memory.
    Memory,
    /// Z3 answered `unknown` where the proof depends on it.
    Solver,
    /// Only traces that no instance executes.
    Spurious,
    /// A number out of range.
    Overflow,
    /// No thread to run on.
    Threads,
    /// A checkpoint that could not be written or read.
    Storage,
    /// A process of the cluster was lost, or did not join.
    Cluster,
    /// A proof that the checker refuses: a bug of the program.
    Uncertified,
    /// A proof that was found, and not checked to the end.
    Unconfirmed,
    /// It is open whether the deadlocks that were found count.
    Deadlocks,
    /// Not all states were seen.
    Partial,
    /// The answer would be vacuous.
    Vacuous,
    /// There were warnings, which were denied.
    Denied,
    /// Properties of runs are known for some numbers of processes only.
    Runs,
    /// No run was found to a state that a `cover` describes.
    NotReached,
    /// A signal.
    Interrupted,
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
