//! The command line: from words to an exit code.

mod advice;
mod applies;
mod args;
mod certificate;
mod choices;
mod command;
mod commands;
mod compat;
mod costs;
mod document;
mod ending;
mod engines;
mod exit;
mod failure;
mod files;
mod foreign;
mod help;
mod hints;
mod input;
mod kept;
mod lemmas;
mod line;
mod live;
mod load;
mod logging;
mod memory;
mod messages;
mod model;
mod output;
mod outputs;
mod pictures;
mod printer;
mod provers;
mod quantities;
mod run_dir;
mod settings;
mod supervise;
mod touched;
mod usage;
mod version;
mod watchdog;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use cubicle_check::Checker;

use self::commands::{CommandLine, Task};
use self::document::NoInvocation;
use self::failure::{Failure, after_text};
use self::model::{parse, supervised};
use self::supervise::on_large_stack;
pub use self::version::{Build, last_commit};
use crate::child;

/// Runs the program with these engines on `words`, its own name first.
pub fn run(words: impl IntoIterator<Item = OsString>, build: Build, checker: Checker) -> ExitCode {
    if !child::follow() {
        return ExitCode::from(exit::INTERNAL);
    }
    version::tell(build);
    engines::set(checker);
    failure::report_panics();
    let typed: Vec<OsString> = words.into_iter().collect();
    if let Err(failure) = logging::wanted() {
        return ExitCode::from(document::refused(&typed, failure));
    }
    if let Some(text) = hints::subject(&typed) {
        return ExitCode::from(after_text(&text));
    }
    let words = match hints::look(typed.clone()) {
        Ok(words) => words,
        Err(refused) => return ExitCode::from(document::refused(&typed, refused)),
    };
    let command = words.get(1).and_then(|word| word.to_str()).filter(|word| Task::has_subcommand(word));
    ExitCode::from(match command {
        Some(name) => match CommandLine::try_parse_from(&words) {
            Ok(CommandLine { task }) if task.needs_stack() => {
                logging::to_stderr();
                on_large_stack(move || task.run()).unwrap_or_else(|error| {
                    Failure::new(exit::UNKNOWN, format!("cannot start a thread: {error}")).complain()
                })
            }
            Ok(CommandLine { task }) => task.run(),
            Err(error) => {
                NoInvocation::from(error).end(if commands::has_document(name) { &typed } else { &[] })
            }
        },
        None => match parse(words, &typed) {
            Ok(asked) => supervised(asked),
            Err(error) => error.end(&typed),
        },
    })
}
