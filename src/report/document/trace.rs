//! Traces of a document: what `--trace-out` writes for tools, here for people.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::{Lines, Message, TextRange};
use super::{Document, Model, Origin, Written};
use crate::runs;
use crate::trace::{changed, history, path};
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::semantics::{State, Step};
use cubicle_lang::model::{BadKind, System};
use cubicle_lang::words::{ValueNames, ending, process_names, violated};
use cubicle_run::style::Style;
use cubicle_run::words::reason;
use cubicle_run::{Covered, TemporalFinding, TemporalReport, Trace};
use cubicle_tools::validate::CellValue;
use cubicle_tools::witness::WitnessAnswer;

/// A run of the model.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct TraceRecord {
    /// What kind of state it leads to.
    pub kind: TraceKind,
    /// The name of the property that it violates, as in the list of properties; `deadlock` when it ends in one.
    pub ends_in: String,
    /// The place of that property; `null` for a deadlock.
    pub place: Option<TextRange>,
    /// Processes of the instance.
    pub processes: usize,
    /// The processes that make the last state bad.
    pub witnesses: Vec<String>,
    /// The literals that hold for them there.
    pub literals: Vec<LiteralAt>,
    /// `Init -> t(#1) -> u(#1, #3) -> unsafe at line 12`.
    pub history: String,
    /// All cells of the initial state.
    pub initial: Vec<CellValue>,
    /// The steps.
    pub steps: Vec<TraceStep>,
    /// For a run without an end: the number of steps after which it repeats.
    pub loop_from: Option<usize>,
    /// Explains names of values that are not the model's, one line each.
    pub legend: Vec<String>,
    /// The file in ITF that it was written to.
    pub file: Option<String>,
}

/// What a trace leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TraceKind {
    /// A state that `unsafe` describes.
    Unsafe,
    /// A state that an `invariant` excludes.
    Invariant,
    /// A state without an enabled transition.
    Deadlock,
    /// A fair run without an end that breaks a property of runs: from the state after `loop_from` steps on it repeats,
    /// or it stays in its last state for ever, where nothing is enabled.
    Lasso,
    /// A state from which no run reaches what a `possible` describes.
    DeadEnd,
    /// A state that a `cover` describes.
    Reached,
    /// A step, or an initial state, that the abstract model does not have.
    Refinement,
}

/// A literal that holds, and the comparison that it comes from.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct LiteralAt {
    /// The literal.
    pub literal: String,
    /// The place of the comparison.
    #[serde(flatten)]
    pub place: TextRange,
}

/// A step of a trace.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct TraceStep {
    /// Name of the transition.
    pub transition: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The processes that its `exists` parts hold for.
    pub hidden_arguments: Vec<String>,
    /// The place of the transition.
    #[serde(flatten)]
    pub place: TextRange,
    /// The cells that it changes.
    pub changes: Vec<CellValue>,
}

impl TraceRecord {
    /// For a trace that has been replayed.
    pub fn new(system: &System, lines: &Lines<'_>, trace: &Trace) -> Self {
        let names = ValueNames::new(system, trace);
        let (witnesses, literals) =
            violated(system, trace).map(|it| (it.witnesses, it.literals)).unwrap_or_default();
        let step = |(step, before): (&Step, &State)| {
            let transition = system.transition(step.transition);
            let (shown, hidden) = step.args.split_at(transition.params.len());
            TraceStep {
                transition: transition.name.clone(),
                arguments: process_names(shown),
                hidden_arguments: process_names(hidden),
                place: TextRange::new(lines, transition.span),
                changes: changed(system, &step.after, Some(before), &names),
            }
        };
        Self {
            kind: match trace.bad.map(|bad| system.bad[bad].kind) {
                Some(BadKind::Unsafe) => TraceKind::Unsafe,
                Some(BadKind::Invariant) => TraceKind::Invariant,
                None => TraceKind::Deadlock,
            },
            ends_in: ending(system, trace).to_owned(),
            place: trace.bad.map(|bad| TextRange::new(lines, system.bad[bad].span)),
            processes: trace.initial.procs,
            witnesses: process_names(&witnesses),
            literals: literals
                .into_iter()
                .map(|(literal, span)| LiteralAt { literal, place: TextRange::new(lines, span) })
                .collect(),
            history: history(system, trace, Style::PLAIN),
            initial: changed(system, &trace.initial, None, &names),
            steps: trace.steps.iter().zip(trace.states()).map(step).collect(),
            loop_from: None,
            legend: names.legend(),
            file: None,
        }
    }

    /// For a run whose last step, or initial state, the abstract model does not have.
    pub fn of_refinement(system: &System, lines: &Lines<'_>, trace: &Trace) -> Self {
        let kind = TraceKind::Refinement;
        Self { kind, ends_in: "refinement".to_owned(), ..Self::reached(system, lines, trace) }
    }

    /// For a run that shows something by its last state.
    pub fn reached(system: &System, lines: &Lines<'_>, trace: &Trace) -> Self {
        Self {
            kind: TraceKind::Reached,
            history: path(system, trace, Style::PLAIN),
            ..Self::new(system, lines, trace)
        }
    }

    /// For a finding about a property of runs, if it is a run.
    pub fn of_runs(system: &System, lines: &Lines<'_>, known: &TemporalReport) -> Option<Self> {
        let found = known.found.as_ref()?;
        let property = &system.temporal[known.property];
        let (kind, loop_from) = match found {
            TemporalFinding::Lasso { lasso, .. } => (TraceKind::Lasso, lasso.back),
            TemporalFinding::DeadEnd { .. } => (TraceKind::DeadEnd, None),
            TemporalFinding::Reached { .. } => (TraceKind::Reached, None),
        };
        Some(Self {
            kind,
            ends_in: property.name.clone(),
            place: Some(TextRange::new(lines, property.span)),
            witnesses: process_names(found.tuple()),
            history: runs::history(system, known.property, found, Style::PLAIN),
            loop_from,
            ..Self::new(system, lines, found.run())
        })
    }
}

/// The result of the search for a run.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct WitnessDocument {
    /// Always `witness`.
    #[schemars(extend("const" = "witness"))]
    pub kind: &'static str,
    /// What made it.
    #[serde(flatten)]
    pub origin: Origin,
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
            origin: run.head.origin.clone(),
            model: run.head.model.clone(),
            exit_code: run.exit_code,
            error: run.error.clone(),
            answer: if why.is_some() { WitnessAnswerWord::NotFound } else { WitnessAnswerWord::Error },
            reason: why,
            messages: run.messages.clone(),
            ..Self::default()
        }
    }

    /// With the answer about runs of `model` that show what is `wanted`.
    #[must_use]
    pub fn with_answer(self, model: ModelSource<'_>, wanted: &str, answer: &WitnessAnswer) -> Self {
        let known = Self { wanted: Some(wanted.to_owned()), ..self };
        match answer {
            WitnessAnswer::Run(witness) => {
                let reached = TraceRecord::reached(model.system, &Lines::new(model.text), &witness.run);
                Self {
                    answer: WitnessAnswerWord::Run,
                    run: Some(TraceRecord { ends_in: wanted.to_owned(), ..reached }),
                    transitions: witness.coverage.transitions.clone(),
                    values: witness.coverage.values.clone(),
                    ..known
                }
            }
            WitnessAnswer::Never => Self { answer: WitnessAnswerWord::Never, ..known },
            WitnessAnswer::NotFound { sizes, complete, why } => Self {
                answer: WitnessAnswerWord::NotFound,
                procs: sizes.clone(),
                complete: Some(*complete),
                reason: why.undecided().map(reason),
                ..known
            },
        }
    }
}
