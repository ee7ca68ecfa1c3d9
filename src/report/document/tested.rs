//! Models that were run to see whether they are as expected, for programs: a document of its own.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::{Message, TextRange};
use super::{Document, Origin, Written};

/// The models of a run of `cubicle test` as one document.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct TestDocument {
    /// Always `test`.
    #[schemars(extend("const" = "test"))]
    pub kind: &'static str,
    /// What made it.
    #[serde(flatten)]
    pub origin: Origin,
    /// Exit code of the program.
    pub exit_code: u8,
    /// Why nothing was run, or something could not be written.
    pub error: Option<String>,
    /// Why not all runs were made.
    pub stopped: Option<String>,
    /// How many of them came out how.
    pub counts: TestCounts,
    /// The models, in the order in which they were found.
    pub models: Vec<TestedModel>,
    /// Errors, warnings and notes, in the order in which they were reported.
    pub messages: Vec<Message>,
    /// Everything that depends on the clock and on the machine.
    pub times: TestTimes,
}

/// How many models and runs came out how.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct TestCounts {
    /// Models.
    pub models: usize,
    /// Of these, models about which nothing is expected.
    pub skipped: usize,
    /// Runs that were made.
    pub runs: usize,
    /// Of these, as expected.
    pub as_expected: usize,
    /// Of these, not as expected.
    pub unexpected: usize,
    /// Of these, not as expected until `--update` changed the expectation.
    pub updated: usize,
    /// Of these, without a verdict, though one is expected.
    pub inconclusive: usize,
    /// Of these, ended by an internal error.
    pub failed: usize,
}

/// A model.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct TestedModel {
    /// Its file.
    pub path: String,
    /// The runs that its `TEST:` lines ask for; none when nothing is expected of it.
    pub runs: Vec<TestedRun>,
}

/// A run of a model.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
pub struct TestedRun {
    /// The place of the `TEST:` line; `null` for the expectation of `--expect`.
    pub place: Option<TextRange>,
    /// The words of the command line, without the model.
    pub arguments: String,
    /// What is expected, as a `TEST:` line has it.
    pub expected: String,
    /// What came out, in the same words; `null` when the run ended without an answer.
    pub verdict: Option<String>,
    /// How both compare.
    pub outcome: TestOutcome,
    /// More about the verdict, in a line: the run that shows it, why there is none, what is wrong with the model.
    pub why: Option<String>,
    /// What it took.
    #[serde(skip)]
    pub cost: RunCost,
}

/// How a run compares to what is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TestOutcome {
    /// As expected.
    AsExpected,
    /// Another verdict, an error in the model, or a run with more steps.
    Unexpected,
    /// The same, but `--update` has put the verdict in place of the expectation.
    Updated,
    /// There is no verdict, for example because of a limit.
    Inconclusive,
    /// The program ended by an internal error or a signal.
    Failed,
}

/// What a run took.
#[derive(Clone, Copy, PartialEq, Debug, Default, JsonSchema, Serialize)]
pub struct RunCost {
    /// Wall-clock time in seconds.
    pub wall: f64,
    /// CPU time of all threads in seconds.
    pub cpu: f64,
    /// Most memory that was resident at a time, in bytes.
    pub peak_memory: Option<usize>,
}

/// Everything that depends on the clock and on the machine.
#[derive(Clone, PartialEq, Debug, Default, JsonSchema, Serialize)]
pub struct TestTimes {
    /// Wall-clock time from the start to the document, in seconds.
    pub total: f64,
    /// The runs of all models, in order.
    pub runs: Vec<RunCost>,
}

impl TestedModel {
    /// How its worst run came out; `None` without runs.
    pub fn outcome(&self) -> Option<TestOutcome> {
        let rank = |outcome: &TestOutcome| match outcome {
            TestOutcome::AsExpected => 0,
            TestOutcome::Updated => 1,
            TestOutcome::Inconclusive => 2,
            TestOutcome::Unexpected => 3,
            TestOutcome::Failed => 4,
        };
        self.runs.iter().map(|it| it.outcome).max_by_key(rank)
    }
}

impl TestCounts {
    /// The counts for these models.
    pub fn of(models: &[TestedModel]) -> Self {
        let runs = || models.iter().flat_map(|model| &model.runs);
        let count = |outcome| runs().filter(|it| it.outcome == outcome).count();
        Self {
            models: models.len(),
            skipped: models.iter().filter(|it| it.runs.is_empty()).count(),
            runs: runs().count(),
            as_expected: count(TestOutcome::AsExpected),
            unexpected: count(TestOutcome::Unexpected),
            updated: count(TestOutcome::Updated),
            inconclusive: count(TestOutcome::Inconclusive),
            failed: count(TestOutcome::Failed),
        }
    }
}

impl Written for TestDocument {}

impl TestDocument {
    /// The document about these models; `run` has what is known about the run of the program itself.
    pub fn new(models: Vec<TestedModel>, run: &Document) -> Self {
        let costs = models.iter().flat_map(|model| &model.runs).map(|it| it.cost);
        Self {
            kind: "test",
            origin: run.head.origin.clone(),
            exit_code: run.exit_code,
            error: run.error.clone(),
            stopped: run.reason.as_ref().map(|why| why.text.clone()),
            counts: TestCounts::of(&models),
            times: TestTimes { total: run.times.total, runs: costs.collect() },
            models,
            messages: run.messages.clone(),
        }
    }
}
