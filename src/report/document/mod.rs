//! The results of a run, for programs: one JSON document, however the run ends.
//!
//! A [`Head`] (what is known before the run), the [`Report`](cubicle_run::Report) or its [`Progress`](super::Progress),
//! and the messages of the run make up a [`Document`], which `serde` writes. Only [`Document::times`] depends on
//! the clock. `docs/schema` has its JSON Schema, generated from these types; [`SCHEMA_VERSION`] counts its changes.

mod answer;
mod fill;
mod induction;
mod message;
mod mutants;
mod search;
mod tested;
#[cfg(test)]
mod tests;
mod trace;
mod validation;

use std::collections::BTreeMap;

use cubicle_run::figures::Name;
use cubicle_run::{Acceptance, Event, Stop};
use schemars::JsonSchema;
use serde::Serialize;

pub use cubicle_run::figures::{Combinations, ExplorationFigures, ReasonKind, Sizes, StageFigures, WhyOpen};

pub use self::answer::{
    Answer, Assumption, DeadlockAnswer, DecidedBy, Property, PropertyKind, PropertyVerdict, SafetyAnswer,
    Unchecked,
};
pub use self::induction::{InductionRecord, InductionWord, RefinementRecord, StateChange, TransferRecord};
pub use self::message::{Level, Lines, Message, TextRange};
pub use self::mutants::{ClaimFigures, FateWord, MutantRecord, MutationDocument};
pub use self::search::{BackwardFigures, FiredIn, TailRecord, TransitionFigures};
pub use self::tested::{RunCost, TestCounts, TestDocument, TestOutcome, TestTimes, TestedModel, TestedRun};
pub use self::trace::{LiteralAt, TraceKind, TraceRecord, TraceStep, WitnessAnswerWord, WitnessDocument};
pub use self::validation::{
    LogAnswerWord, LogRecord, LogSum, RunStepRecord, StateRecord, ValidationDocument,
};

/// Counts the incompatible changes of the schema. Additions do not count: readers ignore keys that they do not
/// know.
pub const SCHEMA_VERSION: u32 = 1;

/// A run as one document.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct Document {
    /// Always `run`: among the lines of `--format ndjson` it distinguishes the document from the events before it.
    #[schemars(extend("const" = "run"))]
    pub kind: &'static str,
    /// What is known before the run.
    #[serde(flatten)]
    pub head: Head,
    /// The outcome of the run.
    pub verdict: Answer,
    /// Exit code of the program.
    pub exit_code: u8,
    /// Why there is no answer, or only a part of what was asked for: wrong usage, a model with errors, a file that cannot
    /// be written, an internal error.
    pub error: Option<String>,
    /// Why the verdict is `unknown`.
    pub reason: Option<WhyOpen>,
    /// Whether a bad state is reachable, apart from deadlocks; `null` when only instances were explored and nothing bad
    /// was found.
    pub safety: Option<SafetyAnswer>,
    /// Whether there is a deadlock; `null` when that was not asked for.
    pub deadlock: Option<DeadlockAnswer>,
    /// Whether all states of the instances that were asked for were seen; `null` when none was asked for.
    pub complete: Option<bool>,
    /// What cut short the first exploration that was asked for and not completed.
    #[schemars(with = "Option<Name<Stop>>")]
    pub cause: Option<Stop>,
    /// Whether the run was ended from outside while an engine was at work: figures are those of its last events.
    pub in_the_middle_of_a_step: bool,
    /// The engine that settled the verdict.
    pub decider: Option<DecidedBy>,
    /// What the answer assumes without proof.
    pub assumptions: Vec<Assumption>,
    /// The properties of the model, each with its verdict.
    pub properties: Vec<Property>,
    /// Runs to bad states and to deadlocks, each replayed on the model.
    pub traces: Vec<TraceRecord>,
    /// The transitions of the model, and how often each fired.
    pub transitions: Vec<TransitionFigures>,
    /// The instances that were explored.
    pub explorations: Vec<ExplorationFigures>,
    /// Why no larger instance was explored, with `--procs auto`.
    pub sizes: Option<Sizes>,
    /// The searches of `--engine auto`, in order.
    pub stages: Vec<StageFigures>,
    /// The variables of the model that steps only set and only bad states read, in place of which the proof has what these steps saw.
    pub announcements: Vec<String>,
    /// The arrays that the proof has added to the model, for what guards say of all processes.
    pub tails: Vec<TailRecord>,
    /// The last backward search.
    pub backward: Option<BackwardFigures>,
    /// Why the answer may be vacuous, one line each.
    pub vacuity: Vec<String>,
    /// Errors, warnings, notes and advice, in the order in which they were reported.
    pub messages: Vec<Message>,
    /// How the proofs of the run were accepted; `null` when it has none.
    pub proof_check: Option<Acceptance>,
    /// The certificate of a proof, when one was made.
    pub certificate: Option<CertificateSummary>,
    /// For each claim of the model, then for all together, whether it is inductive: of `inductive` only.
    pub induction: Vec<InductionRecord>,
    /// The refinement that the verdict is about: of `refines` only.
    pub refinement: Option<RefinementRecord>,
    /// Everything that depends on the clock.
    pub times: Times,
}

/// The program that made a document.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct Tool {
    /// `cubicle`.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Version of Z3.
    pub z3: String,
}

/// A value of an option.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(untagged)]
pub enum OptionValue {
    /// A switch.
    Switch(bool),
    /// One value, as it is written.
    One(String),
    /// Several.
    Several(Vec<String>),
}

/// The model that a run is about.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct Model {
    /// The file as the command line names it; `-` is standard input. `null` when the command line is wrong.
    pub path: Option<String>,
    /// SHA-256 of its bytes, in hexadecimal digits; `null` when it could not be read.
    pub sha256: Option<String>,
}

/// A certificate that was checked.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct CertificateSummary {
    /// The folder that it was written to, if any.
    pub path: Option<String>,
    /// Cubes of the invariant.
    pub invariants: usize,
    /// Proof obligations about them.
    pub obligations: usize,
}

/// Times in seconds.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize)]
pub struct Times {
    /// Wall-clock time from the start to the document.
    pub total: f64,
    /// CPU time of all threads until then.
    pub cpu: f64,
    /// Most memory of the process that was resident at a time until then, in bytes; `null` where the system does not
    /// report it.
    pub peak_memory: Option<usize>,
    /// The parts of a check that begin and end one after the other, in the order in which they ended.
    pub stages: Vec<StageCost>,
    /// Wall-clock time of each part of the run.
    pub parts: BTreeMap<String, f64>,
    /// Time of each phase of the backward search, without the phases inside of it; empty unless measured.
    pub phases: BTreeMap<String, f64>,
    /// Time of each technique of walks, over all threads and instances.
    pub techniques: BTreeMap<String, f64>,
}

/// What a part of a check took, since the part before it ended. Of searches side by side, the one that is reported first has the
/// costs of all.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct StageCost {
    /// `load`, `explore K` for the instance with K processes, a search as on a command line (`brab 2`), `runs` for properties of runs,
    /// `check` for the check of the proofs, `conclude` for what follows the last of these, `certificate`.
    pub stage: String,
    /// Wall-clock time in seconds.
    pub wall: f64,
    /// CPU time of all threads in seconds.
    pub cpu: f64,
    /// Most memory of the process that was resident at a time until its end, in bytes.
    pub peak_memory: Option<usize>,
}

/// What is known before a run: the beginning of its document.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct Head {
    /// What makes it.
    #[serde(flatten)]
    pub origin: Origin,
    /// Every option that has a value, given or by default, as it is written on a command line.
    pub options: BTreeMap<String, OptionValue>,
    /// The model.
    pub model: Model,
    /// Seed of all random choices.
    pub seed: u64,
    /// Processes of the instance that is explored, or that guides a proof; `null` when the run chooses.
    pub k: Option<usize>,
}

#[cfg(test)]
impl Head {
    /// One for tests.
    pub fn example() -> Self {
        Self {
            origin: Origin::new("4.8.12", vec!["cubicle".to_owned(), "m.cub".to_owned()]),
            options: BTreeMap::from([("quiet".to_owned(), OptionValue::Switch(false))]),
            model: Model { path: Some("m.cub".to_owned()), sha256: None },
            seed: 0,
            k: None,
        }
    }
}

/// How the document of a command begins.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct Origin {
    /// Changes when a key is removed or its meaning changes.
    pub schema_version: u32,
    /// The program that made it.
    pub tool: Tool,
    /// The words of the command line, the program's name first.
    pub command: Vec<String>,
}

impl Origin {
    /// A run of this program with this version of Z3, by these words.
    pub fn new(z3: &str, command: Vec<String>) -> Self {
        let (name, version) = ("cubicle".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        Self { schema_version: SCHEMA_VERSION, tool: Tool { name, version, z3: z3.to_owned() }, command }
    }
}

impl Document {
    /// For a run without results yet: no answer, and nothing seen.
    pub fn new(head: &Head) -> Self {
        Self { kind: "run", head: head.clone(), ..Self::default() }
    }
}

/// What is written as JSON.
pub trait Written: Serialize {
    /// As a file: indented, ending in a line feed.
    ///
    /// # Panics
    /// Never: all keys are strings.
    fn text(&self) -> String {
        serde_json::to_string_pretty(self).expect("keys are strings") + "\n"
    }

    /// In a line, ending in a line feed.
    ///
    /// # Panics
    /// Never: all keys are strings.
    fn line(&self) -> String {
        serde_json::to_string(self).expect("keys are strings") + "\n"
    }
}

impl Written for Document {}
impl Written for Event {}

/// An event as a line of `--format ndjson`. Those that only count or draw have none.
pub fn event_line(event: &Event) -> Option<String> {
    let has_line = !matches!(event, Event::NodeCount(_) | Event::Check { .. } | Event::Graph(_));
    has_line.then(|| event.line())
}

/// The documents of commands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DocumentKind {
    /// A [`Document`].
    Run,
    /// A [`MutationDocument`].
    Mutation,
    /// A [`TestDocument`].
    Test,
    /// A [`WitnessDocument`].
    Witness,
    /// A [`ValidationDocument`].
    Validation,
}

impl DocumentKind {
    /// That of a command, by its name.
    pub fn of_command(name: &str) -> Self {
        match name {
            "mutate" => Self::Mutation,
            "test" => Self::Test,
            "witness" => Self::Witness,
            "validate" => Self::Validation,
            _ => Self::Run,
        }
    }

    /// The document of a run with nothing to show but what `run` says, `in_a_line` where it has one.
    pub fn without_results(self, run: &Document, in_a_line: bool) -> String {
        match self {
            Self::Run if in_a_line => run.line(),
            Self::Run => run.text(),
            Self::Mutation => MutationDocument::without_mutants(run).text(),
            Self::Test => TestDocument::new(Vec::new(), run).text(),
            Self::Witness => WitnessDocument::without_run(run).text(),
            Self::Validation if in_a_line => ValidationDocument::without_logs(run).line(),
            Self::Validation => ValidationDocument::without_logs(run).text(),
        }
    }
}
