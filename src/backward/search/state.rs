//! The state of a run, apart from what it reads: a run that is paused goes on with it.

use super::frontier::Frontier;
use super::node::{NodeId, Nodes};
use crate::fixpoint::Visited;
use crate::preimage::PreCounts;
use crate::safety::InitialOf;
use cubicle_lang::model::TransitionId;
use cubicle_run::SearchOrder;

/// Figures of a run.
#[derive(Clone, Copy, Default, Debug)]
pub struct RunCounts {
    /// Nodes expanded.
    pub nodes: usize,
    /// Nodes found covered.
    pub fixpoints: usize,
    /// Most processes of a visited cube.
    pub max_procs: usize,
    /// Most processes of one sort that a visited cube names.
    pub max_of_a_sort: usize,
    /// Most literals of a visited cube.
    pub max_literals: usize,
    /// Visited nodes that a later one subsumes.
    pub deleted: usize,
    pub pre: PreCounts,
    /// Nodes postponed.
    pub postponed: usize,
}

/// What a run has done, and what is left to do. Between two nodes, each pre-image of a visited cube is covered by visited cubes and
/// those of waiting nodes: so it may end there and go on later, with more cubes visited that are proved unreachable.
#[derive(Debug, Default)]
pub struct RunState {
    pub nodes: Nodes,
    pub(super) frontier: Frontier,
    /// The node in progress.
    pub(super) taken: Option<NodeId>,
    pub visited: Visited,
    /// The node of each of them; `None` for assumed cubes.
    pub(super) visited_ids: Vec<Option<NodeId>>,
    /// Whether the lemmas about numbers are visited, if there are any.
    pub(super) has_lemmas: bool,
    pub(super) initial: InitialOf,
    pub counts: RunCounts,
    /// The cubes of trusted invariants, to be examined first.
    pub(super) trusted: Vec<NodeId>,
    /// The first node of which no instance executes the path, and that path.
    pub(super) spurious: Option<(NodeId, String)>,
    /// No run with at most this many steps reaches a bad state.
    pub proved_steps: Option<usize>,
    /// The transitions whose universal guards cubes should have remembered, where a path is spurious.
    pub forgotten: Vec<TransitionId>,
    pub(super) undecided: Option<(String, String)>,
}

impl RunState {
    /// The nodes of trusted invariants.
    pub fn trusted(&self) -> &[NodeId] {
        &self.trusted
    }

    /// That of a run that has done nothing.
    pub(super) fn new(order: SearchOrder) -> Self {
        Self { frontier: Frontier::new(order), ..Self::default() }
    }

    /// Makes it one that can go on, after its sums were counted: a node in progress, whose test was not finished, is taken again.
    pub fn pause(&mut self) {
        if let Some(id) = self.taken.take() {
            self.frontier.put_back(id);
        }
        let RunCounts { nodes, max_procs, max_literals, .. } = self.counts;
        self.counts = RunCounts { nodes, max_procs, max_literals, ..RunCounts::default() };
    }
}
