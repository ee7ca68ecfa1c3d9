//! The fates of the mutants of a model, or the properties that it has and does not claim, for programs: a separate document.

use schemars::JsonSchema;
use serde::Serialize;

use super::message::{Lines, Message, TextRange};
use super::{Document, Model, Origin, Written};
use crate::trace::history;
use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::BadKind;
use cubicle_lang::named::Named;
use cubicle_run::style::Style;
use cubicle_run::words::reason;
use cubicle_tools::mutation::{
    Change, Fate, KillsUpTo, MutantResult, Mutation, Properties, Rate, curve, rate_by, rate_by_claim,
    smallest_set,
};

/// The mutants of a model as one document.
#[derive(Clone, Debug, Default, JsonSchema, Serialize)]
pub struct MutationDocument {
    /// Always `mutation`.
    #[schemars(extend("const" = "mutation"))]
    pub kind: &'static str,
    /// What made it.
    #[serde(flatten)]
    pub origin: Origin,
    /// The model.
    pub model: Model,
    /// Seed of all random choices.
    pub seed: u64,
    /// Exit code of the program.
    pub exit_code: u8,
    /// Why no mutant was examined, or only a part of what was asked for is there: wrong usage, a model with errors or one
    /// that is not safe itself, a file that cannot be written, an internal error.
    pub error: Option<String>,
    /// Why the run ended before all mutants were examined.
    pub stopped: Option<String>,
    /// Candidates that were not models.
    pub ill_typed: usize,
    /// Candidates that say the same as the model, or as another candidate.
    pub duplicates: usize,
    /// Mutants that count for the kill rate: all that were examined and change something.
    pub counted: usize,
    /// Of these, killed.
    pub killed: usize,
    /// The claims of the model.
    pub claims: Vec<ClaimFigures>,
    /// The names of a smallest set of claims that kills all mutants that any kill.
    pub smallest_set: Vec<String>,
    /// Kill rates by operator.
    pub operators: Vec<Rate<Option<String>>>,
    /// Kill rates by transition; the one of init has no name.
    pub transitions: Vec<Rate<Option<String>>>,
    /// How many mutants are killed by instances of up to each number of processes.
    pub curve: Vec<KillsUpTo>,
    /// The smallest number of processes beyond which no more are killed; `null` when none is.
    pub mutant_stable_k: Option<usize>,
    /// Whether that is certain, since all others are proved safe.
    pub settled: bool,
    /// The mutants, in the order of the text.
    pub mutants: Vec<MutantRecord>,
    /// What the model could claim in addition, with `--properties` or `--suggest`: there are no mutants then.
    pub properties: Option<Properties>,
    /// Errors, warnings and notes, in the order in which they were reported.
    pub messages: Vec<Message>,
}

/// How many mutants a claim of the model kills.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct ClaimFigures {
    /// `unsafe at line 12`.
    pub name: String,
    /// Whether it is an `invariant`.
    pub invariant: bool,
    /// The declaration.
    pub place: TextRange,
    /// Whether the model is restricted to states in which it holds, so that only a mutant can violate it.
    pub assumed: bool,
    /// Mutants that violate it.
    pub kills: usize,
    /// Of these, those that violate no other.
    pub alone: usize,
}

/// The fate of a mutant, in a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FateWord {
    /// A bad state is reachable.
    Killed,
    /// Proved safe, with a certificate that was checked.
    Survived,
    /// Not decided, but the instances that are compared have the same states and steps as those of the model.
    Same,
    /// Not decided.
    Undecided,
    /// An engine failed on it: a bug of cubicle.
    Failed,
    /// Not examined: the run ended before.
    #[default]
    Untried,
}

/// A mutant.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct MutantRecord {
    /// Its number, as the command line takes it.
    pub number: usize,
    /// The kind of mistake.
    pub operator: String,
    /// The transition that it is in; `null` for init.
    pub transition: Option<String>,
    /// The changed part.
    pub place: TextRange,
    /// The first line that differs.
    pub line: usize,
    /// The lines of the model.
    pub old: Vec<String>,
    /// The lines of the mutant instead.
    pub new: Vec<String>,
    /// Its fate.
    pub fate: FateWord,
    /// The names of the claims that it violates, that of the run first.
    pub claims: Vec<String>,
    /// Processes of the instance that kills it.
    pub procs: Option<usize>,
    /// Steps of the run that kills it.
    pub steps: Option<usize>,
    /// That run, in a line.
    pub run: Option<String>,
    /// What found it: `exploration`, `walks` or `search`.
    pub found_by: Option<String>,
    /// Cubes of the certificate of a survivor.
    pub invariants: Option<usize>,
    /// Whether the instances that are compared have the same states and steps as those of the model; `null` when
    /// they were not compared.
    pub changes_nothing: Option<bool>,
    /// How its states differ from those of the model; `null` when that is not known.
    pub change: Option<Change>,
    /// Why it is undecided, or the text of a failure.
    pub reason: Option<String>,
}

impl Written for MutationDocument {}

impl MutationDocument {
    /// The document of a run without mutants to show: `run` says what went wrong.
    pub fn without_mutants(run: &Document) -> Self {
        Self {
            kind: "mutation",
            origin: run.head.origin.clone(),
            model: run.head.model.clone(),
            seed: run.head.seed,
            exit_code: run.exit_code,
            error: run.error.clone(),
            stopped: run.reason.as_ref().map(|why| why.text.clone()),
            messages: run.messages.clone(),
            ..Self::default()
        }
    }

    /// For what was found in the model `source`; `run` has everything else.
    pub fn new(found: &Mutation, source: &Source<'_>, run: &Document) -> Self {
        let lines = Lines::new(source.text);
        let claims =
            found.claims.iter().zip(rate_by_claim(found)).map(|(claim, (kills, alone))| ClaimFigures {
                name: claim.name.clone(),
                invariant: claim.kind == BadKind::Invariant,
                place: TextRange::new(&lines, claim.span),
                assumed: claim.assumed,
                kills,
                alone,
            });
        let curve = curve(found);
        Self {
            stopped: found.stopped.as_ref().map(reason),
            ill_typed: found.ill_typed,
            duplicates: found.same,
            counted: found.counted(),
            killed: found.killed().count(),
            claims: claims.collect(),
            smallest_set: smallest_set(found).into_iter().map(|it| found.claims[it].name.clone()).collect(),
            operators: rate_by(found, |it| Some(it.candidate.operator.name().to_owned())),
            transitions: rate_by(found, |it| it.candidate.transition.clone()),
            mutant_stable_k: curve.stable(),
            settled: curve.settled,
            curve: curve.killed,
            mutants: found.mutants.iter().map(|it| record(it, found, source, &lines)).collect(),
            ..Self::without_mutants(run)
        }
    }

    /// For properties that a model has and does not claim; `run` has everything else.
    pub fn of_properties(found: &Properties, run: &Document) -> Self {
        Self {
            stopped: found.stopped.as_ref().map(reason),
            properties: Some(found.clone()),
            ..Self::without_mutants(run)
        }
    }
}

fn record(mutant: &MutantResult, found: &Mutation, source: &Source<'_>, lines: &Lines<'_>) -> MutantRecord {
    let candidate = &mutant.candidate;
    let touched = candidate.edit.lines(source.text);
    let mut record = MutantRecord {
        number: candidate.number,
        operator: candidate.operator.name().to_owned(),
        transition: candidate.transition.clone(),
        place: TextRange::new(lines, candidate.edit.place()),
        line: touched.first,
        old: touched.old,
        new: touched.new,
        change: mutant.change,
        ..MutantRecord::default()
    };
    match &mutant.fate {
        Fate::Killed(kill) => {
            let finder = kill.finder.name();
            let system = candidate.system(source.text);
            record.fate = FateWord::Killed;
            record.claims = kill.claims.iter().map(|it| found.claims[*it].name.clone()).collect();
            record.procs = Some(kill.trace.initial.procs);
            record.steps = Some(kill.trace.steps.len());
            record.run = system.map(|system| history(&system, &kill.trace, Style::PLAIN));
            record.found_by = Some(finder.to_owned());
        }
        Fate::Survived(survival) => {
            record.fate = FateWord::Survived;
            record.invariants = Some(survival.invariants);
            record.changes_nothing = Some(survival.same);
        }
        Fate::Same => {
            record.fate = FateWord::Same;
            record.changes_nothing = Some(true);
        }
        Fate::Undecided(why) => {
            record.fate = FateWord::Undecided;
            record.reason = Some(reason(why));
        }
        Fate::Failed(panic) => {
            record.fate = FateWord::Failed;
            record.reason = Some(panic.clone());
        }
        Fate::Untried => {}
    }
    record
}
