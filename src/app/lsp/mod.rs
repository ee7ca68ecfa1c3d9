//! The language server: the protocol of editors on standard input and output.
//!
//! Everything that it says about a model comes from `load`, `index` and `format`. It runs no engine: to prove, it starts
//! the program again, and only when its user asks for that. It writes no file.

mod actions;
mod claims;
mod completion;
mod document;
mod hover;
mod outline;
mod positions;
mod prove;
mod server;

use std::io::{BufRead, Write};

use signal_hook::iterator::Signals;

use self::prove::Refuse;
use self::server::LanguageServer;
use crate::rpc::{self, Framing, Outgoing, ServerEnd};

/// Serves until the editor ends it, or one of the signals does. No proof goes on after that; `leave` ends the process when the
/// server itself is too busy to do so.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: Box<dyn Write + Send>,
    refuse: Refuse,
    signals: Signals,
    leave: fn(i32),
) -> ServerEnd {
    let output = Outgoing::new(output, Framing::Headers);
    let mut server = LanguageServer::new(output.clone(), refuse);
    let running = server.running();
    rpc::serve(input, Framing::Headers, &output, &mut server, move |_| running.stop_all(), signals, leave)
}
