//! What a run says about a refinement.

use schemars::JsonSchema;
use serde::Serialize;

use super::Model;
use crate::refinement::changes;
use cubicle_lang::model::System;
use cubicle_tools::refines::BrokenRefinement;

/// The refinement of an abstract model by the one of the document.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
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
