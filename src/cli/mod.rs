//! The command line: from words to an exit code.

mod args;
mod compat;
mod exit;
mod input;
mod listener;
mod output;
mod settings;
mod watchdog;

use std::ffi::OsString;
use std::io::{stderr, stdout};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread;

use clap::{CommandFactory, FromArgMatches};
use cubicle::interrupt::Interrupt;
use cubicle::model::System;
use cubicle::report;
use cubicle::verdict::Verdict;

use self::args::Args;
use self::listener::{Listener, Status};
use self::output::{Output, complain};
use self::watchdog::Progress;

/// Enough for the recursion of any engine on a model within the bounds of the language.
const STACK_BYTES: usize = 256 << 20;

/// Runs the program on `words`, its own name first.
pub fn run(words: impl IntoIterator<Item = OsString>) -> ExitCode {
    let args = match parse(words) {
        Ok(args) => args,
        Err(code) => return ExitCode::from(code),
    };
    std::panic::set_hook(Box::new(|panic| {
        complain(&format!("internal error: {panic}"));
        complain(
            "This is a bug of cubicle, not of your model. Please report it with the model and the command.",
        );
    }));
    let worker = thread::Builder::new().name("cubicle".into()).stack_size(STACK_BYTES);
    let code = match worker.spawn(move || checked(&args)) {
        Ok(worker) => worker.join().unwrap_or(exit::INTERNAL),
        Err(error) => {
            complain(&format!("error: cannot start a thread: {error}"));
            exit::INTERNAL
        }
    };
    ExitCode::from(code)
}

/// The typed command line, or the exit code after help or an error was printed.
fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Args, u8> {
    let mut command = Args::command();
    command.build();
    let rewritten = compat::rewrite(&command, words);
    let args = command.try_get_matches_from(rewritten.words).and_then(|m| Args::from_arg_matches(&m));
    let args = args.map_err(|error| {
        let code = if error.use_stderr() { exit::USAGE } else { exit::OK };
        // Help into a closed pipe is nobody's concern.
        let _ = error.print();
        code
    })?;
    if !args.quiet {
        for note in &rewritten.notes {
            complain(&format!("note: {note}"));
        }
    }
    Ok(args)
}

/// Loads the model and decides it.
fn checked(args: &Args) -> u8 {
    let interrupt = Interrupt::default();
    let progress = Arc::new(Progress::default());
    let output = Arc::new(Output::new(interrupt.clone()));
    if let Err(error) = watchdog::start(&interrupt, &progress, &output) {
        complain(&format!("error: cannot listen to signals: {error}"));
        return exit::INTERNAL;
    }
    let Some(system) = load(args) else { return exit::USAGE };
    if args.type_only {
        return exit::OK;
    }
    let options = settings::options(args);
    let style = settings::style(args, &stdout());
    let mut listener = Listener {
        quiet: args.quiet,
        verbose: args.verbose,
        style,
        output: Arc::clone(&output),
        progress: Arc::clone(&progress),
        status: Status::new(args.quiet),
    };
    let found = cubicle::check(&system, &options, &interrupt, &mut listener);
    progress.done.store(true, Ordering::Relaxed);
    listener.status.clear();

    let states = settings::trace_states(args);
    output.write(&if args.quiet {
        report::answer(&system, &found, states, style)
    } else {
        report::conclusion(&system, &options, &found, states, style)
    });
    let code = exit::after_output(exit::of_report(&found), output.finish());
    if let (false, Some(Verdict::Unknown(reason))) = (args.quiet, &found.verdict)
        && let Some(help) = report::reason_help(reason)
    {
        complain(&format!("help: {help}"));
    }
    if args.profile {
        let text = report::profile(&found, settings::style(args, &stderr()));
        complain(text.trim_end());
    }
    code
}

/// Reads and understands the model; what is wrong with it is told on standard error.
fn load(args: &Args) -> Option<System> {
    match input::read(&args.file) {
        Ok(input) => {
            complain(&format!(
                "error: {}: the front end is not there yet ({} bytes)",
                input.name,
                input.text.len()
            ));
            None
        }
        Err(error) => {
            complain(&format!("error: {error}"));
            None
        }
    }
}
