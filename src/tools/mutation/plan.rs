//! Which mutants are looked at, and with how much effort.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use cubicle_lang::model::System;
use cubicle_lang::syntax::ast::File;
use cubicle_run::interrupt::Interrupt;
use cubicle_run::options::BackwardMode;
use cubicle_transform::mutate::{MeaningKey, MutantCandidate, Operator, candidates, key};

/// How mutants are looked at.
#[derive(Clone, Debug)]
pub struct MutationOptions {
    /// How a proof is looked for.
    pub proof: BackwardMode,
    /// Effort of a proof: rounds of [`BackwardMode::Auto`]; other searches get as much as the last of as many rounds.
    pub rounds: u32,
    /// Instances up to this size are explored.
    pub procs: usize,
    /// No more states than this are stored of one instance.
    pub max_states: usize,
    /// Number of threads.
    pub jobs: usize,
    /// Seed of walks.
    pub seed: u64,
}

impl Default for MutationOptions {
    fn default() -> Self {
        Self { proof: BackwardMode::Auto, rounds: 4, procs: 3, max_states: 20_000, jobs: 1, seed: 0 }
    }
}

/// Which of the mutants are looked at.
#[derive(Clone, Debug, Default)]
pub struct MutantSelection {
    /// Only these operators; empty for all.
    pub operators: Vec<Operator>,
    /// Only these transitions; empty for all, and for init.
    pub transitions: Vec<String>,
    /// No more than this many, drawn by lot.
    pub sample: Option<usize>,
    /// Seed of the lot.
    pub seed: u64,
}

/// The mutants that are looked at.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order of the text, each with the key of what it means.
    pub mutants: Vec<(MutantCandidate, MeaningKey)>,
    /// Candidates that were no models.
    pub ill_typed: usize,
    /// Candidates that say the same as the model, or as another candidate.
    pub same: usize,
}

impl Plan {
    /// The mutants of a model that `selection` is about. `system` is what `file` means, which was read from `text`. Only
    /// some of them when the work is interrupted.
    pub fn new(
        (file, text, system): (&File, &str, &System),
        selection: &MutantSelection,
        interrupt: &Interrupt,
    ) -> Self {
        let mut all = candidates(file, text);
        all.retain(|it| selection.has(it));
        if selection.sample.is_some() {
            all.shuffle(&mut ChaCha8Rng::seed_from_u64(selection.seed));
        }
        let mut plan = Self { mutants: Vec::new(), ill_typed: 0, same: 0 };
        let mut known = BTreeSet::from([key(system)]);
        for candidate in all {
            let enough = selection.sample.is_some_and(|most| plan.mutants.len() >= most);
            if enough || interrupt.reason().is_some() {
                break;
            }
            match candidate.system(text).map(|it| key(&it)) {
                None => plan.ill_typed += 1,
                Some(key) if known.insert(key) => plan.mutants.push((candidate, key)),
                Some(_) => plan.same += 1,
            }
        }
        plan.mutants.sort_by_key(|(it, _)| it.number);
        plan
    }
}

impl MutantSelection {
    fn has(&self, candidate: &MutantCandidate) -> bool {
        let named = |name: &String| self.transitions.contains(name);
        (self.operators.is_empty() || self.operators.contains(&candidate.operator))
            && (self.transitions.is_empty() || candidate.transition.as_ref().is_some_and(named))
    }
}
