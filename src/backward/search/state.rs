//! The state of a run, apart from what it reads: a run that is paused goes on with it. Its frontier has the nodes in the
//! order in which the search takes them.

use std::collections::{BTreeMap, VecDeque};

use super::node::{NodeId, Nodes, Origin};
use crate::fixpoint::Visited;
use crate::preimage::PreCounts;
use crate::safety::InitialOf;
use cubicle_lang::model::TransitionId;
use cubicle_run::SearchOrder;

/// Place in the heap orders: few processes, few literals, candidates first, then depth, then age.
type HeapKey = (u8, usize, bool, i64, u64);

/// Nodes waiting, and nodes postponed until nothing waits.
#[derive(Debug, Default)]
pub struct Frontier {
    order: SearchOrder,
    /// A node that was taken and is to be taken again, before all others.
    first: Option<NodeId>,
    exact: VecDeque<NodeId>,
    /// Nodes whose root is a candidate, in the orders that take them first.
    approximate: VecDeque<NodeId>,
    heap: BTreeMap<HeapKey, NodeId>,
    postponed: Vec<NodeId>,
    pushed: u64,
}

impl Frontier {
    pub fn new(order: SearchOrder) -> Self {
        Self { order, ..Self::default() }
    }

    pub fn push(&mut self, id: NodeId, nodes: &Nodes) {
        self.pushed += 1;
        let node = nodes.get(id);
        match self.order {
            SearchOrder::Bfs | SearchOrder::Dfs => self.exact.push_back(id),
            SearchOrder::Bfsa | SearchOrder::Dfsa => {
                if nodes.is_candidate(nodes.root(id)) { &mut self.approximate } else { &mut self.exact }
                    .push_back(id);
            }
            SearchOrder::Bfsh | SearchOrder::Dfsh => {
                let depth = i64::try_from(node.depth).unwrap_or(i64::MAX);
                let depth = if self.order == SearchOrder::Bfsh { depth } else { -depth };
                let candidate = matches!(node.origin, Origin::Candidate(_));
                let key = (node.cube.procs, node.cube.len(), !candidate, depth, self.pushed);
                self.heap.insert(key, id);
            }
        }
    }

    pub fn postpone(&mut self, id: NodeId) {
        self.postponed.push(id);
    }

    /// The next node; takes postponed nodes, latest first, when nothing else waits.
    pub fn pop(&mut self, nodes: &Nodes) -> Option<NodeId> {
        if let Some(id) = self.first.take() {
            return Some(id);
        }
        if self.waiting() == 0 {
            for id in std::mem::take(&mut self.postponed).into_iter().rev() {
                self.push(id, nodes);
            }
        }
        match self.order {
            SearchOrder::Bfs => self.exact.pop_front(),
            SearchOrder::Dfs => self.exact.pop_back(),
            SearchOrder::Bfsa => self.approximate.pop_front().or_else(|| self.exact.pop_front()),
            SearchOrder::Dfsa => self.approximate.pop_back().or_else(|| self.exact.pop_back()),
            SearchOrder::Bfsh | SearchOrder::Dfsh => self.heap.pop_first().map(|e| e.1),
        }
    }

    /// All nodes that wait or are postponed, in no meaningful order.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + '_ {
        let queues = self.first.iter().chain(&self.exact).chain(&self.approximate).chain(self.heap.values());
        queues.chain(&self.postponed).copied()
    }

    pub fn waiting(&self) -> usize {
        usize::from(self.first.is_some()) + self.exact.len() + self.approximate.len() + self.heap.len()
    }

    pub fn postponed(&self) -> usize {
        self.postponed.len()
    }
}

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
    pub trusted: Vec<NodeId>,
    /// The first node of which no instance executes the path, and that path.
    pub(super) spurious: Option<(NodeId, String)>,
    /// No run with at most this many steps reaches a bad state.
    pub proved_steps: Option<usize>,
    /// The transitions whose universal guards cubes should have remembered, where a path is spurious.
    pub forgotten: Vec<TransitionId>,
    pub(super) undecided: Option<(String, String)>,
}

impl RunState {
    /// That of a run that has done nothing.
    pub(super) fn new(order: SearchOrder) -> Self {
        Self { frontier: Frontier::new(order), ..Self::default() }
    }

    /// Makes it one that can go on, after its sums were counted: a node in progress, whose test was not finished, is taken again.
    pub fn pause(&mut self) {
        self.frontier.first = self.taken.take().or(self.frontier.first);
        let RunCounts { nodes, max_procs, max_literals, .. } = self.counts;
        self.counts = RunCounts { nodes, max_procs, max_literals, ..RunCounts::default() };
    }
}
