//! Results on mutants that are kept from one run to the next.
//!
//! In: the text of a file that an earlier run wrote. Out: the earlier fate of a mutant. A mutant with the same meaning,
//! examined with the same options, keeps its fate. For one at the same place of a model that was edited elsewhere, the old
//! result is verified: its run is executed or its invariant checked, so that nothing relies on the file; of the invariant, only
//! the obligations that were not shown before in the same words are checked. One that was
//! undecided there gets a fraction of the effort: an edit elsewhere seldom makes it easy.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::plan::MutationOptions;
use crate::itf;
use crate::mutation::{Change, Fate, Kill, KillFinder, MutantResult, Mutation, Survival};
use cubicle_certificate::{ShownObligations, ShownTable};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::digest::digest;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::replay;
use cubicle_run::interrupt::Interrupt;
use cubicle_run::verdict::{Reason, Trace};
use cubicle_transform::mutate::{MeaningKey, MutantCandidate, key};

/// The first word of the file.
const MAGIC: &str = "cubicle-mutants";

/// Version of the file format and of its keys.
const VERSION: u32 = 3;

/// The most obligations of earlier runs that are kept.
const MOST_SHOWN: usize = 100_000;

/// The remembered results.
#[derive(Clone, Debug, Default)]
pub struct MutantMemory {
    /// By the meaning of a mutant, and by the options and the model with which it was examined.
    exact: BTreeMap<(String, String), RememberedMutant>,
    /// By the change that it makes.
    places: BTreeMap<String, RememberedMutant>,
    /// The obligations that certificates of earlier runs and of this one have shown.
    pub shown: ShownObligations,
}

/// The body of the file.
#[derive(Serialize, Deserialize)]
struct RememberedRun {
    mutants: Vec<RememberedMutant>,
    /// For the key of an obligation, the keys of the cubes that refute it, in hexadecimal digits.
    shown: ShownWords,
}

/// A [`ShownTable`], in hexadecimal digits.
pub type ShownWords = BTreeMap<String, Vec<String>>;

/// Converts a table to its form in the file.
pub fn shown_words(shown: &ShownTable) -> ShownWords {
    let number = |number: &u128| format!("{number:x}");
    shown.iter().map(|(key, cubes)| (number(key), cubes.iter().map(number).collect())).collect()
}

/// Converts a table back; `None` when these are not hexadecimal digits.
pub fn shown_by(words: &ShownWords) -> Option<ShownTable> {
    let number = |text: &String| u128::from_str_radix(text, 16).ok();
    words
        .iter()
        .map(|(key, cubes)| Some((number(key)?, cubes.iter().map(number).collect::<Option<_>>()?)))
        .collect()
}

/// Everything besides the mutant itself that its fate, and what it changes, may depend on: the options, and the model that
/// it is compared with. The same mutant of another model may be equivalent to that model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Comparison(String);

impl Comparison {
    /// The comparison of mutants with `model`.
    pub fn new(model: &System, options: &MutationOptions) -> Self {
        let MutationOptions { proof, rounds, procs, max_states, jobs: _, seed } = options;
        // Shows which cubes form one claim: claims are counted by their declarations.
        let spans = model.bad.iter().map(|bad| bad.span).chain(model.axioms.iter().map(|axiom| axiom.span));
        let starts: Vec<u32> = spans.map(|span| span.start).collect();
        let before = |start: &u32| starts.iter().filter(|it| *it < start).collect::<BTreeSet<_>>().len();
        let claims: Vec<usize> = starts.iter().map(before).collect();
        let model = digest(&(key(model), model.orders_processes, claims));
        Self(format!("{proof:?} {rounds} {procs} {max_states} {seed} {model:032x}"))
    }
}

/// A mutant of an earlier run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct RememberedMutant {
    key: String,
    /// Its [`Comparison`].
    options: String,
    place: String,
    fate: RememberedFate,
    /// Processes, states, those that appear and vanish.
    change: Option<[usize; 4]>,
}

/// The remembered fate of a mutant.
#[derive(Clone, Debug, Serialize, Deserialize)]
enum RememberedFate {
    Killed { trace: String, claims: Vec<usize>, finder: String },
    Survived { proof: String, invariants: usize, same: bool },
    Same,
    Effort(u64),
    Spurious(String),
}

/// The remembered result for a mutant.
pub enum Recall {
    /// It has this fate.
    Known(Fate, Option<Change>),
    /// This may be a run of it.
    Run(Trace),
    /// This may be an invariant of it, as declarations.
    Proof(String),
    /// High effort did not decide it then.
    Hard,
}

/// Why a file with the results of an earlier run cannot be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MemoryError {
    /// It is not as it was written.
    #[error("it is damaged")]
    Damaged,
    /// Another version of the program wrote it.
    #[error("another version of cubicle wrote it")]
    OtherVersion,
}

impl MutantMemory {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// It cannot be used.
    pub fn read(text: &str) -> Result<Self, MemoryError> {
        let (head, body) = text.split_once('\n').ok_or(MemoryError::Damaged)?;
        let words: Vec<&str> = head.split(' ').collect();
        let [MAGIC, version, hash] = words[..] else { return Err(MemoryError::Damaged) };
        if version != stamp() {
            return Err(MemoryError::OtherVersion);
        }
        if hash != checksum(body) {
            return Err(MemoryError::Damaged);
        }
        let all: RememberedRun = serde_json::from_str(body).map_err(|_| MemoryError::Damaged)?;
        let shown = shown_by(&all.shown).ok_or(MemoryError::Damaged)?;
        let mut memory = Self { shown: ShownObligations::new(shown), ..Self::default() };
        for it in all.mutants {
            memory.places.insert(it.place.clone(), it.clone());
            memory.exact.insert((it.key.clone(), it.options.clone()), it);
        }
        Ok(memory)
    }

    /// The text of a file with the results on the mutants of `source` that were found with this memory; all other mutants are
    /// forgotten.
    ///
    /// # Panics
    /// Never: all keys are strings.
    pub fn write(
        &self,
        found: &Mutation,
        keys: &[MeaningKey],
        source: &Source<'_>,
        comparison: &Comparison,
    ) -> String {
        let mutants = found.mutants.iter().zip(keys);
        let mutants = mutants.filter_map(|(it, key)| remembered(it, *key, source, comparison)).collect();
        let all = RememberedRun { mutants, shown: shown_words(&self.shown.all(MOST_SHOWN)) };
        let body = serde_json::to_string(&all).expect("keys are strings");
        format!("{MAGIC} {} {}\n{body}", stamp(), checksum(&body))
    }

    /// The remembered result for a mutant, whose meaning is `system` and has this key.
    pub fn recall(
        &self,
        candidate: &MutantCandidate,
        key: MeaningKey,
        system: &System,
        source: &Source<'_>,
        comparison: &Comparison,
        interrupt: &Interrupt,
    ) -> Option<Recall> {
        let run = |text: &str| {
            let (trace, _) = itf::read(system, source, text, interrupt).ok()?;
            (trace.bad.is_some() && replay(system, &trace).is_ok()).then_some(trace)
        };
        if let Some(it) = self.exact.get(&(hex(key), comparison.0.clone())) {
            let fate = match &it.fate {
                RememberedFate::Killed { trace, claims, finder } => {
                    let (claims, finder) = (claims.clone(), finder_named(finder));
                    Fate::Killed(Kill { claims, trace: run(trace)?, finder })
                }
                RememberedFate::Survived { proof, invariants, same } => Fate::Survived(Survival {
                    decider: None,
                    invariants: *invariants,
                    same: *same,
                    proof: proof.clone(),
                }),
                RememberedFate::Same => Fate::Same,
                RememberedFate::Effort(effort) => Fate::Undecided(Reason::Effort(*effort)),
                RememberedFate::Spurious(text) => Fate::Undecided(Reason::Spurious(text.clone())),
            };
            let change = it.change.map(|[procs, of, appear, vanish]| Change { procs, of, appear, vanish });
            return Some(Recall::Known(fate, change));
        }
        match &self.places.get(&place(candidate, source))?.fate {
            RememberedFate::Killed { trace, .. } => run(trace).map(Recall::Run),
            RememberedFate::Survived { proof, .. } => Some(Recall::Proof(proof.clone())),
            RememberedFate::Same | RememberedFate::Effort(_) | RememberedFate::Spurious(_) => {
                Some(Recall::Hard)
            }
        }
    }
}

fn remembered(
    mutant: &MutantResult,
    key: MeaningKey,
    source: &Source<'_>,
    comparison: &Comparison,
) -> Option<RememberedMutant> {
    let fate = match &mutant.fate {
        Fate::Killed(kill) => {
            let text = mutant.candidate.text(source.text);
            let system = mutant.candidate.system(source.text)?;
            let trace = itf::write(&system, &kill.trace, &Source { name: source.name, text: &text });
            let finder = finder_name(kill.finder).to_owned();
            RememberedFate::Killed { trace, claims: kill.claims.clone(), finder }
        }
        Fate::Survived(it) => {
            let (proof, invariants, same) = (it.proof.clone(), it.invariants, it.same);
            RememberedFate::Survived { proof, invariants, same }
        }
        Fate::Same => RememberedFate::Same,
        Fate::Undecided(Reason::Effort(effort)) => RememberedFate::Effort(*effort),
        Fate::Undecided(Reason::Spurious(text)) => RememberedFate::Spurious(text.clone()),
        // Another run may decide it differently.
        Fate::Undecided(_) | Fate::Failed(_) | Fate::Untried => return None,
    };
    Some(RememberedMutant {
        key: hex(key),
        // A result of reduced effort does not count as one for these options.
        options: comparison.0.clone() + if mutant.hurried { " hurried" } else { "" },
        place: place(&mutant.candidate, source),
        fate,
        change: mutant.change.map(|it| [it.procs, it.of, it.appear, it.vanish]),
    })
}

/// The change that a mutant makes, independent of its position in the text.
fn place(candidate: &MutantCandidate, source: &Source<'_>) -> String {
    let lines = candidate.edit.lines(source.text);
    let (name, transition) = (candidate.operator.name(), candidate.transition.as_deref().unwrap_or(""));
    format!("{name}\n{transition}\n{}\n=>\n{}", lines.old.join("\n"), lines.new.join("\n"))
}

const FINDERS: [(KillFinder, &str); 4] = [
    (KillFinder::Exploration, "exploration"),
    (KillFinder::Walks, "walks"),
    (KillFinder::Search, "search"),
    (KillFinder::Memory, "cache"),
];

/// `exploration`, `walks`, `search` or `cache`.
pub fn finder_name(finder: KillFinder) -> &'static str {
    FINDERS.iter().find(|(it, _)| *it == finder).map_or("", |(_, name)| name)
}

fn finder_named(name: &str) -> KillFinder {
    FINDERS.iter().find(|(_, it)| *it == name).map_or(KillFinder::Memory, |(finder, _)| *finder)
}

fn hex(key: MeaningKey) -> String {
    format!("{:032x}", key.0)
}

/// The version of the file and of the program.
fn stamp() -> String {
    format!("{VERSION}-{}", env!("CARGO_PKG_VERSION"))
}

fn checksum(body: &str) -> String {
    format!("{:032x}", digest(&body))
}
