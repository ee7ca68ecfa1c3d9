//! The language server: the protocol of editors on standard input and output.
//!
//! Everything that it says of a model comes from `load`, `index` and `format`. It runs no engine: to prove, it starts
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

use serde_json::Value;

use self::server::Server;
use self::transport::{Incoming, Outgoing, RequestError};

/// How a server ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerEnd {
    /// As the protocol asks for: `shutdown`, then `exit`.
    Orderly,
    /// The other side went away, or left without `shutdown`.
    Abrupt,
}

/// Serves until the other side ends it.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: Box<dyn Write + Send>,
    prover: ProofRunner,
) -> ServerEnd {
    let output = Outgoing::new(output);
    let mut server = Server::new(output.clone(), prover);
    let (sender, receiver) = mpsc::channel();
    // Reads ahead, so that of many edits in a row only the last one is looked at.
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
    if reader.is_err() {
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
            Incoming::End => return ServerEnd::Abrupt,
            Incoming::Broken(why) => {
                output.respond(&Value::Null, Err(RequestError::new(RequestError::PARSE, why)));
            }
            Incoming::Message(message) if message["method"] == "exit" => {
                return if server.is_shut_down() { ServerEnd::Orderly } else { ServerEnd::Abrupt };
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

/// Runs `work`; `None` when it panics, which has been told on standard error.
fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}
