//! `cubicle check-certificate [FILE] DIR`: checks a certificate from the model and the text of its invariants.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cubicle_certificate::{
    self as certificate, Certificate, CheckOptions, Extent, INVARIANTS, NoCertificate, Obligation,
    ProofFailure, Subject,
};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_report as report;
use cubicle_run::Interrupt;
use cubicle_transform::Crash;
use cubicle_transform::refines::Refinement;

use super::refines::{ABSTRACT, CONCRETE, MAP, read_map, refinement};
use crate::cli::ending::Ending;
use crate::cli::failure::Failure;
use crate::cli::load::{LoadedModel, load};
use crate::cli::provers::{self, Opinion};
use crate::cli::quantities::{crash, duration};
use crate::cli::supervise::supervise;
use crate::cli::{exit, input, memory, run_dir, settings};

/// Checks the invariant in DIR: that it holds initially, that every transition keeps it, and that it
/// excludes every unsafe state of FILE, for any number of processes. A certificate may be about a transformed model: failing
/// processes, or the ranking of a property of runs; the check repeats the transformation from the model alone.
///
/// A certificate of `refines` is about two models and a map. Those in DIR are used unless the command line names others: what is then
/// shown is about these.
///
/// Exit codes: 0 it does; 1 it does not; 2 the model or the invariant cannot be read; 3 the solver does not
/// know, or a limit was reached; 4 the solver of --check-with cannot be run.
#[derive(Debug, clap::Args)]
#[command(allow_missing_positional = true)]
pub struct CheckCertificateArgs {
    /// The model; may be left out for a certificate of `refines`, whose folder has a copy of it
    #[arg(value_name = "FILE")]
    model: Option<PathBuf>,

    /// The folder that --certificate wrote; its `invariants.cub` is read, and those of properties of runs in `runs/`
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// The certificate must show that FILE refines this model
    #[arg(long, value_name = "ABSTRACT", requires = "model")]
    refines: Option<PathBuf>,

    /// The map between FILE and the model that it refines
    #[arg(long, value_name = "MAP", requires = "refines")]
    map: Option<PathBuf>,

    /// Take the `invariant`s of the model for granted
    #[arg(long, conflicts_with = "refines")]
    trust_invariants: bool,

    /// The certificate must be about processes that fail this way: `stop`, `stop:F` or `restart`
    #[arg(long, value_name = "HOW", value_parser = crash)]
    crash: Option<Crash>,

    /// Decide with this solver instead of the built-in Z3: the words of a command, to which the name of an
    /// SMT-LIB file is added (`cvc5 --incremental`, `z3`)
    #[arg(long, value_name = "COMMAND")]
    check_with: Option<String>,

    /// Have the kernel of another prover accept the certificate, too, as a theorem: needs its program, `coqc`
    #[arg(long, value_name = "PROVER")]
    with: Option<Prover>,

    /// Give up on a single solver call after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    solver_timeout: u32,

    /// Give up after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
}

/// A prover with a small kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Prover {
    /// Coq
    Coq,
}

pub fn run(words: CheckCertificateArgs) -> u8 {
    let model = words.model();
    supervise(
        words.time_limit,
        memory::most_of_it(),
        |interrupt| Ending::of_command(&model, interrupt),
        move |interrupt, ending| ending.after(check(&words, interrupt, ending)),
    )
}

impl CheckCertificateArgs {
    fn model(&self) -> PathBuf {
        self.model.clone().unwrap_or_else(|| self.folder.join(CONCRETE))
    }

    /// The abstract model and the map, where the certificate has to be one of `refines`. The path of the map is `None` where it is left to names.
    fn refined(&self) -> Option<(PathBuf, Option<PathBuf>)> {
        if let Some(abstraction) = &self.refines {
            return Some((abstraction.clone(), self.map.clone()));
        }
        let [abstraction, map] = [ABSTRACT, MAP].map(|name| self.folder.join(name));
        abstraction.is_file().then_some((abstraction, Some(map)))
    }
}

fn check(words: &CheckCertificateArgs, interrupt: &Interrupt, ending: &Ending) -> Result<u8, Failure> {
    if words.model.is_none() && !words.model().is_file() {
        let folder = words.folder.display();
        let why = format!(
            "{folder} has no copy of the model: name it, as in `cubicle check-certificate FILE {folder}`"
        );
        return Err(Failure::usage(why));
    }
    let model = load(&words.model(), None, &ending.messages)?;
    let refined = about_refinement(words, &model, ending)?;
    let LoadedModel { system, text: model, .. } = model;
    let of_states = InvariantFile { file: words.folder.join(INVARIANTS), about_runs: false };
    let runs = if refined.is_some() { Vec::new() } else { of_runs(&words.folder) };
    let asked = std::iter::once(of_states).chain(runs);
    let mut lines = String::new();
    let mut code = exit::OK;
    let mut open: Vec<&str> = system.temporal.iter().map(|it| it.name.as_str()).collect();
    for asked in asked {
        let Answer { line, code: its_code, property } =
            check_one(words, ModelSource::new(&system, &model), refined.as_ref(), &asked, interrupt)?;
        lines.push_str(&line);
        lines.push('\n');
        open.retain(|name| Some(*name) != property.as_deref());
        if its_code != exit::OK {
            code = its_code;
            break;
        }
    }
    if code == exit::OK && !open.is_empty() && refined.is_none() {
        ending.messages.note(&format!("there is no certificate about {}", open.join(", ")));
    }
    ending.begin();
    ending.output.write(&lines);
    Ok(code)
}

/// What a certificate of `refines` has to show.
struct Refined {
    refinement: Arc<Refinement>,
    claim: String,
}

/// Reads the abstract model and the map, where the certificate has to be one of `refines`.
fn about_refinement(
    words: &CheckCertificateArgs,
    concrete: &LoadedModel,
    ending: &Ending,
) -> Result<Option<Refined>, Failure> {
    let Some((path, map)) = words.refined() else { return Ok(None) };
    if words.trust_invariants {
        return Err(Failure::usage("--trust-invariants has no effect on a certificate of a refinement"));
    }
    let abstraction = load(&path, None, &ending.messages)?;
    let map = read_map(map.as_deref())?;
    let refinement = refinement([concrete, &abstraction], &map, &ending.messages)?;
    let claim = format!("{} refines {}", concrete.name, abstraction.name);
    Ok(Some(Refined { refinement, claim }))
}

struct InvariantFile {
    file: PathBuf,
    /// Whether it must be about a property of runs.
    about_runs: bool,
}

/// The certificates of properties of runs in a folder, in order.
fn of_runs(folder: &Path) -> Vec<InvariantFile> {
    let entries = std::fs::read_dir(folder.join(run_dir::RUNS)).into_iter().flatten().flatten();
    let files = entries.map(|entry| entry.path().join(INVARIANTS)).filter(|file| file.is_file());
    let mut asked: Vec<InvariantFile> = files.map(|file| InvariantFile { file, about_runs: true }).collect();
    asked.sort_by(|a, b| a.file.cmp(&b.file));
    asked
}

/// The answer about a certificate.
struct Answer {
    line: String,
    code: u8,
    /// The property of runs that it shows, if it shows one.
    property: Option<String>,
}

/// The answer; a failure ends the check.
fn check_one(
    words: &CheckCertificateArgs,
    ModelSource { system, text: model }: ModelSource<'_>,
    refined: Option<&Refined>,
    asked: &InvariantFile,
    interrupt: &Interrupt,
) -> Result<Answer, Failure> {
    let invariants = input::read(&asked.file)?;
    let name = Path::new(&invariants.name).display();
    let timeout = Duration::from_secs(words.solver_timeout.into());
    let (trusting, refinement) = (words.trust_invariants, refined.map(|it| &it.refinement));
    let how = CheckOptions { trusting, refinement, ..CheckOptions::new(timeout, interrupt) };
    let checked = certificate::check(system, model, &invariants.text, Extent::All, how);
    if let Ok(certificate) = &checked {
        fits(words, asked, certificate.subject()).map_err(|why| Failure::usage(format!("{name}: {why}")))?;
    }
    let checked = checked.map(|certificate| {
        let opinion = ask_others(words.check_with.as_deref(), system, &certificate, interrupt);
        (certificate, opinion)
    });
    let style = settings::result_style();
    let mut property = None;
    let mut accepted = "";
    if let (Ok((certificate, Ok(Opinion::Accepted))), Some(Prover::Coq)) = (&checked, words.with) {
        match provers::check(system, certificate, interrupt)? {
            Opinion::Accepted => accepted = ", accepted by Coq",
            Opinion::Refused(why) => {
                return Err(Failure::internal(format!("{name}: Coq does not accept the theorem: {why}")));
            }
            Opinion::Stopped(reason) => {
                let line = format!("The certificate is not checked: {}", cubicle_run::words::reason(&reason));
                return Ok(Answer { line, code: exit::of_reason(&reason), property });
            }
        }
    }
    let (title, what, code) = match checked {
        Ok((certificate, Ok(Opinion::Accepted))) => {
            property = certificate.subject().property().map(str::to_owned);
            let name = input::name(&words.model());
            let axioms = report::axioms(system, &Source { name: &name, text: model });
            let claim = refined.map_or_else(String::new, |it| format!("{}: ", it.claim));
            let what = format!("{claim}{}{accepted}{axioms}", certificate.summary());
            (style.good("The certificate holds"), what, exit::OK)
        }
        Ok((certificate, Ok(Opinion::Refused((obligation, said))))) => {
            let which = certificate.obligation(obligation);
            let code = if said == "sat" { exit::UNSAFE } else { exit::UNKNOWN };
            let what = format!("the solver says {said} to {which}");
            (style.bad("The certificate does not hold"), what, code)
        }
        Ok((_, Ok(Opinion::Stopped(reason))))
        | Err(NoCertificate::Failed(ProofFailure::Stopped(reason), _)) => {
            let title = style.doubtful("The certificate is not checked");
            (title, cubicle_run::words::reason(&reason), exit::of_reason(&reason))
        }
        Ok((_, Err(failure))) => return Err(failure),
        Err(refused) => {
            let why = certificate::explain(&refused);
            match refused {
                NoCertificate::Unreadable(_) => return Err(Failure::usage(format!("{name}: {why}"))),
                NoCertificate::Failed(ProofFailure::Refuted(_), _) | NoCertificate::Words(..) => {
                    (style.bad("The certificate does not hold"), why, exit::UNSAFE)
                }
                _ => (style.doubtful("The certificate is not checked"), why, exit::UNKNOWN),
            }
        }
    };
    Ok(Answer { line: format!("{title}: {what}"), code, property })
}

/// Whether a certificate is about what the command line asks for. The error is a line for the user.
fn fits(words: &CheckCertificateArgs, asked: &InvariantFile, subject: &Subject) -> Result<(), String> {
    match (subject.property(), asked.about_runs) {
        (Some(property), false) => {
            return Err(format!("it is about the property of runs {property}, not about bad states"));
        }
        (None, true) => return Err("it is about bad states, not about a property of runs".to_owned()),
        _ => {}
    }
    let Some(crash) = words.crash else { return Ok(()) };
    let (wanted, flag) = (format!("--crash {crash}"), subject.flag());
    if flag.as_ref() == Some(&wanted) {
        return Ok(());
    }
    let about = flag.map_or("the model as it is written".to_owned(), |flag| format!("the model with {flag}"));
    Err(format!("it is about {about}, not about that with {wanted}"))
}

/// Asks the solver that the user names.
///
/// The built-in Z3 has chosen instances of the invariant for each obligation, but its answer does not count: fewer
/// instances only make an obligation harder.
fn ask_others(
    command: Option<&str>,
    system: &System,
    certificate: &Certificate,
    interrupt: &Interrupt,
) -> Result<Opinion<(Obligation, String)>, Failure> {
    let Some(command) = command else { return Ok(Opinion::Accepted) };
    for script in certificate.scripts(system) {
        match provers::solve(command, &script, interrupt)? {
            Opinion::Accepted => {}
            other => return Ok(other),
        }
    }
    Ok(Opinion::Accepted)
}
