//! The engines at work on a derived model.

use std::ffi::OsString;
use std::sync::Arc;
use std::time::Duration;

use cubicle_certificate::{Certificate, CheckOptions, Claim, Subject, certify_as, explain};
use cubicle_check::{Origin, Refusal, check_claim, check_on_this_thread};
use cubicle_lang::load::{Allowed, ModelSource};
use cubicle_lang::model::System;
use cubicle_run::{Acceptance, Interrupt, Options, Reason, Report, Silent, Vacuity};
use cubicle_transform::refines::Refinement;

use super::args::RefinesArgs;
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
    let asked = parse(words.clone(), &words).map_err(|why| Failure::usage(why.in_a_line()))?;
    let options = settings::options(&asked.args, system, allowed).vacuity(Vacuity::Ignore);
    Ok(options.needs_proof(args.certificate.is_some()))
}

/// What the engines say about bad states.
pub fn decided(system: &System, options: &Options, interrupt: &Interrupt) -> Report {
    check_on_this_thread(system, &options.clone().only_states(true), interrupt, &mut Silent)
}

/// A proof that no step fails, of which the checker makes the obligations from both models and the map.
pub struct Proved<'a> {
    pub concrete: ModelSource<'a>,
    /// What the engines were asked.
    pub refinement: &'a Arc<Refinement>,
    pub found: &'a Report,
}

impl Proved<'_> {
    fn subject(&self) -> Subject {
        Subject { refines: Some(self.refinement.chosen.clone()), ..Subject::default() }
    }

    /// What the check of it shows.
    pub fn accepted(&self, interrupt: &Interrupt) -> Result<Acceptance, Refusal> {
        let how = CheckOptions::new(OBLIGATION_TIME, interrupt).refining(self.refinement);
        let origin = Origin { model: self.concrete.system, subject: &self.subject() };
        check_claim(origin, &self.refinement.steps, Claim::of(self.found), how)
    }

    pub fn certified(&self, interrupt: &Interrupt) -> Result<Certificate, Reason> {
        let how = CheckOptions::new(OBLIGATION_TIME, interrupt).refining(self.refinement);
        let claim = Claim::of(self.found);
        certify_as(&self.subject(), self.concrete, &self.refinement.steps, claim, how).map_err(|why| {
            let stopped = interrupt.reason();
            stopped.unwrap_or_else(|| Reason::Uncertified(explain(&why)))
        })
    }
}
