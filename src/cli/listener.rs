//! Shows a run while it goes on: node lines on standard output, the rest on standard error.

use std::io::{IsTerminal, Write, stderr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use cubicle::model::System;
use cubicle::observer::{Event, Observer};
use cubicle::report::{self, Style};

use super::ending::Ending;
use super::output::complain;

/// How often the status line changes.
const STATUS_EVERY: Duration = Duration::from_millis(100);

/// The observer of the command line.
pub struct Listener {
    /// Only the answer is wanted, and warnings.
    pub quiet: bool,
    /// How many warnings there were.
    pub warnings: usize,
    /// Cubes are wanted.
    pub verbose: bool,
    /// Style of standard output.
    pub style: Style,
    /// Has standard output, and is told how far the run has come.
    pub ending: Arc<Ending>,
    /// The line that is overwritten as a run goes on.
    pub status: Status,
}

/// A status line on standard error, when that is a terminal.
#[derive(Default)]
pub struct Status {
    enabled: bool,
    shown: Option<Instant>,
}

impl Status {
    /// A status line, if anybody is there to see it.
    pub fn new(quiet: bool) -> Self {
        Self { enabled: !quiet && stderr().is_terminal(), shown: None }
    }

    fn show(&mut self, text: &str) {
        if self.enabled && self.shown.is_none_or(|at| at.elapsed() >= STATUS_EVERY) {
            let _ = write!(stderr().lock(), "\r\x1b[K{text}");
            self.shown = Some(Instant::now());
        }
    }

    /// Removes the line.
    pub fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(stderr().lock(), "\r\x1b[K");
        }
    }
}

impl Listener {
    fn print(&mut self, text: &str) {
        if !self.quiet {
            self.status.clear();
            self.ending.output.write(text);
        }
    }

    fn warn(&mut self, text: &str) {
        self.warnings += 1;
        self.status.clear();
        complain(&format!("warning: {text}"));
    }

    fn remark(&mut self, line: &str) {
        if !self.quiet {
            self.status.clear();
            complain(line);
        }
    }
}

impl Observer for Listener {
    fn event(&mut self, system: &System, event: Event<'_>) {
        self.ending.snapshot().note(&event);
        match event {
            Event::Node { number, history, cube, queued, postponed } => {
                let cube = self.verbose.then_some(cube);
                self.print(&report::node(number, history, cube, (queued, postponed), self.style));
            }
            Event::Approximated { number, cube } => {
                self.print(&report::approximation(number, cube, self.style));
            }
            Event::BadCandidate { number, cube } => self.remark(&report::bad_candidate(number, cube)),
            Event::Restart(number) => self.print(&report::restart(number, self.style)),
            Event::Stage { number, proof, effort } => {
                self.print(&report::stage(number, proof, effort, self.style));
            }
            Event::Suspect(history) => self.remark(&format!("Unsafe trace: {history}")),
            Event::Spurious(history) => {
                self.remark(&format!("Spurious trace (no instance executes it): {history}"));
            }
            Event::ForwardStart { strategy, procs } => {
                self.status.show(&format!("exploring {procs} processes ({strategy})"));
            }
            Event::ForwardProgress { states, queued } => {
                self.status.show(&format!("{states} states, {queued} waiting"));
            }
            Event::ForwardEnd(exploration) => {
                self.print(&report::exploration(system, exploration, self.style));
            }
            Event::Warning(text) => self.warn(text),
            Event::Note(text) => self.remark(&format!("note: {text}")),
            // Events that the library may tell some day are nothing for this listener.
            _ => {}
        }
    }

    fn wants_nodes(&self) -> bool {
        !self.quiet
    }
}
