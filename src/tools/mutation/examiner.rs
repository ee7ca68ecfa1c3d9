//! The mutants of a plan, one after the other, with what earlier runs found of them.

use serde::{Deserialize, Serialize};

use super::baseline::Baseline;
use super::claims;
use super::examine::{Mutant, examine};
use super::memory::{Comparison, MutantMemory, Recall};
use super::plan::{MutationOptions, Plan};
use crate::mutation::{Change, Fate};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_run::interrupt::Interrupt;

/// Rounds that a mutant gets less when as many as were asked for did not decide it the last time.
const HURRY: u32 = 3;

/// What was found of a mutant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutantOutcome {
    /// What became of it.
    pub fate: Fate,
    /// What it changes.
    pub change: Option<Change>,
    /// Whether it got less effort than was asked for.
    pub hurried: bool,
}

impl MutantOutcome {
    /// Nothing is known of it but this.
    pub const fn only(fate: Fate) -> Self {
        Self { fate, change: None, hurried: false }
    }
}

/// The mutants of a plan, and all that one of them is looked at with.
pub struct MutantExaminer<'a> {
    pub baseline: Baseline<'a>,
    pub text: &'a str,
    pub plan: &'a Plan,
    pub memory: &'a MutantMemory,
    comparison: Comparison,
}

impl<'a> MutantExaminer<'a> {
    pub fn new(
        (system, text): (&'a System, &'a str),
        plan: &'a Plan,
        (options, memory): (&'a MutationOptions, &'a MutantMemory),
        interrupt: &'a Interrupt,
    ) -> Self {
        let claims = claims::of(system, text);
        Self {
            baseline: Baseline::new(system, claims, options, interrupt, &memory.shown),
            text,
            plan,
            memory,
            comparison: Comparison::new(system, options),
        }
    }

    /// Looks at the mutant in a place of the plan.
    pub fn at(&self, place: usize) -> MutantOutcome {
        let Self { baseline, text, plan, memory, comparison } = self;
        let options = baseline.options;
        let (candidate, key) = &plan.mutants[place];
        let system = candidate.system(text).expect("the plan has models only");
        let text_of = &candidate.text(text);
        let source = &Source { name: "", text };
        let recall = memory.recall((candidate, *key, &system), source, comparison, baseline.interrupt);
        let hard = matches!(recall, Some(Recall::Hard));
        let rounds = if hard { options.rounds.saturating_sub(HURRY).max(1) } else { options.rounds };
        let mutant = Mutant { baseline, system: &system, text: text_of, rounds };
        let (fate, change) = examine(&mutant, recall);
        let hurried = hard && matches!(fate, Fate::Undecided(_) | Fate::Same);
        MutantOutcome { fate, change, hurried }
    }
}
