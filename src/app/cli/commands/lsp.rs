//! `cubicle lsp`: the language server on standard input and output.

use std::ffi::OsString;
use std::io::BufReader;
use std::path::PathBuf;

use clap::CommandFactory;
use clap::builder::ValueParser;
use clap::parser::ValueSource;

use crate::cli::failure::Failure;
use crate::cli::{args, compat, exit, logging, watchdog};
use crate::lsp::{ProofRunner, ServerEnd, serve};

/// Speaks the language server protocol on standard input and output, for editors: diagnostics, hover, definition,
/// references, rename, outline, completion, formatting, fixes, and runs of the model's `TEST:` lines when they are
/// clicked.
///
/// Opening a model runs nothing and writes no file.
///
/// Exit codes: 0 ended by the editor as the protocol has it; 1 the editor went away before; 128 plus the number of a signal.
#[derive(Debug, clap::Args)]
pub struct LspArgs {
    /// Accepted because editors add it
    #[arg(long, hide = true)]
    stdio: bool,
}

/// Runs the command.
pub fn run() -> u8 {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            return Failure::internal(format!("cannot find the program itself: {error}")).complain();
        }
    };
    let prover = ProofRunner { program, log_variable: logging::VARIABLE, refuse: refusal };
    let signals = match watchdog::ending_signals() {
        Ok(signals) => signals,
        Err(error) => return Failure::internal(format!("cannot listen to signals: {error}")).complain(),
    };
    let leave = |signal| signal_hook::low_level::exit(exit::of_signal(signal).into());
    match serve(BufReader::new(std::io::stdin()), Box::new(std::io::stdout()), prover, signals, leave) {
        ServerEnd::Orderly => exit::OK,
        ServerEnd::Abrupt => exit::DIFFERENT,
        ServerEnd::Signal(signal) => exit::of_signal(signal),
    }
}

/// Why a model may not have the program called with these words, to be followed by the model: the text of a file from
/// another author must not make the program write other files.
fn refusal(words: &[String]) -> Option<String> {
    let mut command = args::Args::command();
    command.build();
    let all = ["cubicle"].into_iter().chain(words.iter().map(String::as_str)).chain(["-"]);
    let rewritten = compat::rewrite(&command, all.map(OsString::from));
    if let Some(missing) = rewritten.missing {
        return Some(missing);
    }
    let matches = match command.clone().try_get_matches_from(rewritten.words) {
        Ok(matches) => matches,
        Err(error) => return Some(error.to_string().lines().next().unwrap_or_default().to_owned()),
    };
    let takes_path = |parser: &ValueParser| parser.type_id() == clap::value_parser!(PathBuf).type_id();
    let given = |id: &str| matches.value_source(id) == Some(ValueSource::CommandLine);
    let writes = command.get_arguments().find(|arg| {
        let id = arg.get_id().as_str();
        // `trace` writes a certificate beside the model.
        given(id) && (id == "trace" || id != "file" && takes_path(arg.get_value_parser()))
    });
    match writes {
        Some(arg) => Some(format!("--{} has to do with files", arg.get_long().unwrap_or_default())),
        None if matches.get_one::<PathBuf>("file").is_none_or(|file| file.as_os_str() != "-") => {
            Some("it names another model".to_owned())
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::refusal;

    #[test]
    fn words_that_write_files_are_refused() {
        let said = |line: &str| refusal(&line.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        for line in ["", "--brab 2", "brab 3", "-brab 2", "--only-forward --procs 3 --deadlock --quiet"] {
            assert_eq!(said(line), None, "{line}");
        }
        for line in [
            "--trace-out /tmp/x",
            "--trace-out=x",
            "-trace-out x",
            "--stats-json x",
            "--certificate x",
            "-trace why",
            "other.cub",
            "--no-such-flag",
            "brab",
            "--help",
            "-- other.cub",
            "explain",
            "fmt",
        ] {
            assert!(said(line).is_some(), "{line}");
        }
    }
}
