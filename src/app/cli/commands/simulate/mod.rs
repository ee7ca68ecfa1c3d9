//! `cubicle simulate FILE`: steps through an instance by hand, on a terminal or from a script.
//!
//! There is no full-screen view: a state with marked changes fits in a few lines, and lines can be scrolled back,
//! copied, and kept as a script.

mod terminal;

use std::io::{self, BufRead, IsTerminal, Read, stdout};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_report::Style;
use cubicle_run::Interrupt;
use cubicle_tools::simulate::{CommandRefusal, Simulation};
use signal_hook::low_level;

use self::terminal::{follow, take_over};
use crate::cli::failure::{Failure, after_output};
use crate::cli::load::{LoadedModel, load};
use crate::cli::messages::Messages;
use crate::cli::output::Output;
use crate::cli::outputs::NamedFile;
use crate::cli::{exit, settings, watchdog};

/// The longest line of a script, in bytes.
const LONGEST_LINE: u64 = 64 << 10;

/// How long a command of a script may go on after a signal.
const GRACE: Duration = Duration::from_millis(150);

/// Steps through an instance: lists the enabled transitions with their effect, takes the ones you choose or
/// random ones, goes back, searches for a state, shows what changed. Type `help` there.
///
/// Commands come from the terminal, or from a script on standard input (`cubicle simulate FILE < SCRIPT`), one per
/// line; lines that begin with `# ` are comments. A script ends at the first command that cannot be followed.
///
/// Exit codes: 0 the session was ended; 2 the model cannot be read or has no such instance, or a line of the script
/// cannot be followed; 4 a file or standard output cannot be written; 130, 143 a signal.
#[derive(Debug, clap::Args)]
#[command(max_term_width = 110)]
pub struct SimulateArgs {
    /// The model
    #[arg(value_name = "FILE")]
    model: PathBuf,

    /// A run to begin with, in ITF, as `save` and --trace-out write it
    #[arg(value_name = "TRACE", conflicts_with = "procs")]
    trace: Option<PathBuf>,

    /// Number of processes [default: 3, or as near to it as the model allows]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u8).range(0..=64))]
    procs: Option<u8>,

    /// Random seed for `random` and `until`: the same seed gives the same run
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
}

pub fn run(args: SimulateArgs) -> Result<u8, Failure> {
    if [Some(&args.model), args.trace.as_ref()].contains(&Some(&PathBuf::from("-"))) {
        let why = "commands are read from standard input, so that the model and the run need files";
        return Err(Failure::usage(why));
    }
    let LoadedModel { system, text, .. } = load(&args.model, Some(&[]), &Messages::human())?;
    let name = args.model.display().to_string();
    let interrupt = Interrupt::default();
    let style = settings::result_style();
    let source = Source { name: &name, text: &text };
    let (session, greeting) = begin(&args, &system, source, style, &interrupt)?;
    let run = args.trace.iter().map(|path| ("the run that the session began with", path.clone()));
    let read: Vec<NamedFile> = std::iter::once(("the model", args.model.clone())).chain(run).collect();
    let output = Arc::new(Output::new(interrupt.clone()));
    output.write(&greeting);
    let code = if io::stdin().is_terminal() && stdout().is_terminal() {
        terminal::drive(session, &read, &output, &interrupt)
    } else {
        listen(&output, &interrupt);
        let code = script(session, &read, &output, &interrupt);
        interrupt.pending().map_or(code, exit::of_signal)
    };
    Ok(after_output(code, output.finish()))
}

/// The session, and what to show first.
fn begin<'a>(
    args: &SimulateArgs,
    system: &'a System,
    source: Source<'a>,
    style: Style,
    interrupt: &Interrupt,
) -> Result<(Simulation<'a>, String), CommandRefusal> {
    let least = usize::from(system.proc_constants);
    let most = system.max_procs.map_or(usize::MAX, |most| most as usize);
    let procs = args.procs.map_or_else(|| 3.clamp(least, most.max(least)), usize::from);
    let mut session = Simulation::new(system, source, procs, args.seed, style, interrupt)?;
    let greeting = match &args.trace {
        Some(trace) => take_over(&mut session, &trace.display().to_string())?,
        None => session.greeting(),
    };
    Ok((session, greeting))
}

/// A signal ends a script: soon where it works, and also where it waits for its next line.
fn listen(output: &Arc<Output>, interrupt: &Interrupt) {
    let Ok(mut signals) = watchdog::ending_signals() else { return };
    let (output, interrupt) = (Arc::clone(output), interrupt.clone());
    let listener = thread::Builder::new().name("signals".into());
    let _ = listener.spawn(move || {
        let Some(signal) = signals.forever().next() else { return };
        interrupt.raise(signal);
        thread::sleep(GRACE);
        low_level::exit(after_output(exit::of_signal(signal), output.try_finish()).into());
    });
}

/// Executes the lines of standard input, each shown before its answer, up to the first that cannot be executed.
fn script(mut session: Simulation<'_>, read: &[NamedFile], output: &Output, interrupt: &Interrupt) -> u8 {
    let mut stdin = io::stdin().lock();
    for number in 1.. {
        let line = match next_line(&mut stdin) {
            Ok(Some(line)) => line,
            Ok(None) => break,
            Err(why) => return Failure::usage(format!("line {number}: {why}")).complain(),
        };
        if line.trim().is_empty() {
            continue;
        }
        output.write(&format!("> {}\n", line.trim()));
        // The reader of the output went away, or a signal came.
        if let Some(signal) = interrupt.pending() {
            return exit::of_signal(signal);
        }
        match follow(&mut session, read, &line) {
            Ok(Some(text)) => output.write(&text),
            Ok(None) => break,
            Err(failure) => {
                return Failure { error: format!("line {number}: {failure}"), ..failure }.complain();
            }
        }
    }
    exit::OK
}

/// The next line without its end; `None` behind the last one. The error says what is wrong with it.
fn next_line(source: &mut impl BufRead) -> Result<Option<String>, String> {
    let mut bytes = Vec::new();
    let read = source.take(LONGEST_LINE + 1).read_until(b'\n', &mut bytes);
    match read {
        Err(error) => Err(format!("cannot read standard input: {error}")),
        Ok(0) => Ok(None),
        Ok(_) if bytes.len() as u64 > LONGEST_LINE => Err(format!("it has more than {LONGEST_LINE} bytes")),
        Ok(_) => String::from_utf8(bytes).map(Some).map_err(|_| "it is not text in UTF-8".to_owned()),
    }
}
