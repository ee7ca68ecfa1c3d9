//! The words of `cubicle test`.

use std::path::PathBuf;
use std::time::Duration;

use cubicle_tools::expect::Expectation;

use crate::cli::choices::{FormatChoice, ResultFormat, formats};
use crate::cli::quantities::{bytes, duration};

const FORMATS: [FormatChoice; 4] = [
    ("human", ResultFormat::Human, "A line for each model, for a person"),
    ("json", ResultFormat::Json, "A document, whose schema is in docs/schema/test.json"),
    ("junit", ResultFormat::Junit, "Each run as a case, in the XML of JUnit"),
    ("sarif", ResultFormat::Sarif, "What is not as expected, at its TEST line, in SARIF 2.1.0"),
];

/// Runs models, and says which of them do not give the verdict that they announce.
///
/// A model says in a line `(* TEST: OPTIONS => VERDICT *)` how to run it and what to expect: `(* TEST: brab 2 => safe *)`. It may have
/// several. Verdicts are `safe`, `unsafe` (`unsafe in 6`: with 6 steps at most), `violated`, `deadlock`, `invariant-refuted`,
/// `nothing-wrong` (of an exploration), `unknown`, `well-formed` (--type-only) and `error C0102`, the code of an error in the model. Each run
/// is a process of its own, and none may write files.
///
/// Exit codes: 0 all runs are as expected; 1 one is not; 2 wrong usage, or a TEST line that cannot be read (nothing is run
/// then); 3 all that is not as expected has no verdict, because of a limit; 4 a run ended by an internal error, or a file cannot be
/// written; 130, 143 a signal.
#[derive(Clone, Debug, clap::Args)]
#[command(max_term_width = 110)]
pub struct TestArgs {
    /// Models, and folders with models (*.cub), which are searched in sorted order with those inside of them
    #[arg(value_name = "PATH", required = true)]
    pub paths: Vec<PathBuf>,

    /// What to expect of models without a TEST line, run without options [default: they are skipped]
    #[arg(long, value_name = "VERDICT")]
    pub expect: Option<Expectation>,

    /// How many runs are made at once; the output does not depend on it
    #[arg(short, long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,

    /// End each run after this time (500ms, 10s, 2m), unless its TEST line has a limit
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// End each run when it takes this much memory (100MB, 4GB), unless its TEST line has a limit [default: with --jobs N, an
    /// N-th of 80 % of the machine's]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub memory_limit: Option<usize>,

    /// Write the verdicts that came out into the TEST lines that expect others. Only verdicts change, and each change is shown
    #[arg(long)]
    pub update: bool,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = formats(&FORMATS), default_value = "human")]
    pub format: ResultFormat,

    /// Only the models that are not as expected, and the summary
    #[arg(short, long)]
    pub quiet: bool,
}
