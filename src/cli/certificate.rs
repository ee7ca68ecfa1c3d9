//! Certificates on the command line: `--certify`, `--certificate DIR`, and
//! `cubicle check-certificate FILE DIR`.

use std::ffi::OsString;
use std::io::{stderr, stdout};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Parser;
use cubicle::certificate::{
    self, Certificate, CheckOptions, Extent, Failure, INVARIANTS, Obligation, Refused,
};
use cubicle::diagnostic::Source;
use cubicle::interrupt::Interrupt;
use cubicle::model::System;
use cubicle::options::Options;
use cubicle::verdict::{Reason, Verdict};
use cubicle::{Report, report};

use super::args::Args;
use super::external::Answer;
use super::load::load;
use super::output::{Output, complain};
use super::{exit, external, files, input};

/// Where the certificate goes, if anywhere; `-trace` of the original program has it beside the model.
fn folder(args: &Args) -> Option<PathBuf> {
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
    if !args.certify && folder(args).is_none() || found.verdict != Some(Verdict::Safe) {
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
                Refused::Failed(Failure::Stopped(reason), _) => reason,
                other => Reason::Uncertified(certificate::explain(system, &other)),
            }));
            None
        }
    }
}

/// Writes the certificate where it is asked for.
pub fn write(args: &Args, system: &System, certificate: Option<&Certificate>) -> Result<(), String> {
    let (Some(folder), Some(certificate)) = (folder(args), certificate) else { return Ok(()) };
    if args.trace.is_some() && !args.quiet {
        complain(&format!(
            "note: the certificate is in {}, as invariants and SMT-LIB files",
            folder.display()
        ));
    }
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
    files::write(&folder.join(INVARIANTS), &certificate.invariants(system))?;
    for script in certificate.scripts(system) {
        files::write(&folder.join(script.name), &script.text)?;
    }
    Ok(())
}

/// Checks the invariant in DIR: that it holds initially, that every transition keeps it, and that it
/// excludes every unsafe state of FILE, for any number of processes.
///
/// Exit codes: 0 it does; 1 it does not; 2 the model or the invariant cannot be read; 3 the solver does not
/// know; 4 the solver of --check-with cannot be run.
#[derive(Debug, Parser)]
#[command(name = "cubicle check-certificate")]
struct Words {
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

    /// Give up on a single solver call after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..))]
    solver_timeout: u32,
}

/// Runs the command on the words after `check-certificate`.
pub fn run(words: impl Iterator<Item = OsString>) -> u8 {
    let words = match Words::try_parse_from(std::iter::once("cubicle check-certificate".into()).chain(words))
    {
        Ok(words) => words,
        Err(error) => return exit::refuse(&error),
    };
    let style = super::settings::automatic_style(&stderr());
    let Some((system, model, _)) = load(&words.model, false, style) else { return exit::USAGE };
    let invariants = match input::read(&words.folder.join(INVARIANTS)) {
        Ok(input) => input,
        Err(error) => {
            complain(&format!("error: {error}"));
            return exit::USAGE;
        }
    };
    let timeout = Duration::from_secs(words.solver_timeout.into());
    let interrupt = Interrupt::default();
    let how = CheckOptions::new(timeout, &interrupt).trusting(words.trust_invariants);
    let checked = certificate::check(&system, &model, &invariants.text, Extent::All, how);
    let style = super::settings::automatic_style(&stdout());
    let output = Output::new(Interrupt::default());
    let code = match checked {
        Ok(certificate) => match ask_others(words.check_with.as_deref(), &system, &certificate) {
            Ok(None) => {
                let title = style.good("The certificate holds");
                let name = words.model.display().to_string();
                let axioms = report::axioms(&system, &Source { name: &name, text: &model });
                output.write(&format!("{title}: {}{axioms}\n", certificate.summary()));
                exit::OK
            }
            Ok(Some((obligation, said))) => {
                let title = style.bad("The certificate does not hold");
                let which = certificate::obligation(&system, obligation);
                output.write(&format!("{title}: the solver says {said} to {which}\n"));
                if said == "sat" { exit::UNSAFE } else { exit::UNKNOWN }
            }
            Err(error) => {
                complain(&format!("error: {error}"));
                exit::INTERNAL
            }
        },
        Err(refused) => {
            let why = certificate::explain(&system, &refused);
            match refused {
                Refused::Unreadable(_) => {
                    complain(&format!("error: {}: {why}", Path::new(&invariants.name).display()));
                    exit::USAGE
                }
                Refused::Failed(Failure::Refuted(_), _) | Refused::Words(_) => {
                    output.write(&format!("{}: {why}\n", style.bad("The certificate does not hold")));
                    exit::UNSAFE
                }
                _ => {
                    output.write(&format!("{}: {why}\n", style.doubtful("The certificate is not checked")));
                    exit::UNKNOWN
                }
            }
        }
    };
    exit::after_output(code, output.finish())
}

/// Asks the solver that the user names; the first obligation that it does not confirm, and its answer.
///
/// The Z3 inside has chosen instances of the invariant for each obligation, but its word does not count: fewer
/// instances only make an obligation harder.
fn ask_others(
    command: Option<&str>,
    system: &System,
    certificate: &Certificate,
) -> Result<Option<(Obligation, String)>, String> {
    let Some(command) = command else { return Ok(None) };
    for script in certificate.scripts(system) {
        if let Answer::Other(obligation, said) = external::solve(command, &script)? {
            return Ok(Some((obligation, said)));
        }
    }
    Ok(None)
}
