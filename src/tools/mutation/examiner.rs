//! The mutants of a plan, one after the other, with the results of earlier runs.

use serde::{Deserialize, Serialize};

use super::baseline::Baseline;
use super::claims;
use super::examine::{Mutant, examine};
use super::memory::{Comparison, MutantMemory, Recall};
use super::plan::{MutationOptions, Plan};
use crate::mutation::{Change, Fate};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::load::ModelSource;
use cubicle_run::interrupt::Interrupt;

/// A mutant gets this many rounds less if the full number did not decide it the last time.
const ROUNDS_LESS: u32 = 3;

/// The result of examining a mutant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MutantOutcome {
    /// Its fate.
    pub fate: Fate,
    /// What it changes.
    pub change: Option<Change>,
    /// Whether it got less effort than requested.
    pub hurried: bool,
}

impl MutantOutcome {
    /// An outcome with nothing but a fate.
    pub const fn only(fate: Fate) -> Self {
        Self { fate, change: None, hurried: false }
    }
}

/// The mutants of a plan, with everything needed to examine one.
pub struct MutantExaminer<'a> {
    pub baseline: Baseline<'a>,
    pub text: &'a str,
    pub plan: &'a Plan,
    pub memory: &'a MutantMemory,
    comparison: Comparison,
}

impl<'a> MutantExaminer<'a> {
    pub fn new(
        ModelSource { system, text }: ModelSource<'a>,
        plan: &'a Plan,
        options: &'a MutationOptions,
        memory: &'a MutantMemory,
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

    /// Examines the mutant at a position of the plan.
    pub fn at(&self, place: usize) -> MutantOutcome {
        let Self { baseline, text, plan, memory, comparison } = self;
        let options = baseline.options;
        let (candidate, key) = &plan.mutants[place];
        let system = candidate.system(text).expect("the plan has models only");
        let text_of = &candidate.text(text);
        let source = &Source { name: "", text };
        let recall = memory.recall(candidate, *key, &system, source, comparison, baseline.interrupt);
        let hard = matches!(recall, Some(Recall::Hard));
        let rounds = if hard { options.rounds.saturating_sub(ROUNDS_LESS).max(1) } else { options.rounds };
        let mutant = Mutant { baseline, system: &system, text: text_of, rounds };
        let (fate, change) = examine(&mutant, recall);
        let hurried = hard && matches!(fate, Fate::Undecided(_) | Fate::Same);
        MutantOutcome { fate, change, hurried }
    }
}
