//! Logs that were compared with a model, for programs: a separate document.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::{Lines, Message};
use super::trace::TraceRecord;
use super::{Document, Model, Origin, Times, Written};
use cubicle_lang::load::ModelSource;
use cubicle_run::{Covered, Trace, words};
use cubicle_tools::validate::{CellValue, LogAnswer, NearStep, Validated};

/// The results for all logs.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct ValidationDocument {
    /// Always `validation`.
    #[schemars(extend("const" = "validation"))]
    pub kind: &'static str,
    /// What made it.
    #[serde(flatten)]
    pub origin: Origin,
    /// The model.
    pub model: Model,
    /// Exit code of the program.
    pub exit_code: u8,
    /// Why there are no results: wrong usage, a model or a map with errors, a file that cannot be written, an internal error.
    pub error: Option<String>,
    /// The logs, in the order in which they were given.
    pub logs: Vec<LogRecord>,
    /// How many logs have which answer.
    pub sum: LogSum,
    /// Errors, warnings and notes, in the order in which they were reported.
    pub messages: Vec<Message>,
    /// How long the run took, its CPU time and its memory.
    pub times: Times,
}

/// How many logs have which answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct LogSum {
    /// Those that are explained.
    pub explained: usize,
    /// Those that show a bad state.
    pub violated: usize,
    /// Those that no run explains.
    pub not_explained: usize,
    /// Those of which that is not known.
    pub inconclusive: usize,
    /// Those that make no sense.
    pub error: usize,
}

/// The result for a log.
#[derive(Clone, Debug, JsonSchema, Serialize)]
pub struct LogRecord {
    /// Always `log`: it distinguishes a line of `--format ndjson`.
    #[schemars(extend("const" = "log"))]
    pub kind: &'static str,
    /// The file; `-` for standard input.
    pub log: String,
    /// The answer.
    pub answer: LogAnswerWord,
    /// Why it is `inconclusive` or `error`.
    pub reason: Option<String>,
    /// Processes of the instance.
    pub processes: usize,
    /// The names of processes, in order of appearance.
    pub names: Vec<String>,
    /// The number of events that are explained.
    pub events: u64,
    /// The line of the event at which the answer was found; `null` when it is the end of the log.
    pub line: Option<u64>,
    /// The text of that line.
    pub text: Option<String>,
    /// When the log is not explained: the number of states in which the run may be before that event.
    pub possible_states: Option<usize>,
    /// Some of these states.
    pub states: Vec<StateRecord>,
    /// The steps that come nearest to the event.
    pub nearest: Vec<NearStep>,
    /// The run to a bad state, or, where `--trace-out` or `--report` asks for it, one that explains the events. Its processes have
    /// numbers.
    pub run: Option<TraceRecord>,
    /// The names of these processes; one without a name has its number.
    pub run_names: Vec<String>,
    /// For each step of the run the line of its event; `null` for a hidden one.
    pub run_steps: Vec<RunStepRecord>,
    /// Whether the run begins in an initial state; of a stream only the last part of a run is kept.
    pub run_is_whole: Option<bool>,
    /// Lines that could not be understood and were skipped.
    pub skipped: u64,
    /// What is wrong with the first of them.
    pub first_skipped: Option<String>,
    /// With `--coverage`: the transitions, each with whether an event may be it.
    pub transitions: Vec<Covered>,
    /// With `--coverage`: `X = C` for each variable of a finite type and each of its values, with whether the log may show it.
    pub values: Vec<Covered>,
}

/// The answer for a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LogAnswerWord {
    /// A run without bad states explains it.
    Explained,
    /// Every run that explains it has a bad state.
    Violated,
    /// No run explains it.
    NotExplained,
    /// That is not known.
    Inconclusive,
    /// It makes no sense, or the program has a fault.
    Error,
}

/// A state in which the run may be, in the names of the log.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct StateRecord {
    /// All cells; `?` for one that may hold any value.
    pub cells: Vec<CellValue>,
}

/// Where in the log a step of a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct RunStepRecord {
    /// The line of its event.
    pub line: Option<u64>,
}

impl LogSum {
    /// Counts an answer.
    pub const fn add(&mut self, answer: LogAnswerWord) {
        *match answer {
            LogAnswerWord::Explained => &mut self.explained,
            LogAnswerWord::Violated => &mut self.violated,
            LogAnswerWord::NotExplained => &mut self.not_explained,
            LogAnswerWord::Inconclusive => &mut self.inconclusive,
            LogAnswerWord::Error => &mut self.error,
        } += 1;
    }
}

impl LogAnswerWord {
    /// The word for an answer, and its reason.
    pub fn of(answer: &LogAnswer) -> (Self, Option<String>) {
        match answer {
            LogAnswer::Explained => (Self::Explained, None),
            LogAnswer::Violated => (Self::Violated, None),
            LogAnswer::NotExplained => (Self::NotExplained, None),
            LogAnswer::Inconclusive(why) => (Self::Inconclusive, Some(why.clone())),
            LogAnswer::Interrupted(why) => (Self::Inconclusive, Some(words::reason(why))),
            LogAnswer::Refused(why) => (Self::Error, Some(why.clone())),
            LogAnswer::Fault(why) => (Self::Error, Some(format!("internal error: {why}"))),
        }
    }
}

impl LogRecord {
    /// For the log in the file `log`.
    pub fn new(model: ModelSource<'_>, log: &str, found: &Validated) -> Self {
        let (answer, reason) = LogAnswerWord::of(&found.answer);
        let lost = found.lost.clone().unwrap_or_default();
        let coverage = found.coverage.clone().unwrap_or_default();
        let line = |label: &u64| RunStepRecord { line: (*label != 0).then_some(*label) };
        let run = found.run.as_ref();
        Self {
            kind: "log",
            log: log.to_owned(),
            answer,
            reason,
            processes: found.procs,
            names: found.names.clone(),
            events: found.events,
            line: found.at.as_ref().map(|it| it.0),
            text: found.at.as_ref().map(|it| it.1.clone()).filter(|text| !text.is_empty()),
            possible_states: found.lost.as_ref().map(|it| it.possible),
            states: lost.states.into_iter().map(|cells| StateRecord { cells }).collect(),
            nearest: lost.nearest,
            run: run.map(|(run, _)| record(model, &run.trace)),
            run_names: run.map(|it| it.1.clone()).unwrap_or_default(),
            run_steps: run.map(|(run, _)| run.labels.iter().map(line).collect()).unwrap_or_default(),
            run_is_whole: run.map(|(run, _)| run.whole),
            skipped: found.skipped.0,
            first_skipped: found.skipped.1.clone(),
            transitions: coverage.transitions,
            values: coverage.values,
        }
    }
}

/// A run to a bad state, or one without a special end.
fn record(ModelSource { system, text }: ModelSource<'_>, run: &Trace) -> TraceRecord {
    let lines = &Lines::new(text);
    if run.bad.is_some() {
        return TraceRecord::new(system, lines, run);
    }
    TraceRecord { ends_in: "the log".to_owned(), ..TraceRecord::reached(system, lines, run) }
}

impl ValidationDocument {
    /// The document of a run of the program without logs: `run` says what went wrong.
    pub fn without_logs(run: &Document) -> Self {
        Self {
            kind: "validation",
            origin: run.head.origin.clone(),
            model: run.head.model.clone(),
            exit_code: run.exit_code,
            error: run.error.clone().or_else(|| run.reason.as_ref().map(|why| why.text.clone())),
            logs: Vec::new(),
            sum: LogSum::default(),
            messages: run.messages.clone(),
            times: run.times.clone(),
        }
    }

    /// With these logs.
    #[must_use]
    pub fn with_logs(self, logs: Vec<LogRecord>) -> Self {
        let mut sum = LogSum::default();
        for log in &logs {
            sum.add(log.answer);
        }
        Self { logs, sum, ..self }
    }
}

impl Written for LogRecord {}

impl Written for ValidationDocument {
    /// In a line, without the logs, which have lines of their own.
    fn line(&self) -> String {
        let alone = Self { logs: Vec::new(), ..self.clone() };
        serde_json::to_string(&alone).expect("keys are strings") + "\n"
    }
}
