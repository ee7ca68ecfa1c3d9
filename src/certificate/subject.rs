//! The subject of a certificate, where that is not the model as written: a line in its file names it.
//!
//! `crash stop with Alive`, `crash stop:2 with Alive, Crashes` and `crash restart` say that processes may fail, and name the
//! variables that are added for that. `ranking of PROPERTY with FLAG` says that it is about a property of runs, by a ranking, whose lines follow.
//! `never COVER` says that no run reaches that `cover`. `refines another model` says that each run of the model is one of an abstract
//! model, which is given beside it, and `chosen NAME of VARIABLE` after it names constants. `announce` says that bad states are about what announced steps saw (`announcements`), `tail` adds a ghost array (`tails`). The system is derived here, from these lines and the model
//! alone.

use super::added::NotDerived;
use super::announcements::{self, NamedAnnouncements};
use super::tails::{self, NamedTail};
use super::unreadable::{LineError, TextError};
use super::{abstraction, ranking, restart, stop};
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::{Bad, BadKind, Conj, Fairness, Progress, Ranking, System, TemporalKind};

/// The subject of a certificate.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Subject {
    /// How processes may fail; `None` when they do not.
    pub failures: Option<Failures>,
    /// A property of runs that it is about; `None` when it is about bad states.
    pub runs: Option<RunsClaim>,
    /// That the model refines another one: the names of constants for values that `?` chooses, each with that of its variable.
    pub refines: Option<Vec<(String, String)>>,
    /// What its bad states say in place of what, before tails.
    pub announcements: NamedAnnouncements,
    /// Ghost arrays that the cubes may mention, after the other variables.
    pub tails: Vec<NamedTail>,
}

/// What a certificate shows about a property of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunsClaim {
    /// It holds, by this ranking.
    Ranked(Ranking),
    /// No run reaches this `cover`.
    Never(String),
}

/// How processes may fail.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failures {
    /// They stop for ever.
    Stop {
        /// At most this many.
        most: Option<u8>,
        /// The array of processes that are alive, and the counter.
        names: Vec<String>,
    },
    /// They go back to initial values.
    Restart,
}

impl Subject {
    /// Processes that fail as `--crash HOW` says; `None` when HOW is not valid. `added` are the names of the variables that
    /// are added to the model for that.
    pub fn crash(how: &str, added: Vec<String>) -> Option<Self> {
        let failures = match how.split_once(':') {
            None if how == "restart" => Failures::Restart,
            None if how == "stop" => Failures::Stop { most: None, names: added },
            Some(("stop", most)) => Failures::Stop { most: Some(most.parse().ok()?), names: added },
            _ => return None,
        };
        Some(Self { failures: Some(failures), ..Self::default() })
    }

    /// The flag that makes such a system; `None` for the model as written.
    pub fn flag(&self) -> Option<String> {
        Some(match self.failures.as_ref()? {
            Failures::Stop { most: None, .. } => "--crash stop".to_owned(),
            Failures::Stop { most: Some(most), .. } => format!("--crash stop:{most}"),
            Failures::Restart => "--crash restart".to_owned(),
        })
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

    /// Its lines in a certificate for the model.
    pub fn lines(&self, model: &System) -> Vec<String> {
        let failures = self.failures.as_ref().map(|it| match it {
            Failures::Stop { most: None, names } => format!("crash stop with {}", names.join(", ")),
            Failures::Stop { most: Some(most), names } => {
                format!("crash stop:{most} with {}", names.join(", "))
            }
            Failures::Restart => "crash restart".to_owned(),
        });
        let mut lines: Vec<String> = failures.into_iter().collect();
        if let Some(chosen) = &self.refines {
            lines.push(format!("refines {OTHER}"));
            lines.extend(chosen.iter().map(|(name, of)| format!("chosen {name} of {of}")));
        }
        let tails = self.tails.iter().map(|(name, words)| format!("tail {name} {words}"));
        match &self.runs {
            None => {
                if !self.announcements.arrays.is_empty() {
                    let NamedAnnouncements { arrays, notes } = &self.announcements;
                    lines.push(format!("announce {} with {}", arrays.join(", "), notes.join(", ")));
                }
                lines.extend(tails);
            }
            Some(RunsClaim::Never(property)) => lines.push(format!("never {property}")),
            Some(RunsClaim::Ranked(it)) => lines.extend(ranking::lines(model, it, &|it| declared(model, it))),
        }
        lines
    }

    /// The subject of a certificate for the model, and the text with the subject's lines empty.
    pub(super) fn read(model: ModelSource<'_>, text: &str) -> Result<(Self, String), TextError> {
        let (mut subject, mut rest) = (Self::default(), String::with_capacity(text.len()));
        for (number, line) in (1..).zip(text.split_inclusive('\n')) {
            match subject.take(model, line.trim()) {
                None => rest.push_str(line),
                Some(Ok(())) => rest.push('\n'),
                Some(Err(why)) => return Err(TextError::Line(number, why)),
            }
        }
        Ok((subject, rest))
    }

    /// Reads a line; `None` when it is not about the subject.
    fn take(&mut self, source: ModelSource<'_>, line: &str) -> Option<Result<(), LineError>> {
        let (first, words) = line.split_once(' ')?;
        let model = source.system;
        let taken = match first {
            "crash" => {
                let (how, names) = match words.split_once(" with ") {
                    Some((how, names)) => (how.trim(), in_list(names)),
                    None => (words.trim(), Vec::new()),
                };
                match Self::crash(how, names) {
                    Some(_) if self.failures.is_some() => Err(LineError::SecondFailure),
                    Some(Self { failures, .. }) => {
                        self.failures = failures;
                        Ok(())
                    }
                    None => Err(LineError::Form(
                        "`crash stop with ALIVE`, `crash stop:F with ALIVE, COUNTER` or `crash restart`",
                    )),
                }
            }
            "never" | "ranking" if self.runs.is_some() => Err(LineError::SecondProperty),
            "never" => {
                self.runs = Some(RunsClaim::Never(words.trim().to_owned()));
                Ok(())
            }
            "ranking" => match words.strip_prefix("of ").and_then(|it| it.rsplit_once(" with ")) {
                Some((property, failed)) => {
                    self.runs = Some(RunsClaim::Ranked(Ranking {
                        property: property.trim().to_owned(),
                        failed: failed.trim().to_owned(),
                        progress: Progress::default(),
                    }));
                    Ok(())
                }
                None => Err(LineError::Form("`ranking of PROPERTY with FLAG`")),
            },
            "waits" | "level" | "helps" | "least" | "again" => match &mut self.runs {
                Some(RunsClaim::Ranked(it)) => {
                    let read = (it.params(model), &mut it.progress);
                    ranking::read(source, read, (first, words), &|it| declared(model, it))
                }
                _ => Err(LineError::NoRanking),
            },
            "announce" => match words.trim().split_once(" with ") {
                Some((arrays, notes)) if self.announcements.arrays.is_empty() => {
                    self.announcements =
                        NamedAnnouncements { arrays: in_list(arrays), notes: in_list(notes) };
                    Ok(())
                }
                _ => Err(LineError::Form("`announce NAMES with NAMES`, once")),
            },
            "tail" => match words.trim().split_once(' ') {
                Some((name, words)) => {
                    self.tails.push((name.to_owned(), words.trim().to_owned()));
                    Ok(())
                }
                None => Err(LineError::Form("`tail NAME over NUMBER: CELL = VALUE && ..`")),
            },
            "refines" if self.refines.is_some() || words.trim() != OTHER => {
                Err(LineError::Form("`refines another model`, once"))
            }
            "refines" => {
                self.refines = Some(Vec::new());
                Ok(())
            }
            "chosen" => match (&mut self.refines, words.split_once(" of ")) {
                (Some(chosen), Some((name, of))) => {
                    chosen.push((name.trim().to_owned(), of.trim().to_owned()));
                    Ok(())
                }
                _ => Err(LineError::Form("`chosen NAME of VARIABLE` after `refines another model`")),
            },
            _ => return None,
        };
        Some(taken)
    }

    /// The system that the subject names, derived from the model.
    pub(super) fn derived(&self, model: &System) -> Result<System, NotDerived> {
        let is_plain = self.tails.is_empty() && self.announcements.arrays.is_empty();
        if !is_plain && (self.runs.is_some() || self.refines.is_some()) {
            return Err(NotDerived::TooHard("tails and announcements are for bad states".to_owned()));
        }
        if let Some(chosen) = &self.refines {
            if self.failures.is_some() || self.runs.is_some() {
                return Err(NotDerived::TooHard("a refinement is about the models as written".to_owned()));
            }
            return abstraction::concrete(model, chosen);
        }
        let failing = match &self.failures {
            None => model.clone(),
            Some(Failures::Stop { most, names }) => stop::stopping(model, *most, names)?,
            Some(Failures::Restart) => restart::restarting(model)?,
        };
        match &self.runs {
            None => tails::extended(&announcements::reduced(&failing, &self.announcements)?, &self.tails),
            Some(RunsClaim::Never(property)) => never_reached(failing, property),
            Some(RunsClaim::Ranked(it)) => ranking::ranked(&failing, it),
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
    let bad = |(number, (params, cube)): (u32, (usize, &Conj))| Bad {
        name: format!("{property} {number}"),
        number,
        kind: BadKind::Unsafe,
        params: params as u8,
        cube: cube.clone(),
        span: cover.span,
        spans: vec![cover.span; cube.len()],
    };
    let bad = (1..).zip(cover.goals()).map(bad).collect();
    Ok(system.edited(|parts| parts.bad = bad))
}
