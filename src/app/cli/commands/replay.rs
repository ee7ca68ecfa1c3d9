//! `cubicle replay FILE TRACE`: executes a trace step by step and says where it first fails.

use std::path::PathBuf;
use std::time::Duration;

use cubicle_lang::diagnostic::Source;
use cubicle_lang::load::ModelSource;
use cubicle_run::Interrupt;
use cubicle_tools::itf;
use cubicle_transform::Crash;

use crate::cli::ending::Ending;
use crate::cli::failure::Failure;
use crate::cli::lemmas::derived;
use crate::cli::load::{LoadedModel, load};
use crate::cli::quantities::{crash, duration};
use crate::cli::supervise::supervise;
use crate::cli::{exit, input, memory, settings};

/// Executes a trace that `--trace-out` wrote, step by step, and checks what else the file says: its variables,
/// the numbers of its states, the processes that make the last state bad and the literals that hold for them.
///
/// Exit codes: 0 the trace is a run of the model and all else is true; 1 it is not, with the step at which it
/// first fails and the literals of the guard that do not hold; 2 the model or the trace cannot be read; 3 a limit
/// was reached.
#[derive(Debug, clap::Args)]
pub struct ReplayArgs {
    /// The model
    #[arg(value_name = "FILE")]
    model: PathBuf,

    /// The trace, in ITF
    #[arg(value_name = "TRACE")]
    trace: PathBuf,

    /// Processes may fail, as in the run that wrote the trace: `stop`, `stop:F` or `restart`
    #[arg(long, value_name = "HOW", value_parser = crash)]
    crash: Option<Crash>,

    /// The formula that the trace breaks; as often as in the run that wrote the trace
    #[arg(long, value_name = "FORMULA")]
    ltl: Vec<String>,

    /// Give up after this time (500ms, 10s, 2m)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    time_limit: Option<Duration>,
}

pub fn run(args: ReplayArgs) -> u8 {
    let model = args.model.clone();
    supervise(
        args.time_limit,
        memory::most_of_it(),
        |interrupt| Ending::of_command(&model, interrupt),
        move |interrupt, ending| ending.after(replay(&args, interrupt, ending)),
    )
}

fn replay(args: &ReplayArgs, interrupt: &Interrupt, ending: &Ending) -> Result<u8, Failure> {
    let style = settings::result_style();
    let LoadedModel { system, text, .. } = load(&args.model, Some(&[]), &ending.messages)?;
    let model = ModelSource::new(&system, &text);
    let system = derived(model, &args.model, args.crash, &args.ltl, &ending.messages)?;
    let name = args.model.display().to_string();
    let source = Source { name: &name, text: &text };
    let trace = input::read(&args.trace).and_then(|input| {
        let read = itf::read(&system, &source, &input.text, interrupt);
        read.map_err(|error| Failure::usage(format!("{} is not a trace: {error}", input.name)))
    });
    let (trace, claims) = match trace {
        Ok(read) => read,
        Err(failure) => {
            let Some(reason) = interrupt.reason() else { return Err(failure) };
            ending.begin();
            let title = style.doubtful("The trace is not checked");
            ending.output.write(&format!("{title}: {}\n", cubicle_run::words::reason(&reason)));
            return Ok(exit::of_reason(&reason));
        }
    };
    let (title, what, code) = match itf::replay(&system, &source, &trace, &claims) {
        Ok(what) => (style.good("The trace is a run of the model"), what, exit::OK),
        Err(why) => (style.bad("The trace is not a run of the model"), why, exit::UNSAFE),
    };
    ending.begin();
    ending.output.write(&format!("{title}: {what}\n"));
    Ok(code)
}
