//! The command line: from words to an exit code.

mod advice;
mod applies;
mod args;
mod certificate;
mod choices;
mod cluster;
mod commands;
mod compat;
mod completions;
mod cpu;
mod document;
mod ending;
mod exit;
mod explain;
mod export;
mod external;
mod failure;
mod files;
mod fmt;
mod formulas;
mod hints;
mod input;
mod kept;
mod lemmas;
mod line;
mod lint;
mod listener;
mod live;
mod load;
mod logging;
mod lsp;
mod manual;
mod marks;
mod memory;
mod messages;
mod model;
mod mutate;
mod output;
mod outputs;
mod panics;
mod pictures;
mod printers;
mod quantities;
mod replay;
mod resume;
mod run_dir;
mod settings;
mod shrink;
mod simulate;
mod supervise;
mod touched;
mod version;
mod watchdog;
mod witness;

use std::ffi::OsString;
use std::io;
use std::process::ExitCode;

use self::failure::Failure;
use self::model::{parse, supervised};
use self::output::complain;
use self::supervise::on_large_stack;
pub use self::version::{Build, last_commit};

/// Runs the program on `words`, its own name first.
pub fn run(words: impl IntoIterator<Item = OsString>, build: Build) -> ExitCode {
    version::tell(build);
    panics::report();
    let typed: Vec<OsString> = words.into_iter().collect();
    if let Err(failure) = logging::wanted() {
        failure.complain();
        return ExitCode::from(document::refused(&typed, failure.told()));
    }
    let words = match hints::look(typed.clone()) {
        Ok(words) => words,
        Err((error, help)) => {
            complain(&format!("error: {error}"));
            complain(&format!("help: {help}"));
            return ExitCode::from(document::refused(&typed, Failure::usage(error).told()));
        }
    };
    let command = words.get(1).and_then(|word| word.to_str()).and_then(commands::find);
    ExitCode::from(match command {
        Some(command) => {
            let words = words.into_iter().skip(2).collect();
            if command.needs_stack {
                logging::to_stderr();
                on_large_stack(move || (command.run)(words)).unwrap_or_else(no_thread)
            } else {
                (command.run)(words)
            }
        }
        None => match parse(words, &typed) {
            Ok(asked) => supervised(asked),
            Err(error) => error.end(&typed),
        },
    })
}

/// Reports that a thread cannot be started, where no answer is due.
fn no_thread(error: io::Error) -> u8 {
    complain(&format!("error: cannot start a thread: {error}"));
    exit::UNKNOWN
}
