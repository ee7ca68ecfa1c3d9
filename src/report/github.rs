//! Messages as workflow commands of GitHub: annotations at lines of the model.

use super::document::{Document, Level, Message, PropertyKind, PropertyVerdict, TraceKind, TraceRecord};
use cubicle_run::words::count;

/// One command, without line end: `::error file=m.cub,line=3,col=5,..::text`.
pub fn github(message: &Message, file: &str) -> String {
    let command = match message.level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Note | Level::Help => "notice",
    };
    let mut properties = Vec::new();
    if let Some(place) = message.place {
        properties.push(format!("file={}", property(file)));
        properties.push(format!("line={}", place.line));
        // Columns mean something within one line only.
        if place.end_line == place.line {
            properties.push(format!("col={}", place.column));
            properties.push(format!("endColumn={}", place.end_column));
        } else {
            properties.push(format!("endLine={}", place.end_line));
        }
    }
    if let Some(code) = &message.code {
        properties.push(format!("title={}", property(code)));
    }
    let blank = if properties.is_empty() { "" } else { " " };
    let mut text = message.text.clone();
    if !message.label.is_empty() {
        text += &format!(": {}", message.label);
    }
    if let Some(help) = &message.help {
        text += &format!("\nhelp: {help}");
    }
    format!("::{command}{blank}{}::{}", properties.join(","), data(&text))
}

/// Text behind the second `::`.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Code of an unsafe state. Findings of runs have their own codes, which are not about the text of the model.
pub const UNSAFE: &str = "unsafe";
/// An `invariant` that a run refutes.
pub const INVARIANT: &str = "invariant";
/// A property of runs that a run breaks.
pub const RUNS: &str = "runs";
pub const DEADLOCK: &str = "deadlock";

/// A message for each violated property, at its declaration, and one for the first deadlock.
pub fn findings(document: &Document) -> Vec<Message> {
    let run = |trace: &TraceRecord| format!("with {}: {}", count(trace.processes, "process"), trace.history);
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
        let text = trace.map_or(what.to_owned(), |trace| format!("{what} {}", run(trace)));
        found.push(Message {
            code: Some(code.to_owned()),
            place: Some(property.place),
            ..Message::new(Level::Error, text)
        });
    }
    if let Some(trace) = document.traces.iter().find(|trace| trace.kind == TraceKind::Deadlock) {
        let text = format!("deadlock {}", run(trace));
        found.push(Message { code: Some(DEADLOCK.to_owned()), ..Message::new(Level::Error, text) });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Lines;
    use cubicle_lang::diagnostic::{Diagnostic, Span};

    #[test]
    fn ends_of_commands_and_properties_are_escaped() {
        let source = Lines::new("var X : 50%\nvar Y");
        let wrong = Diagnostic::error("C0101", Span::new(8, 11), "50% of\r\nit: a::b")
            .label("here, and there")
            .help("mend it");
        assert_eq!(
            github(&Message::of(&wrong, &source), "odd, dir:x/50%.cub"),
            "::error file=odd%2C dir%3Ax/50%25.cub,line=1,col=9,endColumn=12,title=C0101::\
             50%25 of%0D%0Ait: a::b: here, and there%0Ahelp: mend it"
        );
        assert_eq!(github(&Message::new(Level::Note, "so"), "m.cub"), "::notice::so");
        let long = Diagnostic::warning("C0914", Span::new(0, 17), "two lines");
        assert_eq!(
            github(&Message::of(&long, &source), "m.cub"),
            "::warning file=m.cub,line=1,endLine=2,title=C0914::two lines"
        );
    }
}
