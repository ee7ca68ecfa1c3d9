//! Keeps the events of a search until its turn comes.

use cubicle_lang::model::System;
use cubicle_run::observer::{Event, GraphDetail, Observer};
use cubicle_run::options::{BackwardMode, SearchOrder};
use cubicle_run::result::{Exploration, GraphStep, RunsSeen, Stage};

/// Keeps the events that it receives, but for those that only show progress: they are outdated when they are replayed.
pub struct Recorder {
    wants_nodes: bool,
    graph_detail: GraphDetail,
    kept: Vec<Kept>,
}

/// An event with owned data.
enum Kept {
    Node { number: usize, history: String, cube: Vec<String>, queued: usize, postponed: usize },
    NodeCount(usize),
    Frontier { waiting: usize, depth: usize },
    Approximated { number: i32, cube: Vec<String> },
    BadCandidate { number: i32, cube: Vec<String> },
    Restart(usize),
    Suspect(String),
    Spurious(String),
    Runs(RunsSeen),
    Stage { number: usize, proof: BackwardMode, order: SearchOrder, effort: u64 },
    StageEnd(Stage),
    ForwardStart { strategy: String, procs: usize },
    ForwardEnd(Box<Exploration>),
    Graph(GraphStep),
    Warning(String),
    Note(String),
}

impl Recorder {
    /// A recorder that asks for what `listener` wants.
    pub fn like(listener: &dyn Observer) -> Self {
        Self { wants_nodes: listener.wants_nodes(), graph_detail: listener.graph_detail(), kept: Vec::new() }
    }

    /// Replays all events, in order.
    pub fn tell(&self, system: &System, listener: &mut dyn Observer) {
        for kept in &self.kept {
            listener.event(system, kept.event());
        }
    }
}

impl Kept {
    fn new(event: Event<'_>) -> Option<Self> {
        Some(match event {
            Event::Node { number, history, cube, queued, postponed } => {
                Self::Node { number, history: history.to_owned(), cube: cube.to_vec(), queued, postponed }
            }
            Event::NodeCount(nodes) => Self::NodeCount(nodes),
            Event::Frontier { waiting, depth } => Self::Frontier { waiting, depth },
            Event::Approximated { number, cube } => Self::Approximated { number, cube: cube.to_vec() },
            Event::BadCandidate { number, cube } => Self::BadCandidate { number, cube: cube.to_vec() },
            Event::Restart(nth) => Self::Restart(nth),
            Event::Suspect(text) => Self::Suspect(text.to_owned()),
            Event::Spurious(text) => Self::Spurious(text.to_owned()),
            Event::Runs(seen) => Self::Runs(seen),
            Event::Stage { number, proof, order, effort } => Self::Stage { number, proof, order, effort },
            Event::StageEnd(stage) => Self::StageEnd(stage.clone()),
            Event::ForwardStart { strategy, procs } => {
                Self::ForwardStart { strategy: strategy.to_owned(), procs }
            }
            Event::ForwardEnd(exploration) => Self::ForwardEnd(Box::new(exploration.clone())),
            Event::Graph(step) => Self::Graph(step.clone()),
            Event::Warning(text) => Self::Warning(text.to_owned()),
            Event::Note(text) => Self::Note(text.to_owned()),
            Event::ForwardProgress { .. } | Event::Work(_) | Event::Check { .. } => return None,
        })
    }

    fn event(&self) -> Event<'_> {
        match self {
            Self::Node { number, history, cube, queued, postponed } => {
                Event::Node { number: *number, history, cube, queued: *queued, postponed: *postponed }
            }
            Self::NodeCount(nodes) => Event::NodeCount(*nodes),
            Self::Frontier { waiting, depth } => Event::Frontier { waiting: *waiting, depth: *depth },
            Self::Approximated { number, cube } => Event::Approximated { number: *number, cube },
            Self::BadCandidate { number, cube } => Event::BadCandidate { number: *number, cube },
            Self::Restart(nth) => Event::Restart(*nth),
            Self::Suspect(text) => Event::Suspect(text),
            Self::Spurious(text) => Event::Spurious(text),
            Self::Runs(seen) => Event::Runs(*seen),
            Self::Stage { number, proof, order, effort } => {
                Event::Stage { number: *number, proof: *proof, order: *order, effort: *effort }
            }
            Self::StageEnd(stage) => Event::StageEnd(stage),
            Self::ForwardStart { strategy, procs } => Event::ForwardStart { strategy, procs: *procs },
            Self::ForwardEnd(exploration) => Event::ForwardEnd(exploration),
            Self::Graph(step) => Event::Graph(step),
            Self::Warning(text) => Event::Warning(text),
            Self::Note(text) => Event::Note(text),
        }
    }
}

impl Observer for Recorder {
    fn event(&mut self, _system: &System, event: Event<'_>) {
        self.kept.extend(Kept::new(event));
    }

    fn wants_nodes(&self) -> bool {
        self.wants_nodes
    }

    fn graph_detail(&self) -> GraphDetail {
        self.graph_detail
    }
}
