//! Certificates on the command line: `--certify`, `--certificate DIR`, and
//! `cubicle check-certificate FILE DIR`.

use std::ffi::OsString;
use std::io::stdout;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Parser;
use cubicle::certificate::{
    self, Certificate, CheckOptions, Extent, INVARIANTS, NoCertificate, Obligation, ProofFailure,
};
use cubicle::diagnostic::Source;
use cubicle::interrupt::Interrupt;
use cubicle::model::System;
use cubicle::options::Options;
use cubicle::report::document::CertificateSummary;
use cubicle::verdict::{Reason, Verdict};
use cubicle::{Report, report};

use super::args::Args;
use super::ending::Ending;
use super::external::Ruling;
use super::load::{LoadedModel, load, passes_over_runs};
use super::messages::Messages;
use super::output::complain;
use super::quantities::duration;
use super::supervise::supervise;
use super::{exit, external, files, input, memory, run_dir};

/// Where the certificate goes, if anywhere; `-trace` of the original program has it beside the model.
pub fn folder(args: &Args) -> Option<PathBuf> {
    match args.trace {
        Some(_) if args.file.as_os_str() == "-" => Some(PathBuf::from("stdin.certificate")),
        Some(_) => Some(args.file.with_extension("certificate")),
        None => args.certificate.clone(),
    }
}

/// Whether the certificate can be expected to be written, where one is asked for. The error is a line for the user.
pub fn probe(args: &Args) -> Result<(), String> {
    folder(args).map_or(Ok(()), |folder| files::probe_folder(&folder))
}

/// Certifies a proof when that is asked for. A proof that cannot be certified is no answer any more.
pub fn certify(
    args: &Args,
    system: &System,
    model: &str,
    options: &Options,
    interrupt: &Interrupt,
    found: &mut Report,
) -> Option<Certificate> {
    // The folder of a run has all that there is.
    let wanted = args.certify || folder(args).is_some() || args.run_dir.is_some() && !args.trust_invariants;
    if !wanted || found.verdict != Some(Verdict::Safe) {
        return None;
    }
    let cubes = &found.backward.as_ref()?.invariant;
    let start = Instant::now();
    let how = CheckOptions::new(options.backward.solver_timeout, interrupt);
    let how = how.trusting(options.backward.trust_invariants);
    let certified = certificate::certify(system, model, &found.owners, cubes, how);
    found.times.push(("certificate", start.elapsed()));
    match certified {
        Ok(certificate) => Some(certificate),
        Err(refused) => {
            found.verdict = Some(Verdict::Unknown(match refused {
                NoCertificate::Failed(ProofFailure::Stopped(reason), _) => reason,
                other => Reason::Uncertified(certificate::explain(system, &other)),
            }));
            None
        }
    }
}

/// Writes the certificate where it is asked for.
pub fn write(
    args: &Args,
    system: &System,
    certificate: Option<&Certificate>,
    messages: &Messages,
) -> Result<(), String> {
    let (Some(folder), Some(certificate)) = (folder(args), certificate) else { return Ok(()) };
    if args.trace.is_some() {
        let folder = folder.display();
        messages.note(&format!("the certificate is in {folder}, as invariants and SMT-LIB files"));
    }
    run_dir::write_certificate(&folder, system, certificate, args.force)
}

/// What the document of the run says of a certificate.
pub fn summary(args: &Args, certificate: &Certificate) -> CertificateSummary {
    CertificateSummary {
        path: folder(args).map(|folder| folder.display().to_string()),
        invariants: certificate.cubes.proved,
        obligations: certificate.obligations(),
    }
}

/// Checks the invariant in DIR: that it holds initially, that every transition keeps it, and that it
/// excludes every unsafe state of FILE, for any number of processes.
///
/// Exit codes: 0 it does; 1 it does not; 2 the model or the invariant cannot be read; 3 the solver does not
/// know, or a limit was reached; 4 the solver of --check-with cannot be run.
#[derive(Debug, Parser)]
#[command(name = "cubicle check-certificate")]
pub struct Words {
    /// The model
    #[arg(value_name = "FILE")]
    model: PathBuf,

    /// The folder that --certificate wrote; only its `invariants.cub` is read
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// Take the `invariant`s of the model for granted
    #[arg(long)]
    trust_invariants: bool,

    /// Have this solver decide, instead of the Z3 inside: the words of a command, to which the name of an
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
    let (limits, model) = ((words.time_limit, memory::most_of_it()), words.model.clone());
    supervise(
        limits,
        |interrupt| Ending::of_command(&model, interrupt),
        move |interrupt, ending| check(&words, interrupt, ending),
    )
}

fn check(words: &Words, interrupt: &Interrupt, ending: &Ending) -> u8 {
    let Ok(LoadedModel { system, text: model, .. }) = load(&words.model, None, &ending.messages) else {
        return exit::USAGE;
    };
    passes_over_runs(&system, &ending.messages);
    let invariants = match input::read(&words.folder.join(INVARIANTS)) {
        Ok(input) => input,
        Err(error) => {
            complain(&format!("error: {error}"));
            return exit::USAGE;
        }
    };
    let timeout = Duration::from_secs(words.solver_timeout.into());
    let how = CheckOptions::new(timeout, interrupt).trusting(words.trust_invariants);
    let checked = certificate::check(&system, &model, &invariants.text, Extent::All, how);
    let checked = checked.map(|it| {
        let asked = ask_others(words.check_with.as_deref(), &system, &it, interrupt);
        (it, asked)
    });
    ending.begin();
    let style = super::settings::automatic_style(&stdout());
    let (title, what, code) = match checked {
        Ok((certificate, Ok(SolverOpinion::Agrees))) => {
            let name = words.model.display().to_string();
            let axioms = report::axioms(&system, &Source { name: &name, text: &model });
            let what = format!("{}{axioms}", certificate.summary());
            (style.good("The certificate holds"), what, exit::OK)
        }
        Ok((_, Ok(SolverOpinion::Disagrees(obligation, said)))) => {
            let which = certificate::obligation(&system, obligation);
            let code = if said == "sat" { exit::UNSAFE } else { exit::UNKNOWN };
            let what = format!("the solver says {said} to {which}");
            (style.bad("The certificate does not hold"), what, code)
        }
        Ok((_, Ok(SolverOpinion::Stopped(reason))))
        | Err(NoCertificate::Failed(ProofFailure::Stopped(reason), _)) => stopped(&reason, style),
        Ok((_, Err(error))) => {
            complain(&format!("error: {error}"));
            return exit::INTERNAL;
        }
        Err(refused) => {
            let why = certificate::explain(&system, &refused);
            match refused {
                NoCertificate::Unreadable(_) => {
                    complain(&format!("error: {}: {why}", Path::new(&invariants.name).display()));
                    return exit::USAGE;
                }
                NoCertificate::Failed(ProofFailure::Refuted(_), _) | NoCertificate::Words(_) => {
                    (style.bad("The certificate does not hold"), why, exit::UNSAFE)
                }
                _ => (style.doubtful("The certificate is not checked"), why, exit::UNKNOWN),
            }
        }
    };
    ending.output.write(&format!("{title}: {what}\n"));
    exit::after_output(code, ending.output.finish())
}

/// The answer of a check that had to end.
fn stopped(reason: &Reason, style: report::Style) -> (String, String, u8) {
    let code = match reason {
        Reason::Interrupted(signal) => exit::of_signal(*signal),
        _ => exit::UNKNOWN,
    };
    (style.doubtful("The certificate is not checked"), cubicle::words::reason(reason), code)
}

/// What a solver that the user names says of a certificate.
enum SolverOpinion {
    /// It confirms all, or nobody was asked.
    Agrees,
    /// The first obligation that it does not confirm, and its answer.
    Disagrees(Obligation, String),
    /// The run must end.
    Stopped(Reason),
}

/// Asks the solver that the user names.
///
/// The Z3 inside has chosen instances of the invariant for each obligation, but its word does not count: fewer
/// instances only make an obligation harder.
fn ask_others(
    command: Option<&str>,
    system: &System,
    certificate: &Certificate,
    interrupt: &Interrupt,
) -> Result<SolverOpinion, String> {
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
