//! The subject of a certificate, where that is not the model as written: a line in its file names it.
//!
//! `crash stop with Alive`, `crash stop:2 with Alive, Crashes` and `crash restart` say that processes may fail, and name the
//! variables that are added for that. `ranking of PROPERTY with FLAG` says that it is about a property of runs, by a ranking, whose lines follow.
//! `never COVER` says that no run reaches that `cover`. `refines another model` says that each run of the model is one of an abstract
//! model, which is given beside it, and `chosen NAME of VARIABLE` after it names constants. `announce` says that bad states are about what announced steps saw, `tail` adds a ghost array (`tails`). The system is derived here, from these lines and the model
//! alone, by the transforms from which the engines have their systems. The lines give them parameters, which they check; the names in the lines must be those that they give.

use std::sync::Arc;

use super::ranking;
use super::tails::{self, NamedTail};
use super::unreadable::{LineError, TextError};
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::{Fairness, Progress, Ranking, System, Tail, TemporalKind, VarId, VarKind};
use cubicle_transform::refines::Refinement;
use cubicle_transform::{Crash, NotDerived, Reduced, with_crashes, with_tails, without_announcements};

/// The subject of a certificate.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Subject {
    /// How processes may fail; `None` when they do not.
    pub failures: Option<Crash>,
    /// A property of runs that it is about; `None` when it is about bad states.
    pub runs: Option<RunsClaim>,
    /// That the model refines another one: variables, and the constants with the values that `?` chooses for them.
    pub refines: Option<Vec<(VarId, VarId)>>,
    /// Variables that bad states read, in place of which they say what had set them; before tails.
    pub announcements: Vec<VarId>,
    /// Ghost arrays that the cubes may mention, after the other variables.
    pub tails: Vec<Tail>,
}

/// What a certificate shows about a property of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunsClaim {
    /// It holds, by this ranking.
    Ranked(Ranking),
    /// No run reaches this `cover`.
    Never(String),
}

impl Subject {
    /// The flag that makes such a system; `None` for the model as written.
    pub fn flag(&self) -> Option<String> {
        Some(format!("--crash {}", self.failures?))
    }

    /// The property of runs that it is about.
    pub fn property(&self) -> Option<&str> {
        Some(match self.runs.as_ref()? {
            RunsClaim::Ranked(ranking) => &ranking.property,
            RunsClaim::Never(property) => property,
        })
    }

    /// The subject as text, where that is not the model as written; a refinement is named with its models.
    pub fn words(&self) -> Option<String> {
        let runs = self.runs.as_ref().map(|claim| match claim {
            RunsClaim::Ranked(Ranking { property, .. }) => format!("{property} holds"),
            RunsClaim::Never(property) => format!("{property} is never reached"),
        });
        let failures = self.flag().map(|flag| format!("with {flag}"));
        let words: Vec<String> = runs.into_iter().chain(failures).collect();
        (!words.is_empty()).then(|| words.join(" "))
    }

    /// Its lines in a certificate for the model, from which `derived` is derived.
    pub fn lines(&self, model: &System, derived: &System) -> Vec<String> {
        let name = |var: &VarId| derived.var(*var).name.as_str();
        let added: Vec<VarId> = (model.vars.len()..derived.vars.len()).map(|at| VarId(at as u16)).collect();
        let in_list = |vars: &[VarId]| vars.iter().map(name).collect::<Vec<_>>().join(", ");
        let mut lines = Vec::new();
        match self.failures {
            Some(Crash::Restart) => lines.push(format!("crash {}", Crash::Restart)),
            Some(crash) => lines.push(format!("crash {crash} with {}", in_list(&added[..crash.added()]))),
            None => {}
        }
        if let Some(chosen) = &self.refines {
            lines.push(format!("refines {OTHER}"));
            lines.extend(chosen.iter().map(|(of, var)| format!("chosen {} of {}", name(var), name(of))));
        }
        match &self.runs {
            None => {
                let (notes, tails) =
                    added[self.added()..].split_at(added.len() - self.added() - self.tails.len());
                if !self.announcements.is_empty() {
                    let arrays = in_list(&self.announcements);
                    lines.push(format!("announce {arrays} with {}", in_list(notes)));
                }
                let tails = tails.iter().zip(&self.tails);
                lines.extend(
                    tails.map(|(var, it)| format!("tail {} {}", name(var), tails::words(derived, it))),
                );
            }
            Some(RunsClaim::Never(property)) => lines.push(format!("never {property}")),
            Some(RunsClaim::Ranked(it)) => lines.extend(ranking::lines(model, it, &|it| declared(model, it))),
        }
        lines
    }

    /// How many variables processes that fail, or a refinement, add to the model.
    fn added(&self) -> usize {
        let chosen = self.refines.as_ref().map_or(0, |it| it.len() + 1);
        self.failures.map_or(chosen, Crash::added)
    }

    /// The system that the subject names, derived from the model; a refinement is this one.
    pub(super) fn derived(
        &self,
        model: &System,
        refinement: Option<&Arc<Refinement>>,
    ) -> Result<System, NotDerived> {
        self.with_tails(self.without_tails(model, refinement)?)
    }

    fn with_tails(&self, system: System) -> Result<System, NotDerived> {
        with_tails(&system, &self.tails)
    }

    fn without_tails(
        &self,
        model: &System,
        refinement: Option<&Arc<Refinement>>,
    ) -> Result<System, NotDerived> {
        let unfit = |why: &str| Err(NotDerived::Unfit(why.to_owned()));
        if !(self.tails.is_empty() && self.announcements.is_empty()) && self.runs.is_some() {
            return Err(NotDerived::TooHard("tails and announcements are for bad states".to_owned()));
        }
        let failing = match (&self.refines, refinement, self.failures) {
            (None, Some(_), _) => return unfit("it is not about a refinement"),
            (Some(_), None, _) => return unfit("it is about a refinement: the abstract model is missing"),
            (Some(chosen), Some(refinement), None) if self.runs.is_none() => {
                if !refinement.is_of(model) || *chosen != refinement.chosen {
                    return unfit("it is about the refinement of another model");
                }
                refinement.steps.clone()
            }
            (Some(_), ..) => {
                return Err(NotDerived::TooHard("a refinement is about the models as written".to_owned()));
            }
            (None, None, None) => model.clone(),
            (None, None, Some(crash)) => {
                with_crashes(model, crash).map_err(|why| NotDerived::TooHard(why.message))?
            }
        };
        match &self.runs {
            None if self.announcements.is_empty() => Ok(failing),
            None => {
                let Reduced { system, announcements, .. } = without_announcements(&failing)?;
                if announcements != self.announcements {
                    let all: Vec<&str> =
                        announcements.iter().map(|it| failing.var(*it).name.as_str()).collect();
                    let why = format!("the announcements of the model are {}", all.join(", "));
                    return Err(NotDerived::Unfit(why));
                }
                Ok(system)
            }
            Some(RunsClaim::Never(property)) => never_reached(failing, property),
            Some(RunsClaim::Ranked(it)) => ranking::ranked(&failing, it),
        }
    }
}

/// The lines of a certificate about its subject.
#[derive(Default)]
pub struct SubjectLines {
    /// What they say, but for announcements and tails.
    subject: Subject,
    /// The names of what a failure adds.
    failures: Vec<String>,
    /// The names of announcements.
    announcements: Vec<String>,
    /// The names of what notes them.
    notes: Vec<String>,
    /// The names of tails, with their words.
    tails: Vec<NamedTail>,
    /// The names of constants for what is chosen in a refinement, with those of the variables for which it is chosen.
    chosen: Option<Vec<(String, String)>>,
}

impl SubjectLines {
    /// Those of a certificate for the model, and its text with these lines empty.
    pub fn read(model: ModelSource<'_>, text: &str) -> Result<(Self, String), TextError> {
        let (mut lines, mut rest) = (Self::default(), String::with_capacity(text.len()));
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            let is_taken = lines.take(model, line.trim()).map_err(|why| TextError::Line(number, why))?;
            rest.push_str(if is_taken { "\n" } else { line });
        }
        Ok((lines, rest))
    }

    /// Reads a line; false when it is not about the subject.
    fn take(&mut self, source: ModelSource<'_>, line: &str) -> Result<bool, LineError> {
        let Some((first, words)) = line.split_once(' ') else { return Ok(false) };
        let model = source.system;
        match first {
            "crash" => {
                let form = "`crash stop with ALIVE`, `crash stop:F with ALIVE, COUNTER` or `crash restart`";
                let (how, names) = match words.split_once(" with ") {
                    Some((how, names)) => (how, in_list(names)),
                    None => (words, Vec::new()),
                };
                let crash = Crash::read(how.trim()).ok_or(LineError::Form(form))?;
                if self.subject.failures.replace(crash).is_some() {
                    return Err(LineError::SecondFailure);
                }
                self.failures = names;
            }
            "never" | "ranking" if self.subject.runs.is_some() => return Err(LineError::SecondProperty),
            "never" => self.subject.runs = Some(RunsClaim::Never(words.trim().to_owned())),
            "ranking" => {
                let form = LineError::Form("`ranking of PROPERTY with FLAG`");
                let (property, failed) =
                    words.strip_prefix("of ").and_then(|it| it.rsplit_once(" with ")).ok_or(form)?;
                self.subject.runs = Some(RunsClaim::Ranked(Ranking {
                    property: property.trim().to_owned(),
                    failed: failed.trim().to_owned(),
                    progress: Progress::default(),
                }));
            }
            "waits" | "level" | "helps" | "least" | "again" => {
                let Some(RunsClaim::Ranked(it)) = &mut self.subject.runs else {
                    return Err(LineError::NoRanking);
                };
                let observed = it.params(model);
                let declared = |it: &_| declared(model, it);
                ranking::read(source, observed, &mut it.progress, first, words, &declared)?;
            }
            "announce" => {
                let form = LineError::Form("`announce NAMES with NAMES`, once");
                let names = words.trim().split_once(" with ").filter(|_| self.announcements.is_empty());
                let (arrays, notes) = names.ok_or(form)?;
                (self.announcements, self.notes) = (in_list(arrays), in_list(notes));
            }
            "tail" => {
                let form = LineError::Form("`tail NAME over NUMBER: CELL = VALUE && ..`");
                let (name, words) = words.trim().split_once(' ').ok_or(form)?;
                self.tails.push((name.to_owned(), words.trim().to_owned()));
            }
            "refines" if self.chosen.is_none() && words.trim() == OTHER => self.chosen = Some(Vec::new()),
            "refines" => return Err(LineError::Form("`refines another model`, once")),
            "chosen" => {
                let form = LineError::Form("`chosen NAME of VARIABLE` after `refines another model`");
                let (chosen, (name, of)) = self.chosen.as_mut().zip(words.split_once(" of ")).ok_or(form)?;
                chosen.push((name.trim().to_owned(), of.trim().to_owned()));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The subject, and the system that it names, derived from the model, if what is added has the names that these lines say.
    pub fn derived(
        self,
        model: &System,
        refinement: Option<&Arc<Refinement>>,
    ) -> Result<(Subject, System), NotDerived> {
        let mut subject = self.subject;
        subject.refines =
            self.chosen.as_ref().map(|_| refinement.map_or_else(Vec::new, |it| it.chosen.clone()));
        for name in &self.announcements {
            let found = model.vars.iter().position(|it| it.name == *name);
            let unknown = || NotDerived::Unfit(format!("announce {name}: the model has no such variable"));
            subject.announcements.push(VarId(found.ok_or_else(unknown)? as u16));
        }
        if !self.tails.is_empty() && subject.runs.is_some() {
            return Err(NotDerived::TooHard("tails and announcements are for bad states".to_owned()));
        }
        let system = subject.without_tails(model, refinement)?;
        for (name, words) in &self.tails {
            let form = "expected `over NUMBER: CELL = VALUE && ..` in the names of the model";
            let unfit = || NotDerived::Unfit(format!("tail {name}: {form}"));
            subject.tails.push(tails::read(&system, words).ok_or_else(unfit)?);
        }
        let system = subject.with_tails(system)?;
        let name = |var: &VarId| system.var(*var).name.clone();
        if let (Some(said), Some(found)) = (&self.chosen, &subject.refines) {
            let found: Vec<_> = found.iter().map(|(of, constant)| (name(constant), name(of))).collect();
            if let Some((name, of)) = said.iter().find(|it| !found.contains(it)) {
                let is_chosen = model.vars.iter().any(|it| it.name == *of && it.kind == VarKind::Global);
                let why = if is_chosen {
                    format!("`{name}` cannot be the name of a further variable")
                } else {
                    format!("the model has no variable `{of}` that `?` may choose")
                };
                return Err(NotDerived::Unfit(why));
            }
        }
        let unnamed = if subject.refines.is_some() { subject.added() } else { 0 };
        let named = self.failures.iter().chain(&self.notes).chain(self.tails.iter().map(|it| &it.0));
        let mut added = system.vars[model.vars.len() + unnamed..].iter().map(|it| &it.name);
        for name in named {
            if added.next() != Some(name) {
                return Err(NotDerived::Unfit(format!("`{name}` cannot be the name of a further variable")));
            }
        }
        // The lines of a property give names themselves.
        match added.next().filter(|_| subject.runs.is_none()) {
            None => Ok((subject, system)),
            Some(name) => Err(NotDerived::Unfit(format!("a name is missing: that of `{name}`"))),
        }
    }
}

/// What a certificate of a refinement calls the abstract model, which is given beside it.
const OTHER: &str = "another model";

/// Names with commas between them.
fn in_list(names: &str) -> Vec<String> {
    names.split(',').map(|it| it.trim().to_owned()).collect()
}

/// A declaration of fairness as text.
fn declared(model: &System, fairness: &Fairness) -> String {
    let strength = if fairness.strong { "strong_fair" } else { "fair" };
    format!("{strength} {}", model.name_of(fairness))
}

/// The system whose bad states are those of a `cover`.
fn never_reached(system: System, property: &str) -> Result<System, NotDerived> {
    let cover = system.temporal.iter().find(|it| it.name == property && it.kind == TemporalKind::Cover);
    let Some(cover) = cover else {
        return Err(NotDerived::Unfit(format!("the model has no `cover` {property}")));
    };
    let bad = cover.goals();
    Ok(system.edited(|parts| parts.bad = bad))
}
