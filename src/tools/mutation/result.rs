//! The results on the mutants of a model.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::BadKind;
use cubicle_run::{Reason, Trace};
use cubicle_transform::mutate::MutantCandidate;

/// The results on the mutants of a model.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The claims of the model, in file order.
    pub claims: Vec<MutantClaim>,
    /// The mutants, in the order of the text.
    pub mutants: Vec<MutantResult>,
    /// Number of candidates that are not models.
    pub ill_typed: usize,
    /// Number of candidates with the same meaning as the model or as another candidate.
    pub same: usize,
    /// The sizes of the instances that were explored exhaustively, as far as the limit on states allows.
    pub sizes: Vec<usize>,
    /// Why the run ended before all mutants were examined.
    pub stopped: Option<Reason>,
}

/// A declaration that a mutant may violate.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MutantClaim {
    /// `unsafe at line 12`.
    pub name: String,
    /// `unsafe` or `invariant`.
    pub kind: BadKind,
    /// The declaration.
    pub span: Span,
    /// Whether the model consists only of states in which it holds, so that only a mutant can violate it.
    pub assumed: bool,
}

/// A mutant, and its fate.
#[derive(Clone, Debug)]
pub struct MutantResult {
    /// Which one it is.
    pub candidate: MutantCandidate,
    /// Its fate.
    pub fate: Fate,
    /// What it changes, in the largest instance that is compared; `None` when that is unknown.
    pub change: Option<Change>,
}

/// The fate of a mutant.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Fate {
    /// A bad state is reachable.
    Killed(Kill),
    /// It is as safe as the model: proved, with a certificate that was checked.
    Survived(Survival),
    /// It changes nothing in the instances that are explored: they have the same states and steps as those of the model.
    /// Whether that holds in larger ones is unknown.
    Same,
    /// Neither was shown.
    Undecided(Reason),
    /// An engine failed on it, which is a bug: the text of the panic.
    Failed(String),
    /// It was not examined.
    Untried,
}

/// How a mutant was killed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kill {
    /// The claims that it violates, by their numbers in [`Mutation::claims`]; that of the run first. Those that only
    /// larger instances violate, or states beyond the limit, are not among them.
    pub claims: Vec<usize>,
    /// A run of the mutant to a bad state, replayed.
    pub trace: Trace,
    /// The engine that found it.
    pub finder: KillFinder,
}

/// An engine that finds a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum KillFinder {
    /// Exhaustive exploration.
    Exploration,
    /// Walks.
    Walks,
    /// A search for a proof.
    Search,
}

impl KillFinder {
    /// `exploration`, `walks` or `search`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exploration => "exploration",
            Self::Walks => "walks",
            Self::Search => "search",
        }
    }
}

/// How a mutant survived.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Survival {
    /// Cubes of the certificate.
    pub invariants: usize,
    /// The invariant of the certificate, as declarations of the model's language.
    pub proof: String,
    /// Whether all instances that are compared have the same states and steps as those of the model.
    pub same: bool,
}

/// How the reachable states of a mutant differ from those of the model, up to renaming of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize, Deserialize)]
#[schemars(rename = "ChangeFigures")]
pub struct Change {
    /// Processes of the instances that are compared.
    pub procs: usize,
    /// States of the model.
    #[serde(rename = "states")]
    pub of: usize,
    /// States of the mutant only.
    pub appear: usize,
    /// States of the model only.
    pub vanish: usize,
}

impl Mutation {
    /// Mutants that were killed.
    pub fn killed(&self) -> impl Iterator<Item = (&MutantResult, &Kill)> {
        self.mutants.iter().filter_map(|it| match &it.fate {
            Fate::Killed(kill) => Some((it, kill)),
            _ => None,
        })
    }

    /// Mutants that survived.
    pub fn survivors(&self) -> impl Iterator<Item = (&MutantResult, &Survival)> {
        self.mutants.iter().filter_map(|it| match &it.fate {
            Fate::Survived(survival) => Some((it, survival)),
            _ => None,
        })
    }

    /// Number of mutants that count for the kill rate: all that were examined and change something.
    pub fn counted(&self) -> usize {
        self.mutants.iter().filter(|it| it.counts()).count()
    }
}

impl MutantResult {
    /// Whether it counts for the kill rate.
    pub const fn counts(&self) -> bool {
        match &self.fate {
            Fate::Same | Fate::Untried => false,
            Fate::Survived(survival) => !survival.same,
            Fate::Killed(_) | Fate::Undecided(_) | Fate::Failed(_) => true,
        }
    }
}
