//! Certificates on the command line: `--certify`, `--certificate DIR`, and
//! `cubicle check-certificate FILE DIR`.

use std::ffi::OsString;
use std::io::stdout;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Parser;
use cubicle_certificate::{
    self as certificate, Certificate, CheckOptions, Extent, INVARIANTS, NoCertificate, Obligation,
    ProofFailure, RunsClaim, Subject,
};
use cubicle_lang::diagnostic::Source;
use cubicle_lang::load::ModelSource;
use cubicle_lang::model::System;
use cubicle_report as report;
use cubicle_report::document::CertificateSummary;
use cubicle_run::interrupt::Interrupt;
use cubicle_run::options::Options;
use cubicle_run::result::Report;
use cubicle_run::verdict::{Reason, Verdict};
use cubicle_transform::Crash;

use super::args::Args;
use super::ending::Ending;
use super::external::Ruling;
use super::failure::Failure;
use super::load::{LoadedModel, load};
use super::messages::Messages;
use super::quantities::{crash, crash_words, duration};
use super::supervise::supervise;
use super::{exit, external, files, input, memory, run_dir};

/// The folder of the certificate, if it is written; `-trace` of the original program has it beside the model.
pub fn folder(args: &Args) -> Option<PathBuf> {
    match args.trace {
        Some(_) if args.file.as_os_str() == "-" => Some(PathBuf::from("stdin.certificate")),
        Some(_) => Some(args.file.with_extension("certificate")),
        None => args.certificate.clone(),
    }
}

/// Whether the certificate can be expected to be written, where one is asked for.
pub fn probe(args: &Args) -> Result<(), Failure> {
    folder(args).map_or(Ok(()), |folder| files::probe_folder(&folder))
}

/// The certificates of a run.
#[derive(Default)]
pub struct Certificates {
    /// That no bad state is reached.
    pub states: Option<Certificate>,
    /// Of properties of runs, each with its number in the model, from 1.
    pub runs: Vec<(usize, Certificate)>,
}

/// Certifies proofs when that is asked for. A proof that cannot be certified becomes UNKNOWN. `made` is the system that the
/// engines got: that of the model, or its transformation by `--crash`.
pub fn certify(
    args: &Args,
    model: ModelSource<'_>,
    made: &System,
    options: &Options,
    interrupt: &Interrupt,
    found: &mut Report,
    messages: &Messages,
) -> Certificates {
    let system = model.system;
    // The folder of a run has everything.
    let wanted = args.certify || folder(args).is_some() || args.run_dir.is_some() && !args.trust_invariants;
    let safe = found.verdict == Some(Verdict::Safe);
    if !wanted || !safe && !found.temporal.iter().any(|it| it.proof.is_some()) {
        return Certificates::default();
    }
    let start = Instant::now();
    let how = CheckOptions::new(options.backward.solver_timeout, interrupt);
    let how = how.trusting(options.backward.trust_invariants);
    let added = made.vars[system.vars.len()..].iter().map(|it| it.name.clone()).collect();
    let crash = args.crash.and_then(|crash| Subject::crash(&crash_words(crash), added));
    let subject = crash.unwrap_or_default();
    let reason = |refused: NoCertificate| match refused {
        NoCertificate::Failed(ProofFailure::Stopped(reason), _) => reason,
        other => Reason::Uncertified(certificate::explain(system, &other)),
    };
    let mut certificates = Certificates::default();
    if let Some(proof) = found.backward.as_ref().filter(|_| safe) {
        let cubes = &proof.invariant;
        match certificate::certify_as(&subject, model, made, &found.owners, cubes, how) {
            Ok(certificate) => certificates.states = Some(certificate),
            Err(refused) => found.verdict = Some(Verdict::Unknown(reason(refused))),
        }
    }
    for report in found.temporal.iter_mut().filter(|it| it.proved || it.never) {
        let name = &made.temporal[report.property].name;
        let Some(proof) = &report.proof else {
            let why = "it was checked in every instance that the model has, which leaves no certificate";
            messages.warning(&format!("{name}: {why}"));
            continue;
        };
        let runs = match &proof.plan {
            Some(plan) => RunsClaim::Holds(plan.clone()),
            None => RunsClaim::Never(name.clone()),
        };
        let subject = Subject { runs: Some(runs), ..subject.clone() };
        let (owners, cubes) = (&proof.owners, &proof.invariant);
        match certificate::certify_as(&subject, model, &proof.system, owners, cubes, how) {
            Ok(certificate) => certificates.runs.push((report.property + 1, certificate)),
            Err(refused) => {
                (report.proved, report.never) = (false, false);
                found.unproved = Some(reason(refused));
            }
        }
    }
    found.times.push(("certificate", start.elapsed()));
    certificates
}

/// Writes the certificate where it is asked for.
pub fn write(
    args: &Args,
    system: &System,
    certificates: &Certificates,
    messages: &Messages,
) -> Result<(), Failure> {
    let Some(folder) = folder(args) else { return Ok(()) };
    if args.trace.is_some() && certificates.states.is_some() {
        let folder = folder.display();
        messages.note(&format!("the certificate is in {folder}, as invariants and SMT-LIB files"));
    }
    let Certificates { states, runs } = certificates;
    run_dir::write_certificates(&folder, system, states.as_ref(), runs, args.force)
}

/// The summary of a certificate in the document of the run.
pub fn summary(args: &Args, certificate: &Certificate) -> CertificateSummary {
    CertificateSummary {
        path: folder(args).map(|folder| folder.display().to_string()),
        invariants: certificate.cubes.proved,
        obligations: certificate.obligations(),
    }
}

/// Checks the invariant in DIR: that it holds initially, that every transition keeps it, and that it
/// excludes every unsafe state of FILE, for any number of processes. A certificate may be about a transformed model: failing
/// processes, or the monitor of a property of runs; the check repeats the transformation from the model alone.
///
/// Exit codes: 0 it does; 1 it does not; 2 the model or the invariant cannot be read; 3 the solver does not
/// know, or a limit was reached; 4 the solver of --check-with cannot be run.
#[derive(Debug, Parser)]
#[command(name = "cubicle check-certificate")]
pub struct Words {
    /// The model
    #[arg(value_name = "FILE")]
    model: PathBuf,

    /// The folder that --certificate wrote; its `invariants.cub` is read, and those of properties of runs in `runs/`
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Take the `invariant`s of the model for granted
    #[arg(long)]
    trust_invariants: bool,

    /// The certificate must be about processes that fail this way: `stop`, `stop:F` or `restart`
    #[arg(long, value_name = "HOW", value_parser = crash)]
    crash: Option<Crash>,

    /// Decide with this solver instead of the built-in Z3: the words of a command, to which the name of an
    /// SMT-LIB file is added (`cvc5 --incremental`, `z3`)
    #[arg(long, value_name = "COMMAND")]
    check_with: Option<String>,

    /// Give up on a single solver call after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    solver_timeout: u32,

    /// Give up after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
}

/// Runs the command on the words after `check-certificate`.
pub fn run(words: impl Iterator<Item = OsString>) -> u8 {
    let words = match Words::try_parse_from(std::iter::once("cubicle check-certificate".into()).chain(words))
    {
        Ok(words) => words,
        Err(error) => return exit::refuse(&error),
    };
    let model = words.model.clone();
    supervise(
        words.time_limit,
        memory::most_of_it(),
        |interrupt| Ending::of_command(&model, interrupt),
        move |interrupt, ending| check(&words, interrupt, ending),
    )
}

fn check(words: &Words, interrupt: &Interrupt, ending: &Ending) -> u8 {
    let Ok(LoadedModel { system, text: model, .. }) = load(&words.model, None, &ending.messages) else {
        return exit::USAGE;
    };
    let of_states = InvariantFile { file: words.folder.join(INVARIANTS), about_runs: false };
    let asked = std::iter::once(of_states).chain(of_runs(&words.folder));
    let mut lines = String::new();
    let mut code = exit::OK;
    let mut open: Vec<&str> = system.temporal.iter().map(|it| it.name.as_str()).collect();
    for asked in asked {
        let Answer { line, code: its_code, property } =
            match check_one(words, ModelSource::new(&system, &model), &asked, interrupt) {
                Ok(answer) => answer,
                Err(failure) => return failure.complain(),
            };
        lines.push_str(&line);
        lines.push('\n');
        open.retain(|name| Some(*name) != property.as_deref());
        if its_code != exit::OK {
            code = its_code;
            break;
        }
    }
    if code == exit::OK && !open.is_empty() {
        ending.messages.note(&format!("there is no certificate about {}", open.join(", ")));
    }
    ending.begin();
    ending.output.write(&lines);
    exit::after_output(code, ending.output.finish())
}

/// A certificate that is to be checked.
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
    words: &Words,
    ModelSource { system, text: model }: ModelSource<'_>,
    asked: &InvariantFile,
    interrupt: &Interrupt,
) -> Result<Answer, Failure> {
    let invariants = input::read(&asked.file)?;
    let name = Path::new(&invariants.name).display();
    let timeout = Duration::from_secs(words.solver_timeout.into());
    let how = CheckOptions::new(timeout, interrupt).trusting(words.trust_invariants);
    let checked = certificate::check(system, model, &invariants.text, Extent::All, how);
    if let Ok(certificate) = &checked {
        fits(words, asked, certificate.subject()).map_err(|why| Failure::usage(format!("{name}: {why}")))?;
    }
    let checked = checked.map(|it| {
        let opinion = ask_others(words.check_with.as_deref(), system, &it, interrupt);
        (it, opinion)
    });
    let style = super::settings::automatic_style(&stdout());
    let mut property = None;
    let (title, what, code) = match checked {
        Ok((certificate, Ok(SolverOpinion::Agrees))) => {
            property = certificate.subject().property().map(str::to_owned);
            let name = words.model.display().to_string();
            let axioms = report::axioms(system, &Source { name: &name, text: model });
            let what = format!("{}{axioms}", certificate.summary());
            (style.good("The certificate holds"), what, exit::OK)
        }
        Ok((certificate, Ok(SolverOpinion::Disagrees(obligation, said)))) => {
            let which = certificate.obligation(system, obligation);
            let code = if said == "sat" { exit::UNSAFE } else { exit::UNKNOWN };
            let what = format!("the solver says {said} to {which}");
            (style.bad("The certificate does not hold"), what, code)
        }
        Ok((_, Ok(SolverOpinion::Stopped(reason))))
        | Err(NoCertificate::Failed(ProofFailure::Stopped(reason), _)) => stopped(&reason, style),
        Ok((_, Err(failure))) => return Err(failure),
        Err(refused) => {
            let why = certificate::explain(system, &refused);
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
fn fits(words: &Words, asked: &InvariantFile, subject: &Subject) -> Result<(), String> {
    match (subject.property(), asked.about_runs) {
        (Some(property), false) => {
            return Err(format!("it is about the property of runs {property}, not about bad states"));
        }
        (None, true) => return Err("it is about bad states, not about a property of runs".to_owned()),
        _ => {}
    }
    let Some(crash) = words.crash else { return Ok(()) };
    let (wanted, flag) = (format!("--crash {}", crash_words(crash)), subject.flag());
    if flag.as_ref() == Some(&wanted) {
        return Ok(());
    }
    let about = flag.map_or("the model as it is written".to_owned(), |flag| format!("the model with {flag}"));
    Err(format!("it is about {about}, not about that with {wanted}"))
}

/// The answer of a check that had to end.
fn stopped(reason: &Reason, style: report::Style) -> (String, String, u8) {
    let code = match reason {
        Reason::Interrupted(signal) => exit::of_signal(*signal),
        _ => exit::UNKNOWN,
    };
    (style.doubtful("The certificate is not checked"), cubicle_run::words::reason(reason), code)
}

/// The answer of a solver that the user names about a certificate.
enum SolverOpinion {
    /// It confirms all, or no solver was named.
    Agrees,
    /// The first obligation that it does not confirm, and its answer.
    Disagrees(Obligation, String),
    /// The run must end.
    Stopped(Reason),
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
) -> Result<SolverOpinion, Failure> {
    let Some(command) = command else { return Ok(SolverOpinion::Agrees) };
    for script in certificate.scripts(system) {
        match external::solve(command, &script, interrupt)? {
            Ruling::Proved => {}
            Ruling::Other(obligation, said) => return Ok(SolverOpinion::Disagrees(obligation, said)),
            Ruling::Stopped(reason) => return Ok(SolverOpinion::Stopped(reason)),
        }
    }
    Ok(SolverOpinion::Agrees)
}
