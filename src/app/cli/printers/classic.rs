//! `--classic-output`: every node, candidate and restart as it comes, ruled blocks around them, as the original
//! program writes.

use std::sync::Arc;

use cubicle_lang::model::System;
use cubicle_report::{self as report, Style, TraceStates};
use cubicle_run::observer::Event;

use super::printer::{Finished, Printer};
use crate::cli::ending::Ending;
use crate::cli::output::complain;

/// Writes as the original program does.
pub struct Classic {
    /// Whether nodes are shown with their cubes.
    pub cubes: bool,
    /// Colours.
    pub style: Style,
    /// Which states of a trace are wanted.
    pub states: Option<TraceStates>,
    /// Owns standard output.
    pub ending: Arc<Ending>,
}

impl Printer for Classic {
    fn event(&mut self, system: &System, event: &Event<'_>) {
        let style = self.style;
        let text = match *event {
            Event::Node { number, history, cube, queued, postponed } => {
                let cube = self.cubes.then_some(cube);
                report::node(number, history, cube, queued, postponed, style)
            }
            Event::Approximated { number, cube } => report::approximation(number, cube, style),
            Event::Restart(number) => report::restart(number, style),
            Event::Stage { number, proof, order, effort } => {
                report::stage(number, proof, order, effort, style)
            }
            Event::Runs(seen) => report::runs(seen, style),
            Event::ForwardEnd(exploration) => report::exploration(system, exploration, style),
            Event::BadCandidate { number, cube } => return complain(&report::bad_candidate(number, cube)),
            Event::Suspect(history) => return complain(&format!("Unsafe trace: {history}")),
            Event::Spurious(history) => {
                return complain(&format!("Spurious trace (no instance executes it): {history}"));
            }
            // Events that the library may add later are not shown in this format.
            _ => return,
        };
        self.ending.output.write(&text);
    }

    fn wants_nodes(&self) -> bool {
        true
    }

    fn conclude(&mut self, run: &Finished<'_>) {
        let Finished { system, source, options, report } = *run;
        let text = report::conclusion(system, source, options, report, self.states, self.style);
        self.ending.output.write(&text);
    }
}
