//! The engines at work on a derived model.

use std::ffi::OsString;
use std::time::Duration;

use cubicle_certificate::{CheckOptions, Claim, certify, explain};
use cubicle_check::check_on_this_thread;
use cubicle_lang::load::Allowed;
use cubicle_lang::model::System;
use cubicle_run::interrupt::Interrupt;
use cubicle_run::observer::Silent;
use cubicle_run::options::{Options, Vacuity};
use cubicle_run::result::Report;
use cubicle_run::verdict::Reason;

use super::args::RefinesArgs;
use crate::cli::document::NoInvocation;
use crate::cli::exit;
use crate::cli::failure::Failure;
use crate::cli::model::parse;
use crate::cli::settings;

/// The options of the engines that a command about a derived model passes on.
const PASSED_ON: [&str; 21] = [
    "--abstr-num",
    "--bitstate",
    "--brab",
    "--candheur",
    "--engine",
    "--forward",
    "--forward-depth",
    "--forward-nosym",
    "--forward-time",
    "--jobs",
    "--max-cands",
    "--max-forward",
    "--nodes",
    "--postpone",
    "--procs",
    "--require-complete",
    "--search",
    "--seed",
    "--solver",
    "--store",
    "--upto",
];

/// How long the checker looks at one obligation.
const OBLIGATION_TIME: Duration = Duration::from_secs(60);

/// The options of the engines on the command line.
pub fn engine_options(args: &RefinesArgs, system: &System, allowed: &Allowed) -> Result<Options, Failure> {
    for word in &args.options {
        let word = word.to_string_lossy();
        let name = word.split('=').next().unwrap_or_default();
        if name.starts_with("--") && !PASSED_ON.contains(&name) {
            let why = format!(
                "{name} has no effect on a refinement; after `--` there may be {}",
                PASSED_ON.join(" ")
            );
            return Err(Failure::usage(why));
        }
    }
    let mut words: Vec<OsString> = vec!["cubicle".into()];
    if args.only_forward {
        words.push("--only-forward".into());
    }
    if let Some(procs) = args.procs {
        words.extend(["--procs".into(), procs.to_string().into()]);
    }
    if let Some(procs) = args.brab {
        words.extend(["--brab".into(), procs.to_string().into()]);
    }
    words.extend(["--jobs".into(), args.jobs.to_string().into()]);
    words.extend(args.options.iter().cloned());
    words.push(args.concrete.clone().into());
    let asked = parse(words.clone(), &words).map_err(|why| match why {
        NoInvocation::Unparsed(error) => {
            Failure::usage(exit::why(&error).unwrap_or_else(|| "help is that of `cubicle --help`".to_owned()))
        }
        NoInvocation::Refused(failure) => failure,
    })?;
    Ok(settings::options(&asked.args, system, allowed).vacuity(Vacuity::Ignore))
}

/// What the engines say about bad states.
pub fn decided(system: &System, options: &Options, interrupt: &Interrupt) -> Report {
    check_on_this_thread(system, &options.clone().only_states(true), interrupt, &mut Silent)
}

/// Has the proof of a report checked.
pub fn certified(system: &System, found: &Report, interrupt: &Interrupt) -> Result<(), Reason> {
    let options = CheckOptions::new(OBLIGATION_TIME, interrupt);
    let text = cubicle_tools::export::model(system);
    match certify(&system.in_core(), &text, Claim::of(found), options) {
        Ok(_) => Ok(()),
        Err(why) => Err(interrupt.reason().unwrap_or_else(|| Reason::Uncertified(explain(system, &why)))),
    }
}
