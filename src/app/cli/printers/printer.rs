//! The interface of a format of standard output.

use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_run::observer::Event;
use cubicle_run::options::Options;
use cubicle_run::result::Report;

/// A format of standard output. It does not handle warnings: they are reported in every format.
pub trait Printer {
    /// An event of the run.
    fn event(&mut self, system: &System, event: &Event<'_>);

    /// Whether it writes nodes, so that engines have to put them into words.
    fn wants_nodes(&self) -> bool {
        false
    }

    /// The run has ended: all that is still to be written, the answer last.
    fn conclude(&mut self, run: &Finished<'_>);
}

/// A run that has ended.
#[derive(Clone, Copy)]
pub struct Finished<'a> {
    /// The model.
    pub system: &'a System,
    /// Its text.
    pub source: &'a Source<'a>,
    /// What was asked for.
    pub options: &'a Options,
    /// Its report.
    pub report: &'a Report,
}
