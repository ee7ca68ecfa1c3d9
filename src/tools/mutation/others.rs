//! Mutants that other processes examine, and their answers.

use super::examiner::{MutantExaminer, MutantOutcome};
use super::plan::{MutationOptions, Plan};
use super::pool::{self, Panicked};
use crate::mutation::Fate;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::semantics::replay;
use cubicle_run::Interrupt;

/// Other processes that examine mutants, each with a [`Helper`] made from the same model and the same options.
pub trait Others: Sync {
    /// Hands the mutants at the positions that `next` gives to idle processes, and each answer to `put`, which returns whether it
    /// is valid. Ends when `next` has no more, and all that were handed out are answered or no longer needed.
    fn deal(&self, next: &dyn Fn() -> Option<usize>, put: &dyn Fn(usize, &[u8]) -> bool);
}

/// Examines mutants for another process.
pub struct Helper<'a>(MutantExaminer<'a>);

impl<'a> Helper<'a> {
    /// A helper for the mutants of a plan.
    pub fn new(
        model: ModelSource<'a>,
        plan: &'a Plan,
        options: &'a MutationOptions,
        interrupt: &'a Interrupt,
    ) -> Self {
        Self(MutantExaminer::new(model, plan, options, interrupt))
    }

    /// The answer for the mutant at a position of the plan; empty when there is no such mutant.
    ///
    /// # Panics
    /// When the plan is about another model.
    pub fn answer(&self, place: usize) -> Vec<u8> {
        let Self(looking) = self;
        if place >= looking.plan.mutants.len() {
            return Vec::new();
        }
        serde_json::to_vec(&pool::attempt(|| looking.at(place))).expect("keys are strings")
    }
}

impl MutantExaminer<'_> {
    /// Reads another process's answer for the mutant at a position of the plan. `None` when it is invalid: in particular, a run
    /// is replayed.
    pub fn answer(&self, place: usize, answer: &[u8]) -> Option<Result<MutantOutcome, Panicked>> {
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
