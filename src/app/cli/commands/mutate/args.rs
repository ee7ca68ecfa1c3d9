//! The words of `cubicle mutate`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use cubicle_lang::model::System;
use cubicle_run::{BackwardMode, Interrupt, Options, Report, Silent, Vacuity};
use cubicle_tools::mutation::{MutantSelection, MutationOptions};
use cubicle_transform::mutate::Operator;

use crate::cli::choices::{Choice, ResultFormat, choice, named};
use crate::cli::engines::checker;
use crate::cli::failure::Failure;
use crate::cli::quantities::duration;

const FORMATS: [Choice<ResultFormat>; 3] = [
    ("human", ResultFormat::Human, "Text for a person"),
    ("json", ResultFormat::Json, "A document, whose schema is in docs/schema/mutation.json"),
    ("sarif", ResultFormat::Sarif, "The survivors that change something, in SARIF, for editors and forges"),
];

/// Makes small mistakes in a model, each by itself, and says which of them the model's claims notice.
///
/// A mutant is killed by a run to a bad state, which was replayed; it survives when it is proved safe for any number of
/// processes, by a certificate that was checked. A survivor that changes what the model can do may point to an
/// `unsafe` that is missing. The limits on a mutant's share of the work are counts, not times: the same command
/// prints the same, for any --jobs, and on any number of machines: `cubicle cluster --local 2 -- mutate FILE`.
///
/// Exit codes: 0 the mutants were examined; 1, 3 the model itself is not safe, or not decided (see --anyway), or, for
/// 3, fewer are killed than --min-kill-rate asks for, or a limit ended the run; 2 wrong usage, or errors in the model;
/// 4 output that cannot be written; 130, 143 a signal, with what is known.
#[derive(Clone, Debug, Parser)]
#[command(name = "cubicle mutate", max_term_width = 110)]
#[expect(clippy::struct_excessive_bools, reason = "flags are independent of each other")]
pub struct MutateArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub model: PathBuf,

    /// List the mutants and what they change, and examine none
    #[arg(long, conflicts_with = "format")]
    pub list: bool,

    /// Print mutant number N as a model, and examine none
    #[arg(long, value_name = "N", conflicts_with_all = ["list", "format"])]
    pub print: Option<usize>,

    /// Look for claims that are stronger than those of the model and true, strongest first, instead of mistakes
    #[arg(long, conflicts_with_all = ["list", "print", "anyway", "min_kill_rate", "trace", "verbose", "report"])]
    pub properties: bool,

    /// Look for claims that the proof rests on, to be pasted into the model, instead of mistakes; those that notice most
    /// mistakes that no claim notices come first
    #[arg(long, conflicts_with_all = ["list", "print", "anyway", "min_kill_rate", "trace", "verbose", "report"])]
    pub suggest: bool,

    /// Only mistakes of these kinds (may be repeated, or several with commas)
    #[arg(long, value_name = "OPERATOR", value_delimiter = ',', value_parser = named::<Operator>())]
    pub only: Vec<Operator>,

    /// Only mistakes in this transition (may be repeated)
    #[arg(long, value_name = "NAME")]
    pub transition: Vec<String>,

    /// Only N of them, chosen at random
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub sample: Option<u32>,

    /// Random seed for --sample and the walks
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,

    /// Prove with BRAB and an oracle of K processes, instead of choosing how
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub brab: Option<u8>,

    /// Explore instances of up to K processes before a proof is tried
    #[arg(long, value_name = "K", default_value_t = 3, value_parser = clap::value_parser!(u8).range(1..=8))]
    pub procs: u8,

    /// Store at most N states of an instance
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_states: u32,

    /// Give a proof up after N rounds, each with three times the effort of the one before; without it after 4 rounds, or 20 times
    /// the effort of the proof of the model itself, if that is less (but at least an effort of 10000, about a second)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    pub rounds: Option<u8>,

    /// Number of threads; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,

    /// End the run after this time (500ms, 10s, 2m), with what is known
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// Mutate a model that is not safe, or not decided, too
    #[arg(long)]
    pub anyway: bool,

    /// End with exit code 3 when less than this share of the mutants is killed
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub min_kill_rate: Option<f64>,

    /// Write all of it as a page to FILE: kill rates, which claim kills which mutant, survivors as differences
    #[arg(long, value_name = "FILE", conflicts_with_all = ["list", "print"])]
    pub report: Option<PathBuf>,

    /// Replace a file of --report that this program did not write
    #[arg(long)]
    pub force: bool,

    /// Show the run that kills mutant number N (may be repeated)
    #[arg(long, value_name = "N")]
    pub trace: Vec<usize>,

    /// Show each survivor with the lines that it changes, instead of what they have in common
    #[arg(long)]
    pub all: bool,

    /// Show killed mutants, too, each with its run in a line
    #[arg(short, long)]
    pub verbose: bool,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = choice(&FORMATS), default_value = "human")]
    pub format: ResultFormat,

    /// Print the answer only, without survivors and figures
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
}

impl MutateArgs {
    /// Which mutants are examined.
    pub fn selection(&self) -> MutantSelection {
        MutantSelection {
            operators: self.only.clone(),
            transitions: self.transition.clone(),
            sample: self.sample.map(|most| most as usize),
            seed: self.seed,
        }
    }

    /// How they are examined, when this is known of the model itself.
    pub fn options(&self, model: Option<&Report>) -> MutationOptions {
        let usual = MutationOptions::new(checker());
        MutationOptions {
            checker: usual.checker,
            proof: self.proof(),
            rounds: self.rounds.map_or(usual.rounds, u32::from),
            effort: match (self.rounds, model) {
                (Some(_), _) => None,
                (None, Some(model)) => Some(MutationOptions::effort_for(model)),
                (None, None) => usual.effort,
            },
            procs: self.procs.into(),
            max_states: self.max_states as usize,
            jobs: self.jobs.into(),
            seed: self.seed,
        }
    }

    /// What is found about the model itself, unless its mutants are wanted anyway. Deterministic: each process of a cluster finds the same.
    pub fn checked(&self, system: &System, interrupt: &Interrupt) -> Option<Report> {
        let options = Options::default()
            .proof(self.proof())
            .vacuity(Vacuity::Ignore)
            .only_states(true)
            .jobs(self.jobs.into())
            .seed(self.seed);
        (!self.anyway).then(|| checker().check_on_this_thread(system, &options, interrupt, &mut Silent))
    }

    /// How a proof is looked for.
    pub fn proof(&self) -> BackwardMode {
        self.brab.map_or(BackwardMode::Auto, |procs| BackwardMode::Brab(procs.into()))
    }

    /// All that the result depends on besides the model, by name: the processes of a cluster must agree on it.
    pub fn agreement(&self) -> Vec<(String, String)> {
        // The effort follows from the model and the number of rounds.
        let MutationOptions { checker: _, proof, rounds: _, effort: _, procs, max_states, jobs: _, seed } =
            self.options(None);
        let all = [
            ("which mutants", format!("{:?}", self.selection())),
            ("the search for proofs", format!("{proof:?}")),
            ("the number of rounds", format!("{:?}", self.rounds)),
            ("the number of processes", procs.to_string()),
            ("the number of states", max_states.to_string()),
            ("the seed", seed.to_string()),
        ];
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

fn percent(text: &str) -> Result<f64, Failure> {
    let number: f64 =
        text.trim_end_matches('%').trim().parse().map_err(|_| Failure::usage("that is not a number"))?;
    if (0.0..=100.0).contains(&number) { Ok(number) } else { Err(Failure::usage("it must be from 0 to 100")) }
}
