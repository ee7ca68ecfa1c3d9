//! The frontier: nodes in the order in which the search takes them.

use std::collections::{BTreeMap, VecDeque};

use super::node::{NodeId, Nodes, Origin};
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
                if nodes.is_approximate(id) { &mut self.approximate } else { &mut self.exact }.push_back(id);
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

    /// Puts back the node that was taken last.
    pub const fn put_back(&mut self, id: NodeId) {
        self.first = Some(id);
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
