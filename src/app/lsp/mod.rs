//! The language server: the protocol of editors on standard input and output.
//!
//! Everything that it says about a model comes from `load`, `index` and `format`. It runs no engine: to prove, it starts
//! the program again, and only when its user asks for that. It writes no file.

mod actions;
mod completion;
mod diagnostics;
mod document;
mod hover;
mod navigation;
mod outline;
mod positions;
mod prove;
mod server;
mod transport;

pub use prove::ProofRunner;

use std::io::{BufRead, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use signal_hook::iterator::Signals;

use self::server::Server;
use self::transport::{Incoming, Outgoing, RequestError};

/// How a server ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerEnd {
    /// As the protocol asks for: `shutdown`, then `exit`.
    Orderly,
    /// The other side went away, or left without `shutdown`.
    Abrupt,
    /// By a signal.
    Signal(i32),
}

/// How long the server may take to end in good order after a signal.
const GRACE: Duration = Duration::from_millis(500);

/// Serves until the other side ends it, or one of the signals does. No proof goes on after that; `leave` ends the process
/// when the server itself is too busy to do so.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: Box<dyn Write + Send>,
    prover: ProofRunner,
    mut signals: Signals,
    leave: fn(i32),
) -> ServerEnd {
    let output = Outgoing::new(output);
    let mut server = Server::new(output.clone(), prover);
    let (sender, receiver) = mpsc::channel();
    let (running, told) = (server.running(), sender.clone());
    let listener = thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            running.stop_all();
            let _ = told.send(Incoming::Signal(signal));
            thread::sleep(GRACE);
            running.stop_all();
            leave(signal);
        }
    });
    // Reads ahead, so that of many edits in a row only the last one is analysed.
    let reader = thread::Builder::new().name("reader".into()).spawn(move || {
        let mut input = input;
        loop {
            let incoming = transport::read(&mut input).unwrap_or(Incoming::End);
            let last = incoming == Incoming::End;
            if sender.send(incoming).is_err() || last {
                return;
            }
        }
    });
    if reader.is_err() || listener.is_err() {
        return ServerEnd::Abrupt;
    }
    loop {
        let incoming = if let Ok(incoming) = receiver.try_recv() {
            incoming
        } else {
            guarded(|| server.publish());
            let Ok(incoming) = receiver.recv() else { return ServerEnd::Abrupt };
            incoming
        };
        match incoming {
            Incoming::Signal(signal) => return ServerEnd::Signal(signal),
            Incoming::End => return ended(&server),
            Incoming::Broken(why) => {
                output.respond(&Value::Null, Err(RequestError::new(RequestError::PARSE, why)));
            }
            Incoming::Message(message) if message["method"] == "exit" => {
                return ended(&server);
            }
            Incoming::Message(message) => {
                let id = message.get("id").cloned();
                if guarded(|| server.take(message)).is_none()
                    && let Some(id) = id
                {
                    let failure =
                        RequestError::new(RequestError::INTERNAL, "internal error: this is a bug of cubicle");
                    output.respond(&id, Err(failure));
                }
            }
        }
    }
}

/// How it ends when the other side leaves now.
fn ended(server: &Server) -> ServerEnd {
    if server.is_shut_down() { ServerEnd::Orderly } else { ServerEnd::Abrupt }
}

/// Runs `work`; `None` when it panics, which was reported on standard error.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}
