//! A run that shows something harmless, or the answer that there is none, for programs: a separate document.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::{Lines, Message};
use super::trace::TraceRecord;
use super::{Document, Model, SCHEMA_VERSION, Tool, Written};
use cubicle_lang::load::ModelSource;
use cubicle_run::{Covered, Witness};

/// The result of the search for a run.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct WitnessDocument {
    /// Always `witness`.
    #[schemars(extend("const" = "witness"))]
    pub kind: &'static str,
    /// Changes when a key is removed or its meaning changes.
    pub schema_version: u32,
    /// The program that made it.
    pub tool: Tool,
    /// The words of the command line, the program's name first.
    pub command: Vec<String>,
    /// The model.
    pub model: Model,
    /// Exit code of the program.
    pub exit_code: u8,
    /// Why there is no answer: wrong usage, a model with errors, a file that cannot be written, an internal error.
    pub error: Option<String>,
    /// The goal of the run, in words; `null` when that was not understood.
    pub wanted: Option<String>,
    /// Whether there is one.
    pub answer: WitnessAnswerWord,
    /// Why that is not known.
    pub reason: Option<String>,
    /// The sizes of the instances that were examined, when none was found.
    pub procs: Vec<usize>,
    /// Whether all runs of these instances were seen.
    pub complete: Option<bool>,
    /// The run, which was replayed on the model.
    pub run: Option<TraceRecord>,
    /// The transitions of the model, each with whether the run takes it.
    pub transitions: Vec<Covered>,
    /// `X = C` for each variable of a finite type and each of its values, with whether the run shows it.
    pub values: Vec<Covered>,
    /// Errors, warnings and notes, in the order in which they were reported.
    pub messages: Vec<Message>,
}

/// Whether there is a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WitnessAnswerWord {
    /// There is one.
    Run,
    /// It is proved that there is none for any number of processes.
    Never,
    /// None was found.
    NotFound,
    /// There was no search: `error` says why.
    #[default]
    Error,
}

impl Written for WitnessDocument {}

impl WitnessDocument {
    /// The document of a run of the program with nothing to show: `run` says what went wrong.
    pub fn without_run(run: &Document) -> Self {
        let why = run.reason.as_ref().map(|why| why.text.clone());
        Self {
            kind: "witness",
            schema_version: SCHEMA_VERSION,
            tool: run.head.tool.clone(),
            command: run.head.command.clone(),
            model: run.head.model.clone(),
            exit_code: run.exit_code,
            error: run.error.clone(),
            answer: if why.is_some() { WitnessAnswerWord::NotFound } else { WitnessAnswerWord::Error },
            reason: why,
            messages: run.messages.clone(),
            ..Self::default()
        }
    }

    /// With a run of `model` that shows what is `wanted`.
    #[must_use]
    pub fn with_run(self, model: ModelSource<'_>, wanted: &str, witness: &Witness) -> Self {
        let record = TraceRecord {
            ends_in: wanted.to_owned(),
            ..TraceRecord::reached(model.system, &Lines::new(model.text), &witness.run)
        };
        Self {
            answer: WitnessAnswerWord::Run,
            run: Some(record),
            transitions: witness.coverage.transitions.clone(),
            values: witness.coverage.values.clone(),
            ..self
        }
    }
}
