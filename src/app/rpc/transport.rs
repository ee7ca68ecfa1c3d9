//! Messages on the wire: JSON after a header with its length, or in a line of its own. A broken message is distinguished from the
//! end of input, so that the server survives it.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex};

use cubicle_run::workers::locked;
use cubicle_tools::lines::{self, Line};
use serde_json::{Value, json};

/// A message that is longer, in bytes, is skipped: JSON may take six bytes for one of a model.
const MAX_BYTES: u64 = 128 << 20;

/// A header line that is longer, in bytes, is invalid.
const MAX_HEADER: u64 = 4096;

/// How messages are separated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Framing {
    /// Each after a header, `Content-Length: 52`, and a blank line.
    Headers,
    Lines,
}

/// What comes from the other side.
#[derive(Debug, PartialEq)]
pub enum Incoming {
    Message(Value),
    Broken(String),
    /// The other side is gone.
    End,
    /// A signal asks the server to end.
    Signal(i32),
}

/// Reads the next message.
pub fn read(input: &mut impl BufRead, framing: Framing) -> io::Result<Incoming> {
    match framing {
        Framing::Headers => after_header(input),
        Framing::Lines => line(input),
    }
}

fn line(input: &mut impl BufRead) -> io::Result<Incoming> {
    let mut line = Vec::new();
    loop {
        match lines::next(input, &mut line, MAX_BYTES as usize)? {
            Line::End => return Ok(Incoming::End),
            Line::TooLong => return Ok(too_long()),
            Line::Whole | Line::Unfinished if line.trim_ascii().is_empty() => {}
            Line::Whole | Line::Unfinished => return Ok(parsed(&line)),
        }
    }
}

fn too_long() -> Incoming {
    Incoming::Broken(format!("a message has at most {MAX_BYTES} bytes"))
}

fn parsed(bytes: &[u8]) -> Incoming {
    match serde_json::from_slice(bytes) {
        Ok(message) => Incoming::Message(message),
        Err(error) => Incoming::Broken(error.to_string()),
    }
}

fn after_header(input: &mut impl BufRead) -> io::Result<Incoming> {
    let mut length: Option<u64> = None;
    let mut broken: Option<String> = None;
    loop {
        let mut line = Vec::new();
        if input.take(MAX_HEADER).read_until(b'\n', &mut line)? == 0 {
            return Ok(broken.map_or(Incoming::End, Incoming::Broken));
        }
        let line = line.trim_ascii();
        if line.is_empty() {
            match length {
                Some(_) => break,
                // Blank lines between messages, or after a broken header.
                None if broken.is_some() => return Ok(Incoming::Broken(broken.unwrap_or_default())),
                None => continue,
            }
        }
        let line = String::from_utf8_lossy(line);
        match line.split_once(':') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("content-length") => {
                match value.trim().parse() {
                    Ok(number) => length = Some(number),
                    Err(_) => broken = Some(format!("`{}` is not a length", value.trim())),
                }
            }
            Some((name, _)) if name.trim().eq_ignore_ascii_case("content-type") => {}
            _ => broken = Some("an invalid header line".to_owned()),
        }
    }
    let length = length.unwrap_or_default();
    if length > MAX_BYTES {
        io::copy(&mut input.take(length), &mut io::sink())?;
        return Ok(too_long());
    }
    let mut bytes = Vec::new();
    if (input.take(length).read_to_end(&mut bytes)? as u64) < length {
        return Ok(Incoming::End);
    }
    Ok(parsed(&bytes))
}

/// The way to the other side, for all threads.
#[derive(Clone)]
pub struct Outgoing(Arc<Mutex<Box<dyn Write + Send>>>, Framing);

impl Outgoing {
    pub fn new(output: Box<dyn Write + Send>, framing: Framing) -> Self {
        Self(Arc::new(Mutex::new(output)), framing)
    }

    /// How messages are separated, in both directions.
    pub const fn framing(&self) -> Framing {
        self.1
    }

    /// Sends a message. When the other side does not read any more, its end of input follows: the error is dropped.
    pub fn send(&self, message: &Value) {
        let text = message.to_string();
        let mut output = locked(&self.0);
        let written = match self.1 {
            Framing::Headers => write!(output, "Content-Length: {}\r\n\r\n{text}", text.len()),
            Framing::Lines => writeln!(output, "{text}"),
        };
        let _ = written.and_then(|()| output.flush());
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    pub fn respond(&self, id: &Value, result: Result<Value, RequestError>) {
        self.send(&match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err(RequestError { code, message, data }) => {
                let mut error = json!({ "code": code, "message": message });
                if let Some(data) = data {
                    error["data"] = data;
                }
                json!({ "jsonrpc": "2.0", "id": id, "error": error })
            }
        });
    }
}

/// Why a request has no result: one of the protocol's codes, and words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RequestError {
    pub code: i32,
    pub message: String,
    /// More about it, for programs.
    pub data: Option<Value>,
}

impl RequestError {
    /// The message is not JSON.
    pub const PARSE: i32 = -32700;
    /// A request that is not due.
    pub const INVALID_REQUEST: i32 = -32600;
    pub const METHOD_NOT_FOUND: i32 = -32601;
    /// Its parameters make no sense.
    pub const INVALID_PARAMS: i32 = -32602;
    /// A bug of the server.
    pub const INTERNAL: i32 = -32603;
    /// A request before `initialize`.
    pub const NOT_INITIALIZED: i32 = -32002;
    /// It cannot be done.
    pub const FAILED: i32 = -32803;
    /// The client and the server have different texts.
    pub const MODIFIED: i32 = -32801;
    /// Given up at the client's wish.
    pub const CANCELLED: i32 = -32800;

    /// A failure.
    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: None }
    }

    /// With more about it.
    #[must_use]
    pub fn with(self, data: Value) -> Self {
        Self { data: Some(data), ..self }
    }

    /// The server has a bug.
    pub fn bug() -> Self {
        Self::new(Self::INTERNAL, "internal error: this is a bug of cubicle")
    }

    /// There is no such method.
    pub fn no_method(name: &str) -> Self {
        Self::new(Self::METHOD_NOT_FOUND, format!("there is no method `{name}`"))
    }

    /// Parameters that make no sense.
    pub fn params(what: &str) -> Self {
        Self::new(Self::INVALID_PARAMS, format!("{what} is missing, or not what it should be"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_messages_are_skipped() {
        let mut text: &[u8] = b"Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n{]}\r\n\r\nContent-Length: 1\r\n\
            Content-Type: x\r\n\r\n1nonsense\r\n\r\nContent-Length: x\r\n\r\ncontent-length:2\n\n[]Content-Length: 9\r\n\r\n{";
        let mut next = || read(&mut text, Framing::Headers).expect("memory can be read");
        assert_eq!(next(), Incoming::Message(json!({})));
        assert!(matches!(next(), Incoming::Broken(_)));
        assert_eq!(next(), Incoming::Message(json!(1)));
        assert!(matches!(next(), Incoming::Broken(_)));
        assert!(matches!(next(), Incoming::Broken(_)));
        assert_eq!(next(), Incoming::Message(json!([])));
        assert_eq!(next(), Incoming::End);
        assert_eq!(next(), Incoming::End);
    }

    #[test]
    fn a_message_is_a_line() {
        let long = format!("\n\n{{\"a\":\n{{}}\r\n{}\n[]", "1".repeat(MAX_BYTES as usize + 1));
        let mut text = long.as_bytes();
        let mut next = || read(&mut text, Framing::Lines).expect("memory can be read");
        assert!(matches!(next(), Incoming::Broken(_)));
        assert_eq!(next(), Incoming::Message(json!({})));
        assert!(matches!(next(), Incoming::Broken(why) if why.contains("at most")));
        assert_eq!(next(), Incoming::Message(json!([])));
        assert_eq!(next(), Incoming::End);
    }
}
