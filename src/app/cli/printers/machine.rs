//! Formats for programs: the document of the run, which [`Ending`] writes however the run ends; before
//! it, `--format ndjson` has the events.

use std::sync::Arc;

use cubicle_lang::model::System;
use cubicle_report::document::EventLine;
use cubicle_run::observer::Event;

use super::printer::{Finished, Printer};
use crate::cli::ending::Ending;

/// Writes for programs.
pub struct Machine {
    /// Whether events are written, a line each.
    pub events: bool,
    /// Owns standard output.
    pub ending: Arc<Ending>,
}

impl Printer for Machine {
    fn event(&mut self, _system: &System, event: &Event<'_>) {
        if self.events
            && let Some(line) = EventLine::of(event)
        {
            self.ending.output.write(&line.line());
        }
    }

    fn wants_nodes(&self) -> bool {
        self.events
    }

    fn conclude(&mut self, _run: &Finished<'_>) {}
}
