//! Traces of a document: what `--trace-out` writes for tools, here for people.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::{Lines, TextRange};
use crate::runs;
use crate::trace::{history, path};
use cubicle_lang::model::semantics::State;
use cubicle_lang::model::{BadKind, System};
use cubicle_lang::words::{ValueNames, Violation, cells_of, ending, processes, violated};
use cubicle_run::style::Style;
use cubicle_run::{TemporalFinding, TemporalReport, Trace};
use cubicle_tools::validate::CellValue;

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
        let (witnesses, literals) = match violated(system, trace) {
            Some(Violation { witnesses, literals }) => (witnesses, literals),
            None => (Vec::new(), Vec::new()),
        };
        let mut before = &trace.initial;
        let mut steps = Vec::with_capacity(trace.steps.len());
        for step in &trace.steps {
            let transition = system.transition(step.transition);
            let (shown, hidden) = step.args.split_at(transition.params.len());
            steps.push(TraceStep {
                transition: transition.name.clone(),
                arguments: processes_of(shown),
                hidden_arguments: processes_of(hidden),
                place: TextRange::new(lines, transition.span),
                changes: assignments(system, &names, &step.after, Some(before)),
            });
            before = &step.after;
        }
        Self {
            kind: match trace.bad.map(|bad| system.bad[bad].kind) {
                Some(BadKind::Unsafe) => TraceKind::Unsafe,
                Some(BadKind::Invariant) => TraceKind::Invariant,
                None => TraceKind::Deadlock,
            },
            ends_in: ending(system, trace).to_owned(),
            place: trace.bad.map(|bad| TextRange::new(lines, system.bad[bad].span)),
            processes: trace.initial.procs,
            witnesses: processes_of(&witnesses),
            literals: literals
                .into_iter()
                .map(|(literal, span)| LiteralAt { literal, place: TextRange::new(lines, span) })
                .collect(),
            history: history(system, trace, Style::PLAIN),
            initial: assignments(system, &names, &trace.initial, None),
            steps,
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
            witnesses: processes_of(found.tuple()),
            history: runs::history(system, known.property, found, Style::PLAIN),
            loop_from,
            ..Self::new(system, lines, found.run())
        })
    }
}

fn processes_of(numbers: &[usize]) -> Vec<String> {
    numbers.iter().map(|&number| processes(&[number])).collect()
}

/// The cells of `state` that differ from those of `before`, or all.
fn assignments(
    system: &System,
    names: &ValueNames<'_>,
    state: &State,
    before: Option<&State>,
) -> Vec<CellValue> {
    let all = cells_of(system, state).into_iter();
    all.filter(|cell| before.is_none_or(|before| cell.differs(before, state)))
        .map(|cell| CellValue { value: names.shown(&cell, state), cell: cell.name })
        .collect()
}
