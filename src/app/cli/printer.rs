//! The observer of a run: it records how far the run is, reports warnings, and writes standard output in one of four formats.

use std::io::stdout;
use std::sync::Arc;

use cubicle_lang::diagnostic::Source;
use cubicle_lang::model::System;
use cubicle_report::document::event_line;
use cubicle_report::{self as report, Style, TraceStates};
use cubicle_run::{BackwardMode, Event, GraphDetail, Observer, Options, Report};

use super::args::Args;
use super::choices::ResultFormat;
use super::ending::Ending;
use super::output::complain;
use super::{costs, settings};

/// A format of standard output.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// The default, for people: a line for each stage, the invariants, the figures in words, the answer.
    Plain,
    /// As the original program writes: every node, candidate and restart as it comes, ruled blocks around them.
    Classic,
    /// Only the answer, after the states of its trace when they are asked for.
    Answer,
    /// Events for programs, or nothing: the document, which [`Ending`] writes however the run ends, comes last.
    Document {
        /// Whether events are written, a line each.
        events: bool,
    },
}

/// The observer of the command line.
pub struct Printer {
    layout: Layout,
    verbose: bool,
    style: Style,
    states: Option<TraceStates>,
    /// Owns standard output, and gets the progress of the run.
    ending: Arc<Ending>,
    /// A single search, until it has ended: it has no event for that.
    search: Option<String>,
    /// How many warnings there were.
    pub warnings: usize,
}

impl Printer {
    /// For the run that `args` ask for.
    pub fn new(args: &Args, ending: &Arc<Ending>) -> Self {
        let layout = match args {
            _ if ending.results != ResultFormat::Human => {
                Layout::Document { events: ending.results == ResultFormat::Ndjson }
            }
            Args { quiet: true, .. } => Layout::Answer,
            Args { classic_output: true, .. } => Layout::Classic,
            _ => Layout::Plain,
        };
        let (style, states) = (settings::style(args, &stdout()), args.trace_states);
        let search = match settings::proof(args) {
            BackwardMode::Auto => None,
            proof => Some(costs::search(proof)).filter(|_| !args.only_forward),
        };
        let ending = Arc::clone(ending);
        Self { layout, verbose: args.verbose, style, states, ending, search, warnings: 0 }
    }

    /// The run has ended: so has its last stage.
    pub fn end(&mut self) {
        self.ending.costs().end(self.search.take().unwrap_or_else(|| "conclude".to_owned()));
    }

    /// What the stages of the run cost that ended with this event.
    fn note_costs(&mut self, system: &System, event: &Event) {
        let mut costs = self.ending.costs();
        match event {
            Event::Check { ended: true } => costs.end("check".to_owned()),
            Event::Check { ended: false } => match self.search.take() {
                Some(search) => costs.end(search),
                None if system.temporal.is_empty() => {}
                None => costs.end("runs".to_owned()),
            },
            event => costs.note(event),
        }
    }

    /// The event as text for people.
    fn text(&self, system: &System, event: &Event) -> Option<String> {
        let (style, classic) = (self.style, self.layout == Layout::Classic);
        Some(match *event {
            Event::Runs(seen) => report::runs(seen, style),
            Event::ForwardEnd(ref exploration) if classic => report::exploration(system, exploration, style),
            Event::ForwardEnd(ref exploration) => report::explored(system, exploration, style),
            Event::Stage { number, proof, order, effort } if classic => {
                report::stage(number, proof, order, effort, style)
            }
            Event::StageEnd(ref stage) if !classic => report::searched(stage, style),
            _ if !classic && !self.verbose => return None,
            Event::Node { number, ref history, ref cube, queued, postponed } => {
                report::node(number, history, self.verbose.then_some(cube), queued, postponed, style)
            }
            Event::Approximated { number, ref cube } => report::approximation(number, cube, style),
            Event::Restart { number } => report::restart(number, style),
            Event::BadCandidate { number, ref cube } => {
                complain(&report::bad_candidate(number, cube));
                return None;
            }
            Event::Suspect { ref history } => {
                complain(&format!("Unsafe trace: {history}"));
                return None;
            }
            Event::Spurious { ref history } => {
                complain(&format!("Spurious trace (no instance executes it): {history}"));
                return None;
            }
            // The library may add others.
            _ => return None,
        })
    }

    /// Writes what is still to be written of a run that has ended, the answer last.
    pub fn conclude(&self, system: &System, source: &Source<'_>, options: &Options, report: &Report) {
        let Self { states: trace_states, style, verbose, .. } = *self;
        let run = report::EndedRun { system, source, report, trace_states, style };
        self.ending.answer(&match self.layout {
            Layout::Plain => report::plain_conclusion(run, options, verbose),
            Layout::Classic => report::conclusion(run, options),
            Layout::Answer => report::answer(run),
            Layout::Document { .. } => return,
        });
    }
}

impl Observer for Printer {
    fn event(&mut self, system: &System, event: Event) {
        self.ending.pictures.note(&event);
        self.ending.progress().note(&event);
        self.note_costs(system, &event);
        match &event {
            Event::Warning { text } => {
                self.warnings += 1;
                self.ending.messages.warning(text);
            }
            Event::Note { text } => self.ending.messages.note(text),
            _ => {}
        }
        let text = match self.layout {
            Layout::Plain | Layout::Classic => self.text(system, &event),
            Layout::Document { events: true } => event_line(&event),
            Layout::Answer | Layout::Document { events: false } => None,
        };
        if let Some(text) = text {
            self.ending.output.write(&text);
        }
    }

    fn wants_nodes(&self) -> bool {
        match self.layout {
            Layout::Plain => self.verbose,
            Layout::Classic | Layout::Document { events: true } => true,
            Layout::Answer | Layout::Document { events: false } => false,
        }
    }

    fn graph_detail(&self) -> GraphDetail {
        self.ending.pictures.graph_detail()
    }
}
