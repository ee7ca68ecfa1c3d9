//! The events that engines report while they run.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::figures::{ExplorationFigures, SearchKind, StageFigures};
use crate::options::{BackwardMode, SearchOrder};
use crate::result::{Exploration, GraphStep, RunsSeen, Stage};
use cubicle_lang::model::System;

/// An event of a run: a line of `--format ndjson`.
#[derive(Clone, Debug, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Event {
    /// One of the searches of `--engine auto` begins.
    #[serde(rename = "stage_start")]
    Stage {
        /// From 1.
        number: usize,
        /// Which search.
        #[serde(flatten, serialize_with = "as_kind")]
        #[schemars(with = "SearchKind")]
        proof: BackwardMode,
        /// The order in which it takes nodes, as a value of `--search`.
        #[schemars(with = "String")]
        order: SearchOrder,
        /// Its limit on effort.
        effort: u64,
    },
    /// That search ended.
    StageEnd(
        #[serde(serialize_with = "as_stage")]
        #[schemars(with = "StageFigures")]
        Stage,
    ),
    /// The exploration of an instance begins.
    #[serde(rename = "exploration_start")]
    ForwardStart {
        /// How the next state is chosen.
        strategy: &'static str,
        /// Processes of the instance.
        #[serde(rename = "processes")]
        procs: usize,
    },
    /// How far the exploration has come. When this is reported depends on the clock: such lines differ between two runs.
    #[serde(rename = "exploration_progress")]
    ForwardProgress {
        /// States stored.
        states: usize,
        /// States that wait to be expanded; for walks, those from which walks begin.
        #[serde(rename = "waiting")]
        queued: usize,
        /// Largest depth so far, where that is known as it goes.
        depth: Option<usize>,
    },
    /// The exploration ended, for now: an oracle may grow later.
    #[serde(rename = "exploration_end")]
    ForwardEnd(
        #[serde(serialize_with = "as_exploration")]
        #[schemars(with = "ExplorationFigures")]
        Box<Exploration>,
    ),
    /// All runs of an instance were examined, or some.
    Runs(RunsSeen),
    /// A node was expanded.
    Node {
        /// Number in this run, from 1.
        number: usize,
        /// The path from the node to its bad state.
        history: String,
        /// Literals of its cube.
        cube: Vec<String>,
        /// Nodes that wait to be expanded.
        queued: usize,
        /// Nodes that were postponed.
        postponed: usize,
    },
    /// The work that is left besides the previous node.
    Frontier {
        /// Nodes that wait, including those postponed.
        waiting: usize,
        /// Transitions from that node to the bad state or candidate that it leads to.
        depth: usize,
    },
    /// Work begins that may take long and reports nothing until the next event.
    Work {
        /// The current activity.
        what: &'static str,
    },
    /// A candidate took the place of the node.
    #[serde(rename = "approximation")]
    Approximated {
        /// Its number, which is negative.
        #[serde(rename = "candidate")]
        number: i32,
        /// Its literals.
        cube: Vec<String>,
    },
    /// A candidate was given up: it is reachable, or could not be proved.
    BadCandidate {
        /// Its number.
        #[serde(rename = "candidate")]
        number: i32,
        /// Its literals.
        cube: Vec<String>,
    },
    /// The backward search starts again without bad candidates.
    Restart {
        /// From 1.
        number: usize,
    },
    /// A path from a bad cube to the initial states was found, but not replayed yet.
    Suspect {
        /// The path.
        history: String,
    },
    /// No instance executes that path.
    Spurious {
        /// The path.
        history: String,
    },
    /// Something the user should know.
    Warning {
        /// In one line.
        text: String,
    },
    /// Something the user may like to know.
    Note {
        /// In one line.
        text: String,
    },
    /// This many nodes were expanded in this run: reported instead of [`Event::Node`] where that is not wanted.
    #[serde(skip)]
    NodeCount(usize),
    /// A proof was found, and its check begins; or the check has ended, whatever the result.
    #[serde(skip)]
    Check {
        /// Whether it has ended.
        ended: bool,
    },
    /// A step of a backward search, for drawing its graph.
    #[serde(skip)]
    Graph(GraphStep),
}

fn as_kind<S: Serializer>(proof: &BackwardMode, to: S) -> Result<S::Ok, S::Error> {
    SearchKind::from(*proof).serialize(to)
}

fn as_stage<S: Serializer>(stage: &Stage, to: S) -> Result<S::Ok, S::Error> {
    StageFigures::from(stage).serialize(to)
}

fn as_exploration<S: Serializer>(exploration: &Exploration, to: S) -> Result<S::Ok, S::Error> {
    ExplorationFigures::from(exploration).serialize(to)
}

/// Receives events. Engines never print.
pub trait Observer {
    /// Called in order, from one thread at a time: a run works on a thread of its own.
    fn event(&mut self, system: &System, event: Event);

    /// Whether node events are wanted; when false, engines need not render them.
    fn wants_nodes(&self) -> bool {
        false
    }

    /// How much of [`Event::Graph`] is wanted now.
    fn graph_detail(&self) -> GraphDetail {
        GraphDetail::Nothing
    }
}

/// How much of the graph of a search the observer wants: the rest need not be rendered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GraphDetail {
    /// No events of the graph.
    Nothing,
    /// Which cubes there are and what becomes of them, none as text.
    Shape,
    /// Cubes that were visited, or are still to be, as text.
    Visited,
    /// All cubes as text.
    All,
}

/// Ignores everything.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _system: &System, _event: Event) {}
}
