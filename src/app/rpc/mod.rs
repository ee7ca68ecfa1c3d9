//! A server that speaks JSON-RPC on its standard input and output: the loop that the language server and the server of tools share.

mod transport;

use std::io::BufRead;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;
use signal_hook::iterator::Signals;

use self::transport::Incoming;
pub use self::transport::{Framing, Outgoing, RequestError};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ServerEnd {
    /// As the protocol asks for.
    Orderly,
    /// The other side went away, or left before it should.
    Abrupt,
    Signal(i32),
}

/// How long the server may take to end in good order after a signal.
const GRACE: Duration = Duration::from_millis(500);

/// What a server does with messages.
pub trait Server {
    /// The answer to a request; `None` when it comes later.
    fn request(&mut self, method: &str, params: &Value, id: &Value) -> Option<Result<Value, RequestError>>;

    /// Takes a message that has no answer.
    fn notification(&mut self, method: &str, params: &Value);

    /// No message waits.
    fn idle(&mut self) {}

    /// Whether the message asks the server to end.
    fn is_last(&self, message: &Value) -> bool;

    /// How it ends when the other side leaves now.
    fn end(&mut self) -> ServerEnd;
}

/// Serves until the other side ends it, or one of the signals does. `stop` ends all work in progress for a signal, from any thread: none goes on
/// after a signal. `leave` ends the process when the server itself is too busy to do so.
pub fn serve(
    input: impl BufRead + Send + 'static,
    output: &Outgoing,
    server: &mut impl Server,
    stop: impl Fn(i32) + Send + 'static,
    mut signals: Signals,
    leave: fn(i32),
) -> ServerEnd {
    let (framing, (sender, receiver)) = (output.framing(), mpsc::channel());
    let told = sender.clone();
    let listener = thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in signals.forever() {
            stop(signal);
            let _ = told.send(Incoming::Signal(signal));
            thread::sleep(GRACE);
            stop(signal);
            leave(signal);
        }
    });
    // Reads ahead, so that of many edits in a row only the last one is analysed.
    let reader = thread::Builder::new().name("reader".into()).spawn(move || {
        let mut input = input;
        loop {
            let incoming = transport::read(&mut input, framing).unwrap_or(Incoming::End);
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
            guarded(|| server.idle());
            let Ok(incoming) = receiver.recv() else { return ServerEnd::Abrupt };
            incoming
        };
        match incoming {
            Incoming::Signal(signal) => return ServerEnd::Signal(signal),
            Incoming::End => return server.end(),
            Incoming::Broken(why) => {
                output.respond(&Value::Null, Err(RequestError::new(RequestError::PARSE, why)));
            }
            Incoming::Message(message) if server.is_last(&message) => return server.end(),
            Incoming::Message(message) => {
                let id = message.get("id").cloned();
                if guarded(|| take(server, output, &message)).is_none()
                    && let Some(id) = id
                {
                    output.respond(&id, Err(RequestError::bug()));
                }
            }
        }
    }
}

/// Runs `work`; `None` when it panics, which was reported on standard error.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// Takes a message without a batch.
fn take(server: &mut impl Server, output: &Outgoing, message: &Value) {
    let (method, params) = (message["method"].as_str().unwrap_or_default(), &message["params"]);
    let is_answer = message.get("result").is_some() || message.get("error").is_some();
    match message.get("id") {
        Some(_) if method.is_empty() && is_answer => {}
        Some(id) if id.is_string() || id.is_number() => {
            if let Some(result) = server.request(method, params, id) {
                output.respond(id, result);
            }
        }
        None if !method.is_empty() => server.notification(method, params),
        _ => {
            let why = "neither a request nor a notification";
            output.respond(&Value::Null, Err(RequestError::new(RequestError::INVALID_REQUEST, why)));
        }
    }
}
