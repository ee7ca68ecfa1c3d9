//! The events that engines report while they run.

use crate::options::{BackwardMode, SearchOrder};
use crate::result::{Exploration, GraphStep, RunsSeen, Stage};
use cubicle_lang::model::System;

/// Something that happened. Texts are finished lines without line end.
#[derive(Clone, Debug)]
pub enum Event {
    /// A node was expanded: its number in this BRAB run, its history (`t(#1) -> unsafe at line 12`), its
    /// cube (one literal each) and the queue lengths.
    Node {
        /// Number in this run, from 1.
        number: usize,
        /// History from the node to its root.
        history: String,
        /// Literals of the cube.
        cube: Vec<String>,
        /// Nodes waiting.
        queued: usize,
        /// Nodes postponed.
        postponed: usize,
    },
    /// This many nodes were expanded in this BRAB run: reported instead of [`Event::Node`] where that is not wanted.
    NodeCount(usize),
    /// What is left to do besides the node that was reported last. Sent after each node.
    Frontier {
        /// Nodes waiting, those postponed among them.
        waiting: usize,
        /// Transitions from the node to the bad state or candidate that it leads to.
        depth: usize,
    },
    /// The node was replaced by a candidate with this (negative) number.
    Approximated {
        /// Printed as `approx[-5]`.
        number: i32,
        /// Literals of the candidate.
        cube: Vec<String>,
    },
    /// A candidate turned out reachable.
    BadCandidate {
        /// Its number.
        number: i32,
        /// Its literals.
        cube: Vec<String>,
    },
    /// The backward search starts again without the bad candidates.
    Restart(usize),
    /// A path from a bad cube to init was found (not yet replayed).
    Suspect(String),
    /// That path is not executable.
    Spurious(String),
    /// All runs of an instance were explored, or some.
    Runs(RunsSeen),
    /// A search of [`BackwardMode::Auto`] begins.
    Stage {
        /// From 1.
        number: usize,
        /// Which search.
        proof: BackwardMode,
        /// Which nodes it takes first.
        order: SearchOrder,
        /// Its limit; see [`BackwardOptions::max_effort`](crate::options::BackwardOptions::max_effort).
        effort: u64,
    },
    /// That search ended.
    StageEnd(Stage),
    /// A forward exploration begins, with this strategy and number of processes.
    ForwardStart {
        /// `bfs`, `dfs`, `random` or `cfl`.
        strategy: &'static str,
        /// Size of the instance.
        procs: usize,
    },
    /// Progress of a forward exploration.
    ForwardProgress {
        /// States stored so far.
        states: usize,
        /// States waiting; for walks, those from which walks begin.
        queued: usize,
        /// Largest depth so far, where that is known as it goes.
        depth: Option<usize>,
    },
    /// A forward exploration ended.
    ForwardEnd(Box<Exploration>),
    /// A piece of work begins that may take long and reports nothing until the next event: `growing the oracle`.
    Work(&'static str),
    /// A proof was found, and its check begins; or the check has ended, whatever the result.
    Check {
        /// Whether it has ended.
        ended: bool,
    },
    /// A step of a backward search, for drawing its graph.
    Graph(GraphStep),
    /// Something the user should know.
    Warning(String),
    /// Something the user may like to know.
    Note(String),
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
