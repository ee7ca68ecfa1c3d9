//! What a run has found, as messages: for formats in which a violated property is a message like any other.

use super::document::{Document, Level, Message, PropertyKind, PropertyVerdict, TraceKind};
use cubicle_run::words::count;

/// Code of an unsafe state. Findings of runs have their own codes, which are not about the text of the model.
pub const UNSAFE: &str = "unsafe";
/// An `invariant` that a run refutes.
pub const INVARIANT: &str = "invariant";
/// A property of runs that a run breaks.
pub const RUNS: &str = "runs";
pub const DEADLOCK: &str = "deadlock";

/// A message for each violated property, at its declaration, and one for the first deadlock.
pub fn findings(document: &Document) -> Vec<Message> {
    let mut found = Vec::new();
    for property in document.properties.iter().filter(|it| it.verdict == PropertyVerdict::Violated) {
        let (code, what) = match property.kind {
            PropertyKind::Unsafe => (UNSAFE, "an unsafe state is reachable"),
            PropertyKind::Invariant => (INVARIANT, "a state that this `invariant` excludes is reachable"),
            PropertyKind::Response
            | PropertyKind::Recurrence
            | PropertyKind::Possible
            | PropertyKind::Cover
            | PropertyKind::Ltl => (RUNS, "a run breaks this property"),
        };
        let trace = document.traces.iter().find(|trace| trace.place == Some(property.place));
        let text = match trace {
            Some(trace) => format!("{what} with {}: {}", count(trace.processes, "process"), trace.history),
            None => what.to_owned(),
        };
        found.push(Message {
            code: Some(code.to_owned()),
            place: Some(property.place),
            ..Message::new(Level::Error, text)
        });
    }
    if let Some(trace) = document.traces.iter().find(|trace| trace.kind == TraceKind::Deadlock) {
        let text = format!("deadlock with {}: {}", count(trace.processes, "process"), trace.history);
        found.push(Message { code: Some(DEADLOCK.to_owned()), ..Message::new(Level::Error, text) });
    }
    found
}
