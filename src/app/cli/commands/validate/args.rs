//! The words of `cubicle validate`.

use std::path::PathBuf;
use std::time::Duration;

use crate::cli::choices::{FormatChoice, ResultFormat, formats};
use crate::cli::files::numbered;
use crate::cli::quantities::duration;

const FORMATS: [FormatChoice; 4] = [
    ("text", ResultFormat::Human, "Text for a person"),
    ("json", ResultFormat::Json, "A document, whose schema is in docs/schema/validation.json"),
    (
        "ndjson",
        ResultFormat::Ndjson,
        "A line of JSON for each log when it is known, then the document without the logs",
    ),
    ("junit", ResultFormat::Junit, "A test report in XML, as `JUnit` writes it, with a case for each log"),
];

/// Says for each log of a program whether a run of the model explains it: the events that it names, in their order, and the
/// values that it shows.
///
/// A log has a JSON object on each line, such as {"action": "enter", "procs": {"p": "node-7"}, "after": {"At": {"node-7":
/// "Inside"}}}; all keys are optional, and a log may say as little as it does. Names of processes are bound to processes of the
/// instance as they appear. --map names a TOML file for logs with other words, hidden steps and events without a common order. A file
/// that ends in `.itf.json` is a trace in ITF.
///
/// Exit codes: 0 all logs are explained; 1 one is not, or every run that explains it has a bad state; 2 wrong usage, errors in the
/// model, the map or a log; 3 a limit was reached, or a number had to be guessed; 4 output that cannot be written; 130, 143 a signal.
#[derive(Clone, Debug, clap::Args)]
#[command(max_term_width = 110)]
pub struct ValidateArgs {
    /// The model
    #[arg(value_name = "FILE")]
    pub model: PathBuf,

    /// The logs; `-` for standard input, which is followed while it is written
    #[arg(value_name = "LOG", required = true)]
    pub logs: Vec<PathBuf>,

    /// What the words of the logs mean, in TOML
    #[arg(long, value_name = "MAP")]
    pub map: Option<PathBuf>,

    /// Processes of the instance [default: as many as the log names]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(0..=64))]
    pub procs: Option<u8>,

    /// At most N steps of the map's `hidden` transitions come between two events [default: 1 where the map has some]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(0..=1000))]
    pub hidden: Option<u16>,

    /// Give a log up when its run may be in more than N states
    #[arg(long, value_name = "N", default_value_t = 100_000, value_parser = clap::value_parser!(u32).range(1..))]
    pub max_states: u32,

    /// Skip lines that cannot be understood, and count them
    #[arg(long)]
    pub lenient: bool,

    /// Say which transitions and values the logs show, and which they do not
    #[arg(long)]
    pub coverage: bool,

    /// Give up after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,

    /// What to write to standard output
    #[arg(long, value_name = "FORMAT", value_parser = formats(&FORMATS), default_value = "text")]
    pub format: ResultFormat,

    /// Write the run that explains a log, or its violation, to FILE, in ITF; those of further logs get numbers (FILE.2, ..)
    #[arg(long, value_name = "FILE")]
    pub trace_out: Option<PathBuf>,

    /// Write a page that shows each log beside a run, with all that is known
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,

    /// Replace a file of --trace-out or --report that this program did not write
    #[arg(long)]
    pub force: bool,
}

impl ValidateArgs {
    /// The files of the runs of all logs, in their order.
    pub fn traces(&self) -> Vec<PathBuf> {
        let numbers = 1..=self.logs.len();
        numbers.flat_map(|number| self.trace_out.iter().map(move |path| numbered(path, number))).collect()
    }
}
