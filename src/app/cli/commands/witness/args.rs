//! The words of `cubicle witness`.

use std::path::PathBuf;
use std::time::Duration;

use clap::ArgGroup;

use crate::cli::choices::{FormatChoice, ResultFormat, formats};
use crate::cli::quantities::duration;

const FORMATS: [FormatChoice; 2] = [
    ("human", ResultFormat::Human, "Text for a person"),
    ("json", ResultFormat::Json, "A document, whose schema is in docs/schema/witness.json"),
];

/// Shows a run without bad states that takes a transition, reaches a state, or does what only a mutant does; on the way
/// it takes as many other transitions and shows as many values as it finds. Or says that there is none.
///
/// Instances of two and three processes are explored. Where they have no such run, it is proved that no number of
/// processes has one, or shown that a larger one has.
///
/// Exit codes: 0 there is a run, or it is proved that there is none; 2 wrong usage, or errors in the model; 3 not found;
/// 4 output that cannot be written; 130, 143 a signal.
#[derive(Clone, Debug, clap::Args)]
#[command(max_term_width = 110)]
#[command(group(ArgGroup::new("goal").required(true).args(["transition", "cube", "mutant", "survivor"])))]
pub struct WitnessArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub model: PathBuf,

    /// A run that takes this transition at its end
    #[arg(long, value_name = "NAME")]
    pub transition: Option<String>,

    /// A run to a state in which this formula holds, as in `unsafe`; #1, #2, .. are any distinct processes
    #[arg(long, value_name = "CUBE")]
    pub cube: Option<String>,

    /// A run of mutant number N of `cubicle mutate --list` to a step that the model does not have
    #[arg(long, value_name = "N")]
    pub mutant: Option<usize>,

    /// A run of mutant number N, which no claim kills, to a state that the model does not reach
    #[arg(long, value_name = "N")]
    pub survivor: Option<usize>,

    /// A shortest run, whatever else it takes and shows
    #[arg(long)]
    pub shortest: bool,

    /// Explore the instance with K processes only, before a proof is tried [default: two, then three]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub procs: Option<u8>,

    /// Examine at most N states of an instance for what a run can cover
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_states: u32,

    /// Give the proof up after N rounds, each with three times the effort of the one before
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub rounds: u8,

    /// Number of threads of the proof; the result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: u16,

    /// Give up after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = formats(&FORMATS), default_value = "human")]
    pub format: ResultFormat,

    /// Write the run to FILE, in ITF: `cubicle replay` executes it
    #[arg(long, value_name = "FILE")]
    pub trace_out: Option<PathBuf>,

    /// Replace a file of --trace-out that this program did not write
    #[arg(long)]
    pub force: bool,
}
