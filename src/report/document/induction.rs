//! What a run says about the claims of a model, whether they are inductive, and about a refinement.

use schemars::JsonSchema;
use serde::Serialize;

use super::Model;
use super::message::Lines;
use super::trace::TraceRecord;
use crate::trace::{action, changes};
use cubicle_lang::model::System;
use cubicle_lang::words::ValueNames;
use cubicle_run::style::Style;
use cubicle_run::words::reason;
use cubicle_tools::inductive::{ClaimFinding, Induction};
use cubicle_tools::refines::BrokenRefinement;

/// A claim, or all claims together.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct InductionRecord {
    /// The names of the declarations.
    pub claims: Vec<String>,
    /// The lines in which they begin, from 1.
    pub lines: Vec<usize>,
    /// Whether they are inductive.
    pub answer: InductionWord,
    /// Why that is not known.
    pub reason: Option<String>,
    /// A step from a state outside of all claimed cubes into one. No run has to reach that state.
    pub step: Option<StateChange>,
    /// A run to a state that the claims exclude, which was replayed on the model.
    pub run: Option<TraceRecord>,
    /// The sizes of instances that have no such run.
    pub no_run_with: Vec<usize>,
    /// Whether it is proved that no number of processes has one, although the claims are not inductive.
    pub holds: bool,
    /// What is to be claimed besides: with it the claims are inductive, which is proved.
    pub strengthening: Vec<String>,
}

/// Whether claims are inductive.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum InductionWord {
    /// They are, for any number of processes.
    Inductive,
    /// They are not, and it is not known whether a run reaches a state that they exclude.
    NotInductive,
    /// A run reaches a state that they exclude.
    Violated,
    /// Not known.
    Unknown,
}

/// A step.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct StateChange {
    /// The name of the claim that is false after it.
    pub into: String,
    /// Processes of the instance.
    pub processes: usize,
    /// All cells before it.
    pub before: Vec<String>,
    /// The step.
    pub step: String,
    /// The cells that it changes.
    pub changes: Vec<String>,
}

impl InductionRecord {
    /// What is known of a claim of `system`, whose text is `text`.
    pub fn new(system: &System, text: &str, finding: &ClaimFinding) -> Self {
        let ClaimFinding { names, induction, run, without, holds, strengthening, .. } = finding;
        let change = match induction {
            Induction::Step(it) => it.step.steps.first().map(|step| {
                let names = ValueNames::new(system, &it.step);
                StateChange {
                    into: system.bad[it.bad].name.clone(),
                    processes: it.step.initial.procs,
                    before: changes(system, &it.step.initial, None, &names),
                    step: action(system, step, Style::PLAIN),
                    changes: changes(system, &step.after, Some(&it.step.initial), &names),
                }
            }),
            _ => None,
        };
        Self {
            claims: names.clone(),
            lines: finding.spans.iter().map(|span| Lines::new(text).position(span.start).0).collect(),
            answer: match induction {
                _ if run.is_some() => InductionWord::Violated,
                Induction::Inductive => InductionWord::Inductive,
                Induction::Initially | Induction::Step(_) => InductionWord::NotInductive,
                Induction::Open(_) => InductionWord::Unknown,
            },
            reason: if let Induction::Open(why) = induction { Some(reason(why)) } else { None },
            step: change,
            run: run.as_ref().map(|it| TraceRecord::reached(system, &Lines::new(text), it)),
            no_run_with: without.clone(),
            holds: *holds,
            strengthening: strengthening.clone(),
        }
    }
}

/// The refinement of an abstract model by the one of the document.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct RefinementRecord {
    /// The abstract model.
    pub abstract_model: Model,
    /// The map between them.
    pub map: Model,
    /// What the map leaves out and names decided, as statements of a map.
    pub guessed: Vec<String>,
    /// Where the refinement fails: the abstract steps beside those of the trace, as far as there are any.
    pub beside: Vec<String>,
    /// The cells of the abstract model that change at the initial state and at each step.
    pub changes: Vec<Vec<String>>,
    /// Why the last step of the trace, or its initial state, is not one of the abstract model: a line for each step that it might be.
    pub why: Vec<String>,
    /// The properties of the abstract model, each with whether it holds of the concrete one; `null` when that was not asked for or
    /// is not known.
    pub transferred: Vec<TransferRecord>,
}

/// A property of the abstract model.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct TransferRecord {
    /// Its name.
    pub name: String,
    /// Whether no run of the concrete model reaches a state that is, read through the map, one of its bad states; `null` when that is
    /// not known.
    pub holds: Option<bool>,
}

impl RefinementRecord {
    /// With what breaks it.
    #[must_use]
    pub fn broken(self, abstraction: &System, broken: &BrokenRefinement) -> Self {
        let names = broken.beside.names(abstraction);
        let states = &broken.beside.states;
        let change = |at: usize| {
            changes(abstraction, &states[at], at.checked_sub(1).map(|before| &states[before]), &names)
        };
        Self {
            beside: broken.beside.steps.clone(),
            changes: (0..states.len()).map(change).collect(),
            why: broken.why.clone(),
            ..self
        }
    }
}
