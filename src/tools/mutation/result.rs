//! The results on the mutants of a model, and properties that hold for it but are not claimed by it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};

use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::BadKind;
use cubicle_run::{Forbidden, Reason, Trace, named, words};
use cubicle_transform::mutate::MutantCandidate;
use cubicle_transform::strengthen::PropertyOperator;

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

named! {
    /// An engine that finds a run.
    #[derive(Deserialize)]
    pub enum KillFinder {
        /// Exhaustive exploration.
        Exploration = "exploration",
        /// Walks.
        Walks = "walks",
        /// A search for a proof.
        Search = "search",
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

/// Properties that a model has and does not claim.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "PropertyFigures")]
pub struct Properties {
    /// Those that forbid more than a claim of the model, strongest first.
    pub stronger: Vec<TrueProperty>,
    /// Those that the proof rests on; those that notice most mutants come first.
    pub suggested: Vec<TrueProperty>,
    /// How many were tried and are false.
    pub refuted: usize,
    /// Those that were not decided.
    #[serde(rename = "undecided")]
    pub open: Vec<OpenProperty>,
    /// How many more were not tried.
    pub left_out: usize,
    /// How many mutants were examined to rank the properties.
    pub mutants: usize,
    /// Why the run ended before all were tried.
    #[serde(skip)]
    pub stopped: Option<Reason>,
}

/// A property that holds for any number of processes: proved, with a certificate that was checked.
#[derive(Clone, PartialEq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "PropertyRecord")]
pub struct TrueProperty {
    /// The states that it forbids.
    #[serde(skip)]
    pub claim: Forbidden,
    /// A declaration that can be pasted into the model.
    pub line: String,
    /// The claim of the model that it is a change of, `unsafe at line 12`; `null` for one of the proof.
    pub of: Option<String>,
    /// The last change: `drop-parameter`, `drop-literal`, `generalise` or `negate-literal`.
    #[schemars(with = "Option<String>")]
    pub operator: Option<PropertyOperator>,
    /// Mutants that it kills and no claim of the model does, as far as small instances show.
    pub notices: usize,
}

/// A property that was not decided.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenPropertyRecord")]
pub struct OpenProperty {
    /// The declaration.
    pub line: String,
    /// Why it was not decided.
    #[serde(serialize_with = "in_words")]
    #[schemars(with = "String")]
    pub reason: Reason,
}

fn in_words<S: Serializer>(reason: &Reason, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&words::reason(reason))
}
