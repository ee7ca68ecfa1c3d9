//! The mutants of a plan, one after the other.

use serde::{Deserialize, Serialize};

use super::baseline::Baseline;
use super::claims;
use super::examine::{Mutant, examine};
use super::plan::{MutationOptions, Plan};
use crate::mutation::{Change, Fate};
use cubicle_lang::load::ModelSource;
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

/// The mutants of a plan, with everything needed to examine one.
pub struct MutantExaminer<'a> {
    pub baseline: Baseline<'a>,
    pub text: &'a str,
    pub plan: &'a Plan,
}

impl<'a> MutantExaminer<'a> {
    pub fn new(
        ModelSource { system, text }: ModelSource<'a>,
        plan: &'a Plan,
        options: &'a MutationOptions,
        interrupt: &'a Interrupt,
    ) -> Self {
        let claims = claims::of(system, text);
        Self { baseline: Baseline::new(system, claims, options, interrupt), text, plan }
    }

    /// Examines the mutant at a position of the plan.
    pub fn at(&self, place: usize) -> MutantOutcome {
        let Self { baseline, text, plan } = self;
        let candidate = &plan.mutants[place];
        let system = candidate.system(text).expect("the plan has models only");
        let text_of = &candidate.text(text);
        let (fate, change) = examine(&Mutant { baseline, system: &system, text: text_of });
        MutantOutcome { fate, change }
    }
}
