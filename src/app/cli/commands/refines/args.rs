//! The words of `cubicle refines`, and the engines at work on a derived model.

use std::ffi::OsString;
use std::iter::once;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::CommandFactory;
use cubicle_certificate::{Certificate, CheckOptions, Claim, Subject, certify_as, explain};
use cubicle_check::{Origin, Refusal, check_claim};
use cubicle_lang::load::{Allowed, ModelSource};
use cubicle_lang::model::System;
use cubicle_run::{Acceptance, Interrupt, Options, Reason, Report, Silent, Vacuity};
use cubicle_transform::refines::Refinement;

use crate::cli::args::Args;
use crate::cli::choices::{OF_RUNS, ResultFormat, choice};
use crate::cli::engines::checker;
use crate::cli::failure::Failure;
use crate::cli::model::parse;
use crate::cli::quantities::duration;
use crate::cli::{compat, settings};

const AFTER_HELP: &str = "\
The map has a statement for each abstract variable, an update whose right-hand side is about the concrete
ones, and one for each concrete transition, with the abstract steps that it may be:

    Lock := case | Owner = None : False | _ : True;
    At[p] := case | S[p] = Critical : Inside | _ : Outside;
    enter(p q) => take(p) | stutter;

Variables that the map leaves out mean the concrete ones of the same name and type; transitions are those
of the same name and number of parameters, or stutter: they change nothing in the abstract model.";

/// Shows that each run of the concrete model is one of the abstract model, for any number of processes, or a run that is not.
///
/// Each initial state, read through the map, must be initial in the abstract model, and each step from a reachable state must be
/// one of the abstract steps that the map gives for it. Properties of runs, deadlocks included, do not carry over.
///
/// Exit codes: 0 it refines the abstract model; 1 it does not, with a run; 2 wrong usage, an error in a model or in the map, or a
/// refinement that cannot be stated; 3 inconclusive; 4 output that cannot be written; 130, 143 a signal.
#[derive(Clone, Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
#[command(after_help = AFTER_HELP, max_term_width = 110)]
pub struct RefinesArgs {
    /// The concrete model
    #[arg(value_name = "CONCRETE")]
    pub concrete: PathBuf,

    /// The abstract model
    #[arg(value_name = "ABSTRACT")]
    pub abstraction: PathBuf,

    /// What the abstract variables and steps are in the concrete model
    #[arg(long, value_name = "FILE")]
    pub map: Option<PathBuf>,

    /// Say which bad states of the abstract model the concrete one does not reach, since the abstract one does not
    #[arg(long)]
    pub transfer: bool,

    /// Explore instances only: the answer is about these
    #[arg(long)]
    pub only_forward: bool,

    /// The number of processes of the explored instance
    #[arg(long, value_name = "K", requires = "only_forward", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub procs: Option<u8>,

    /// Prove with the states of K processes as oracle
    #[arg(long, value_name = "K", conflicts_with = "only_forward", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub brab: Option<u8>,

    /// Number of threads; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,

    /// Give up after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Report what the search found, without the check of its proof. Otherwise the certificate checker derives what has to be
    /// shown from both models and the map alone. The answer says so
    #[arg(long, conflicts_with_all = ["only_forward", "certificate"])]
    pub unchecked: bool,

    /// Has no effect, since proofs are checked unless --unchecked is given
    #[arg(long)]
    pub certify: bool,

    /// Write both models, the map, the invariant and SMT-LIB files to DIR: `cubicle check-certificate DIR`
    /// checks them
    #[arg(long, value_name = "DIR", conflicts_with = "only_forward")]
    pub certificate: Option<PathBuf>,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = choice(&OF_RUNS), default_value = "human")]
    pub format: ResultFormat,

    /// Write the concrete run to FILE, in ITF: `cubicle replay` executes it
    #[arg(long, value_name = "FILE")]
    pub trace_out: Option<PathBuf>,

    /// Write a page with the answer, the run beside that of the abstract model, the models and the map
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Write the model with a bad state after each step that the abstract model does not have
    #[arg(long, value_name = "FILE")]
    pub model_out: Option<PathBuf>,

    /// Replace files that this program did not write
    #[arg(long)]
    pub force: bool,

    /// Further options of the engines: those of a proof, of an exploration, and limits
    #[arg(last = true, value_name = "OPTIONS")]
    pub options: Vec<OsString>,
}

/// The options of the engines that a command about a derived model passes on.
const PASSED_ON: &str = "--abstr-num --bitstate --brab --candheur --engine --forward --forward-depth --forward-nosym --forward-time \
                         --jobs --max-cands --max-forward --nodes --postpone --procs --require-complete --search \
                         --seed --solver --store --upto";

/// How long the checker looks at one obligation.
const OBLIGATION_TIME: Duration = Duration::from_secs(60);

/// The options of the engines on the command line.
pub fn engine_options(args: &RefinesArgs, system: &System, allowed: &Allowed) -> Result<Options, Failure> {
    let mut command = Args::command();
    command.build();
    // In either spelling: `-crash stop` asks for what `--crash stop` does.
    let further = once("cubicle".into()).chain(args.options.iter().cloned());
    for word in compat::rewrite(&command, further).words {
        let word = word.to_string_lossy();
        let name = word.split('=').next().unwrap_or_default();
        if name.starts_with("--") && !PASSED_ON.split(' ').any(|it| it == name) {
            let why = format!("{name} has no effect on a refinement; after `--` there may be {PASSED_ON}");
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
    checker().check_on_this_thread(system, &options.clone().only_states(true), interrupt, &mut Silent)
}

/// What the check of a proof that no step fails shows, of which the checker makes the obligations from both models and the map;
/// with the certificate, if it is `written`.
pub fn proved(
    concrete: ModelSource<'_>,
    refinement: &Arc<Refinement>,
    found: &Report,
    written: bool,
    interrupt: &Interrupt,
) -> Result<(Acceptance, Option<Certificate>), Refusal> {
    let subject = &Subject { refines: Some(refinement.chosen.clone()), ..Subject::default() };
    let how = CheckOptions { refinement: Some(refinement), ..CheckOptions::new(OBLIGATION_TIME, interrupt) };
    let (claim, steps) = (Claim::of(found), &refinement.steps);
    let acceptance = check_claim(Origin { model: concrete.system, subject }, steps, claim, how)?;
    let certificate = written.then(|| certify_as(subject, concrete, steps, claim, how)).transpose();
    let certificate = certificate.map_err(|why| {
        let reason = interrupt.reason().unwrap_or_else(|| Reason::Uncertified(explain(&why)));
        Refusal { reason, text: None }
    })?;
    Ok((acceptance, certificate))
}
