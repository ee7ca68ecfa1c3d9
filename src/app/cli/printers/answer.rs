//! `--quiet`: only the answer, after the states of its trace when they are asked for.

use std::sync::Arc;

use cubicle_lang::model::System;
use cubicle_report::{self as report, Style, TraceStates};
use cubicle_run::observer::Event;

use super::printer::{Finished, Printer};
use crate::cli::ending::Ending;

/// Writes the answer.
pub struct AnswerPrinter {
    /// Colours.
    pub style: Style,
    /// Which states of a trace are wanted.
    pub states: Option<TraceStates>,
    /// Owns standard output.
    pub ending: Arc<Ending>,
}

impl Printer for AnswerPrinter {
    fn event(&mut self, _system: &System, _event: &Event<'_>) {}

    fn conclude(&mut self, run: &Finished<'_>) {
        let Finished { system, source, report, .. } = *run;
        self.ending.output.write(&report::answer(system, source, report, self.states, self.style));
    }
}
