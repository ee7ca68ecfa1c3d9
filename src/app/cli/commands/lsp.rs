//! `cubicle lsp`: the language server on standard input and output.

use std::io::BufReader;

use crate::cli::failure::Failure;
use crate::cli::foreign::refusal;
use crate::cli::{exit, watchdog};
use crate::lsp::serve;
use crate::rpc::ServerEnd;

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

pub fn run() -> Result<u8, Failure> {
    let signals = watchdog::heard_signals()?;
    let leave = |signal| signal_hook::low_level::exit(exit::of_signal(signal).into());
    Ok(match serve(BufReader::new(std::io::stdin()), Box::new(std::io::stdout()), refusal, signals, leave) {
        ServerEnd::Orderly => exit::OK,
        ServerEnd::Abrupt => exit::DIFFERENT,
        ServerEnd::Signal(signal) => exit::of_signal(signal),
    })
}
