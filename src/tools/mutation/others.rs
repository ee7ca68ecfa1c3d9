//! Mutants that other processes look at, and what they answer.

use serde::{Deserialize, Serialize};

use super::examiner::{MutantExaminer, MutantOutcome};
use super::memory::{MutantMemory, ShownWords, shown_by, shown_words};
use super::plan::{MutationOptions, Plan};
use super::pool;
use crate::mutation::Fate;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::replay;
use cubicle_run::interrupt::Interrupt;

/// Others that look at mutants, each with a [`Helper`] made from the same model and the same options.
pub trait Others: Sync {
    /// Hands the mutants in the places that `next` gives to whoever is free, and each answer to `put`, which says whether it
    /// makes sense. Ends when `next` has no more, and all that was handed out is answered or nobody waits for it.
    fn deal(&self, next: &dyn Fn() -> Option<usize>, put: &dyn Fn(usize, &[u8]) -> bool);
}

/// Looks at mutants for another process.
pub struct Helper<'a>(MutantExaminer<'a>);

/// What is answered.
#[derive(Serialize, Deserialize)]
struct Answer {
    /// The error is the text of a panic.
    found: Result<MutantOutcome, String>,
    /// What certificates have shown since the answer before.
    shown: ShownWords,
}

impl<'a> Helper<'a> {
    /// For the mutants of a plan.
    pub fn new(
        model: (&'a System, &'a str),
        plan: &'a Plan,
        how: (&'a MutationOptions, &'a MutantMemory),
        interrupt: &'a Interrupt,
    ) -> Self {
        Self(MutantExaminer::new(model, plan, how, interrupt))
    }

    /// The answer for the mutant in a place of the plan; nothing where there is none.
    ///
    /// # Panics
    /// When the plan is about another model.
    pub fn answer(&self, place: usize) -> Vec<u8> {
        let Self(looking) = self;
        if place >= looking.plan.mutants.len() {
            return Vec::new();
        }
        let found = pool::attempt(|| looking.at(place));
        let shown = shown_words(&looking.memory.shown.take_learned());
        serde_json::to_vec(&Answer { found, shown }).expect("keys are strings")
    }
}

impl MutantExaminer<'_> {
    /// What another process answered for the mutant in a place of the plan. `None` when that makes no sense: a run, above
    /// all, is replayed.
    pub fn answer(&self, place: usize, answer: &[u8]) -> Option<Result<MutantOutcome, String>> {
        let Answer { found, shown } = serde_json::from_slice(answer).ok()?;
        if let Ok(MutantOutcome { fate: Fate::Killed(kill), .. }) = &found {
            let system = self.plan.mutants[place].0.system(self.text)?;
            let known = kill.claims.iter().all(|claim| *claim < self.baseline.claims.len());
            if !known || kill.trace.bad.is_none() || replay(&system, &kill.trace).is_err() {
                return None;
            }
        }
        self.memory.shown.learn(shown_by(&shown)?);
        Some(found)
    }
}
