//! `cubicle lsp`: the language server on standard input and output.

use std::io::{BufReader, stdin, stdout};

use crate::cli::failure::{Failure, cannot};
use crate::cli::foreign::refusal;
use crate::cli::{exit, watchdog};
use crate::lsp::LanguageServer;
use crate::rpc::{Framing, Outgoing, Server, ServerEnd, serve};

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
    let output = Outgoing::new(Box::new(stdout()), Framing::Headers);
    let mut server = LanguageServer::new(output.clone(), refusal);
    let running = server.running();
    served(&output, &mut server, move |_| running.stop_all(), exit::DIFFERENT)
}

/// Serves on standard input and output until the other side or a signal ends it; the exit code, which is `abrupt` where the other side
/// leaves before it should. `stop` ends all work in progress for a signal.
pub fn served(
    output: &Outgoing,
    server: &mut impl Server,
    stop: impl Fn(i32) + Send + 'static,
    abrupt: u8,
) -> Result<u8, Failure> {
    let signals = watchdog::ending_signals().map_err(cannot("cannot listen to signals"))?;
    let leave = |signal| signal_hook::low_level::exit(exit::of_signal(signal).into());
    Ok(match serve(BufReader::new(stdin()), output, server, stop, signals, leave) {
        ServerEnd::Orderly => exit::OK,
        ServerEnd::Abrupt => abrupt,
        ServerEnd::Signal(signal) => exit::of_signal(signal),
    })
}
