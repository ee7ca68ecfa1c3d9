//! The default, for people: a line for each stage of the run, the invariants, the figures in words, the answer.

use std::sync::Arc;

use cubicle_lang::model::System;
use cubicle_report::{self as report, Style, TraceStates};
use cubicle_run::observer::Event;

use super::printer::{Finished, Printer};
use crate::cli::ending::Ending;
use crate::cli::output::complain;

/// Writes for people.
pub struct Plain {
    /// Whether nodes, candidates and restarts are shown as well.
    pub nodes: bool,
    /// Colours.
    pub style: Style,
    /// Which states of a trace are wanted.
    pub states: Option<TraceStates>,
    /// Owns standard output.
    pub ending: Arc<Ending>,
}

impl Plain {
    /// What `--verbose` adds.
    fn detail(&self, event: &Event<'_>) {
        let style = self.style;
        let text = match *event {
            Event::Node { number, history, cube, queued, postponed } => {
                report::node(number, history, Some(cube), queued, postponed, style)
            }
            Event::Approximated { number, cube } => report::approximation(number, cube, style),
            Event::Restart(number) => report::restart(number, style),
            Event::BadCandidate { number, cube } => return complain(&report::bad_candidate(number, cube)),
            Event::Suspect(history) => return complain(&format!("Unsafe trace: {history}")),
            Event::Spurious(history) => {
                return complain(&format!("Spurious trace (no instance executes it): {history}"));
            }
            _ => return,
        };
        self.ending.output.write(&text);
    }
}

impl Printer for Plain {
    fn event(&mut self, system: &System, event: &Event<'_>) {
        match *event {
            Event::ForwardEnd(exploration) => {
                self.ending.output.write(&report::explored(system, exploration, self.style));
            }
            Event::Runs(seen) => self.ending.output.write(&report::runs(seen, self.style)),
            Event::StageEnd(stage) => self.ending.output.write(&report::searched(stage, self.style)),
            _ if self.nodes => self.detail(event),
            _ => {}
        }
    }

    fn wants_nodes(&self) -> bool {
        self.nodes
    }

    fn conclude(&mut self, run: &Finished<'_>) {
        let Finished { system, source, options, report } = *run;
        let text =
            report::plain_conclusion(system, source, options, report, self.states, self.nodes, self.style);
        self.ending.output.write(&text);
    }
}
