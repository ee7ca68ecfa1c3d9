//! Listens to a run: reports warnings, records the progress, and passes all events on to the format.

use std::sync::Arc;

use cubicle_lang::model::System;
use cubicle_run::observer::{Event, GraphDetail, Observer};

use super::ending::Ending;
use super::printers::Printer;

/// The observer of the command line.
pub struct Listener {
    /// How many warnings there were.
    pub warnings: usize,
    /// The format of standard output.
    pub printer: Box<dyn Printer>,
    /// Gets the progress of the run.
    pub ending: Arc<Ending>,
}

impl Observer for Listener {
    fn event(&mut self, system: &System, event: Event<'_>) {
        self.ending.snapshot().note(&event);
        self.ending.pictures.note(&event);
        self.ending.progress().note(&event);
        match event {
            Event::Warning(text) => {
                self.warnings += 1;
                self.ending.messages.warning(text);
            }
            Event::Note(text) => self.ending.messages.note(text),
            _ => {}
        }
        self.printer.event(system, &event);
    }

    fn wants_nodes(&self) -> bool {
        self.printer.wants_nodes()
    }

    fn graph_detail(&self) -> GraphDetail {
        self.ending.pictures.graph_detail()
    }
}
