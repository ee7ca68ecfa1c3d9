//! The mutants of a plan, one after the other, and those that other processes examine, with their answers.

use serde::{Deserialize, Serialize};

use super::baseline::Baseline;
use super::examine::{Mutant, examine};
use super::plan::{MutationOptions, Plan};
use super::pool::{self, Panicked};
use crate::mutation::{Change, Fate};
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::semantics::replay;
use cubicle_run::Interrupt;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutantOutcome {
    pub fate: Fate,
    pub change: Option<Change>,
}

impl MutantOutcome {
    /// An outcome with nothing but a fate.
    pub const fn only(fate: Fate) -> Self {
        Self { fate, change: None }
    }
}

/// The mutants of a plan, with everything needed to examine one, also for another process.
pub struct MutantExaminer<'a> {
    pub(super) baseline: Baseline<'a>,
    text: &'a str,
    plan: &'a Plan,
}

impl<'a> MutantExaminer<'a> {
    /// For the mutants of a plan.
    pub fn new(
        model: ModelSource<'a>,
        plan: &'a Plan,
        options: &'a MutationOptions,
        interrupt: &'a Interrupt,
    ) -> Self {
        Self { baseline: Baseline::new(model, options, interrupt), text: model.text, plan }
    }

    /// Examines the mutant at a position of the plan.
    pub(super) fn at(&self, place: usize) -> MutantOutcome {
        let Self { baseline, text, plan } = self;
        let candidate = &plan.mutants[place];
        let system = candidate.system(text).expect("the plan has models only");
        let text_of = &candidate.text(text);
        let (fate, change) = examine(&Mutant { baseline, system: &system, text: text_of });
        MutantOutcome { fate, change }
    }
}

/// Other processes that examine mutants, each with a [`MutantExaminer`] made from the same model and the same options.
pub trait Others: Sync {
    /// Hands the mutants at the positions that `next` gives to idle processes, and each answer to `put`, which returns whether it
    /// is valid. Ends when `next` has no more, and all that were handed out are answered or no longer needed.
    fn deal(&self, next: &dyn Fn() -> Option<usize>, put: &dyn Fn(usize, &[u8]) -> bool);
}

impl MutantExaminer<'_> {
    /// The answer for the mutant at a position of the plan; empty when there is no such mutant.
    ///
    /// # Panics
    /// When the plan is about another model.
    pub fn answer(&self, place: usize) -> Vec<u8> {
        if place >= self.plan.mutants.len() {
            return Vec::new();
        }
        serde_json::to_vec(&pool::attempt(|| self.at(place))).expect("keys are strings")
    }

    /// Reads another process's answer for the mutant at a position of the plan. `None` when it is invalid: in particular, a run
    /// is replayed.
    pub(super) fn accepted(&self, place: usize, answer: &[u8]) -> Option<Result<MutantOutcome, Panicked>> {
        let found = serde_json::from_slice(answer).ok()?;
        if let Ok(MutantOutcome { fate: Fate::Killed(kill), .. }) = &found {
            let system = self.plan.mutants[place].system(self.text)?;
            let known = kill.claims.iter().all(|claim| *claim < self.baseline.claims.len());
            if !known || kill.trace.bad.is_none() || replay(&system, &kill.trace).is_err() {
                return None;
            }
        }
        Some(found)
    }
}
