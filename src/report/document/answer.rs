//! What a run came to, as words of a document.

use serde::Serialize;

use super::message::{Lines, Place};
use cubicle_run::result::{self, Conclusion, Deadlocks, Report, Stop};
use cubicle_run::verdict::{Reason, Verdict};
use cubicle_run::words::reason;

/// What a run came to, in one word; the exit code follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// No bad state is reachable, for any number of processes.
    Safe,
    /// A bad state is reachable: there is a run to it.
    Unsafe,
    /// A run reaches a state that an `invariant` excludes; whether an unsafe one is reachable is open.
    InvariantRefuted,
    /// The same, of an `invariant` that was taken for granted.
    AssumptionRefuted,
    /// A property of runs is broken: there is a run that does so. No bad state is known.
    Violated,
    /// A deadlock, and no bad state is known.
    Deadlock,
    /// Only instances were explored, and nothing wrong was met.
    NothingFound,
    /// Only the form of the model was looked at, and nothing is wrong with it.
    WellFormed,
    /// Not decided: `reason` says why.
    Unknown,
    /// There was no run: `error` says why.
    Error,
}

impl From<Conclusion> for Answer {
    fn from(conclusion: Conclusion) -> Self {
        match conclusion {
            Conclusion::Safe => Self::Safe,
            Conclusion::Unsafe => Self::Unsafe,
            Conclusion::InvariantRefuted => Self::InvariantRefuted,
            Conclusion::AssumptionRefuted => Self::AssumptionRefuted,
            Conclusion::Violated => Self::Violated,
            Conclusion::Deadlock => Self::Deadlock,
            Conclusion::NothingFound => Self::NothingFound,
            Conclusion::Unknown => Self::Unknown,
        }
    }
}

/// Why there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    /// A process of the cluster was lost, or did not come.
    Cluster,
    /// A proof that could not be certified.
    Uncertified,
    /// Deadlocks of which it is open whether they count.
    Deadlocks,
    /// Not all states were seen.
    Partial,
    /// The answer would be worth nothing.
    Vacuous,
    /// There were warnings, which were denied.
    Denied,
    /// Properties of runs are known for some numbers of processes only.
    Runs,
    /// No run was found to where a `cover` wants one.
    NotReached,
    /// A signal.
    Interrupted,
}

/// Whether a bad state is reachable.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum SafetyAnswer {
    /// No, for any number of processes.
    Safe,
    /// Yes.
    Unsafe,
    /// That is open.
    Unknown,
}

impl SafetyAnswer {
    /// What a report says of it.
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
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeadlockAnswer {
    /// Yes.
    Found,
    /// None in the states that were seen.
    NoneSeen,
    /// That is open.
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

/// Why an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Cause {
    /// Every reachable state was seen.
    Complete,
    /// States at the bound on depth were not expanded.
    Depth,
    /// The limit on states.
    States,
    /// The limit on time.
    Time,
    /// The limit on memory.
    Memory,
    /// An unsafe state was met.
    Unsafe,
    /// A number left its range.
    Numbers,
    /// The given number of epochs of walks.
    Epochs,
    /// Each transition had fired.
    Fired,
    /// A signal.
    Interrupted,
    /// A state with too many successors.
    Wide,
    /// The instance is too large.
    TooLarge,
    /// The model has no instance of this size.
    NoInstance,
    /// A file could not be written or read.
    Storage,
    /// A process of the cluster was lost, or did not come.
    Cluster,
    /// All that was found was expanded, and states may have been taken for others.
    Bitstate,
}

impl From<Stop> for Cause {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Complete => Self::Complete,
            Stop::Depth => Self::Depth,
            Stop::States => Self::States,
            Stop::Time => Self::Time,
            Stop::Memory => Self::Memory,
            Stop::Unsafe => Self::Unsafe,
            Stop::Numbers => Self::Numbers,
            Stop::Epochs => Self::Epochs,
            Stop::Fired => Self::Fired,
            Stop::Interrupted => Self::Interrupted,
            Stop::Bitstate => Self::Bitstate,
            Stop::Wide => Self::Wide,
            Stop::TooLarge => Self::TooLarge,
            Stop::NoInstance => Self::NoInstance,
            Stop::Storage => Self::Storage,
            Stop::Cluster => Self::Cluster,
        }
    }
}

/// What settled a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct DecidedBy {
    /// Which engine.
    pub engine: Engine,
    /// Processes of the instance that was explored, or that guided the search.
    pub processes: Option<usize>,
}

/// Engines.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Engine {
    /// The exploration of an instance.
    Forward,
    /// Backward search with approximations.
    Brab,
    /// Property-directed search.
    Pdr,
    /// Exact backward search.
    Classic,
}

/// A declaration that is taken for granted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Assumption {
    /// Why.
    pub kind: AssumptionKind,
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
}

impl Assumption {
    /// Of a model with these lines.
    pub fn new(lines: &Lines<'_>, it: &result::Assumption) -> Self {
        let kind = match it.kind {
            result::AssumptionKind::Axiom => AssumptionKind::Axiom,
            result::AssumptionKind::Trusted => AssumptionKind::TrustedInvariant,
        };
        Self { kind, place: Place::new(lines, it.span) }
    }
}

/// Why a declaration is taken for granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum AssumptionKind {
    /// It restricts what never changes.
    Axiom,
    /// `--trust-invariants` says so.
    TrustedInvariant,
}

/// What a model promises: one declaration.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Property {
    /// What it is called in traces: `unsafe at line 12`.
    pub name: String,
    /// How it is declared.
    pub kind: PropertyKind,
    /// Where it stands.
    #[serde(flatten)]
    pub place: Place,
    /// What the run says of it.
    pub verdict: PropertyVerdict,
    /// Of a property of runs: the numbers of processes for which it holds; of a `cover`, those with which no run gets
    /// there.
    pub processes: Vec<usize>,
    /// Of a property of runs that is not settled for every number of processes: why no proof was found, where one was
    /// tried.
    pub unproved: Option<String>,
    /// Where a run shows the verdict: the number of its processes.
    pub shown_with: Option<usize>,
}

/// How a property is declared.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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

/// What a run says of a property.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PropertyVerdict {
    /// Such a state never occurs, for any number of processes.
    Proved,
    /// Such a state occurs: there is a trace.
    Violated,
    /// It was taken for granted that no such state occurs.
    Assumed,
    /// No such state was met in the instances that were explored, which is all that was asked for.
    NotMet,
    /// Of a `cover`: a run gets there, and there is a trace.
    Reached,
    /// Of a property of runs: it holds with the numbers of processes in `processes`, and is open for others.
    HoldsForProcesses,
    /// That is open.
    Unknown,
}
