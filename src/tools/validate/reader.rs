//! Reads the events of a log, one after the other.

use std::io::BufRead;

use cubicle_run::Interrupt;

use super::event::{Event, Names};
use super::vocabulary::Vocabulary;
use crate::json::{self, Json};
use crate::lines::{self, Line};

/// The longest line that is read, in bytes.
const MOST_BYTES: usize = 1 << 20;

/// The longest trace in ITF that is read, in bytes: it is one JSON document.
const MOST_ITF: u64 = 64 << 20;

/// Signals and time limits are looked for once in this many lines.
const POLL_EVERY: u64 = 64;

/// Why there is no next event.
pub(super) enum NoEvent {
    End,
    /// A line, or the log as a whole, says nothing that can be understood.
    Wrong(Option<u64>, String),
    /// A signal, or a limit.
    Interrupted,
}

pub(super) struct Reader<'r> {
    source: Box<dyn BufRead + 'r>,
    words: &'r Vocabulary<'r>,
    interrupt: &'r Interrupt,
    lenient: bool,
    buffer: Vec<u8>,
    pub line: u64,
    /// Lines that could not be understood, and what is wrong with the first.
    pub skipped: u64,
    pub first_skipped: Option<String>,
    pub most_lines: u64,
}

impl<'r> Reader<'r> {
    pub fn new(
        source: Box<dyn BufRead + 'r>,
        words: &'r Vocabulary<'r>,
        interrupt: &'r Interrupt,
        lenient: bool,
    ) -> Self {
        let (line, skipped, first_skipped, most_lines) = (0, 0, None, u64::MAX);
        Self {
            source,
            words,
            interrupt,
            lenient,
            buffer: Vec::new(),
            line,
            skipped,
            first_skipped,
            most_lines,
        }
    }

    pub fn next(&mut self, names: &mut Names) -> Result<Event, NoEvent> {
        while self.line < self.most_lines {
            if self.line.is_multiple_of(POLL_EVERY) && self.interrupt.reason().is_some() {
                return Err(NoEvent::Interrupted);
            }
            let line = lines::next(&mut *self.source, &mut self.buffer, MOST_BYTES);
            let line = match line {
                Ok(Line::End) => return Err(NoEvent::End),
                Ok(line) => line,
                Err(_) if self.interrupt.reason().is_some() => return Err(NoEvent::Interrupted),
                Err(error) => return Err(NoEvent::Wrong(None, format!("cannot be read: {error}"))),
            };
            self.line += 1;
            let known = names.len();
            match self.event(line, names) {
                Ok(Some(event)) => return Ok(event),
                Ok(None) => {}
                Err(why) => {
                    names.truncate(known);
                    self.wrong(why)?;
                }
            }
        }
        Err(NoEvent::End)
    }

    /// Ends at a line that cannot be understood, or skips it.
    pub fn wrong(&mut self, why: String) -> Result<(), NoEvent> {
        if !self.lenient {
            return Err(NoEvent::Wrong(Some(self.line), why));
        }
        self.skipped += 1;
        self.first_skipped.get_or_insert_with(|| format!("line {}: {why}", self.line));
        Ok(())
    }

    /// The last line as text, for messages.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.buffer).trim().to_owned()
    }

    fn event(&self, line: Line, names: &mut Names) -> Result<Option<Event>, String> {
        if line == Line::TooLong {
            return Err(format!("it has more than {} KiB", MOST_BYTES >> 10));
        }
        let text = std::str::from_utf8(&self.buffer)
            .map_err(|error| format!("it is not text in UTF-8, from byte {} on", error.valid_up_to() + 1))?;
        let text = if self.line == 1 { text.trim_start_matches('\u{feff}') } else { text };
        if text.trim_ascii().is_empty() {
            return Ok(None);
        }
        let event = self.words.event(text, self.line, names);
        let event = event.map_err(|why| match line {
            Line::Unfinished => format!("{why}; the log ends in the middle of this line"),
            _ => why,
        })?;
        match event {
            Some(event) if self.words.unordered && event.owner.is_none() => {
                Err("it does not say whose event it is, and the map says that events have no common order"
                    .to_owned())
            }
            event => Ok(event),
        }
    }
}

/// A trace in ITF as a log: its number of processes, and its events.
pub(super) fn itf(
    source: Box<dyn BufRead + '_>,
    words: &Vocabulary<'_>,
    names: &mut Names,
) -> Result<(Option<usize>, Vec<Event>), String> {
    use std::io::Read;
    let mut text = String::new();
    source
        .take(MOST_ITF + 1)
        .read_to_string(&mut text)
        .map_err(|error| format!("cannot be read: {error}"))?;
    if text.len() as u64 > MOST_ITF {
        return Err(format!("it has more than {} MiB", MOST_ITF >> 20));
    }
    let file = json::parse(&text).map_err(|error| format!("it is not JSON: {error}"))?;
    let procs = match file.get("#meta").and_then(|meta| meta.get("processes")) {
        Some(Json::Whole(n)) => usize::try_from(*n).ok(),
        _ => None,
    };
    let Some(Json::List(states)) = file.get("states") else {
        return Err("it has no states".to_owned());
    };
    let mut events = Vec::new();
    for (number, state) in states.iter().enumerate() {
        let Json::Object(entries) = state else { return Err(format!("state {number} is not an object")) };
        let event =
            words.of_itf(number as u64, entries, names).map_err(|why| format!("state {number}: {why}"))?;
        events.push(event);
    }
    Ok((procs, events))
}
