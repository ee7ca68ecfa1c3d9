//! Which mutants to examine, and with how much effort.

use std::collections::BTreeSet;

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use cubicle_check::Checker;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_lang::syntax::ast::File;
use cubicle_run::{BackwardMode, Interrupt, Report};
use cubicle_transform::mutate::{MutantCandidate, Operator, candidates, key};

/// A mutant gets N times the effort that the proof of the model took: proofs of mutants that survive take about as much as that of the model.
const TIMES_THE_MODEL: u64 = 20;

/// A mutant gets at least this effort: about a second. By measurement of the examples.
const LEAST_EFFORT: u64 = 10_000;

/// How to examine mutants.
#[derive(Clone, Debug)]
pub struct MutationOptions {
    /// Decides mutants.
    pub checker: Checker,
    /// How to search for a proof.
    pub proof: BackwardMode,
    /// Effort of a proof: rounds of [`BackwardMode::Auto`]; other searches get the effort of the last of these rounds.
    pub rounds: u32,
    /// The searches of a proof together get no more than this effort, either; see [`Self::effort_for`].
    pub effort: Option<u64>,
    /// Instances up to this size are explored.
    pub procs: usize,
    /// Limit on the stored states of one instance.
    pub max_states: usize,
    /// Number of threads.
    pub jobs: usize,
    /// Seed of walks.
    pub seed: u64,
}

impl MutationOptions {
    /// With usual limits.
    pub const fn new(checker: Checker) -> Self {
        Self {
            checker,
            proof: BackwardMode::Auto,
            rounds: 4,
            effort: Some(LEAST_EFFORT),
            procs: 3,
            max_states: 20_000,
            jobs: 1,
            seed: 0,
        }
    }

    /// The effort for a mutant of the model that this report is about: in proportion to what the proof of the model took.
    pub fn effort_for(model: &Report) -> u64 {
        let effort: u64 = model.stages.iter().map(|stage| stage.effort).sum();
        effort.saturating_mul(TIMES_THE_MODEL).max(LEAST_EFFORT)
    }
}

/// The mutant of a model with this number, and its system. The error says why there is none.
///
/// # Errors
/// There is no such number, or the mutant is not a model.
pub fn mutant(file: &File, text: &str, number: usize) -> Result<(MutantCandidate, System), String> {
    let all = candidates(file, text);
    let most = all.len();
    let candidate = all.into_iter().find(|it| it.number == number);
    let candidate =
        candidate.ok_or_else(|| format!("there is no mutant #{number}: the model has {most} of them"))?;
    match candidate.system(text) {
        Some(system) => Ok((candidate, system)),
        None => Err(format!("mutant #{number} is not a model: its types do not fit")),
    }
}

/// Which of the mutants to examine.
#[derive(Clone, Debug, Default)]
pub struct MutantSelection {
    /// Only these operators; empty for all.
    pub operators: Vec<Operator>,
    /// Only these transitions; empty for all, and for init.
    pub transitions: Vec<String>,
    /// At most this many, chosen at random.
    pub sample: Option<usize>,
    /// Seed of the random choice.
    pub seed: u64,
}

/// The mutants to examine.
#[derive(Clone, Debug)]
pub struct Plan {
    /// In the order of the text.
    pub mutants: Vec<MutantCandidate>,
    /// Number of candidates that are not models.
    pub ill_typed: usize,
    /// Number of candidates with the same meaning as the model or as another candidate.
    pub same: usize,
}

impl Plan {
    /// The selected mutants of a model, whose syntax tree is `file`. Only some of them when the work is interrupted.
    pub fn new(
        file: &File,
        ModelSource { system, text }: ModelSource<'_>,
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
                Some(key) if known.insert(key) => plan.mutants.push(candidate),
                Some(_) => plan.same += 1,
            }
        }
        plan.mutants.sort_by_key(|it| it.number);
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
