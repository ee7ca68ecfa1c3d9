//! A graph whose arrows are a step and the renaming that takes its result to the stored representative, and shortest ways in it.

use std::collections::VecDeque;

use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

/// The label of an arrow that is not a step: a state in which nothing is enabled stays as it is.
pub const STUTTER: u32 = u32::MAX;

/// An arrow; its source is known from the context.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Arrow {
    /// The instance that takes the step, or [`STUTTER`].
    pub label: u32,
    pub to: u32,
}

/// The arrows of all nodes, which are numbered from 0.
#[derive(Clone, Debug, Default)]
pub struct Arrows {
    /// For each node, the end of its arrows.
    ends: Vec<usize>,
    list: Vec<Arrow>,
}

impl Arrows {
    /// Adds an arrow to the node whose arrows are being added.
    pub fn push(&mut self, arrow: Arrow) {
        self.list.push(arrow);
    }

    /// Ends the list of arrows of this node.
    pub fn end_node(&mut self) {
        self.ends.push(self.list.len());
    }

    /// The remaining nodes have no arrows; there are `nodes` nodes in all.
    pub fn finish(&mut self, nodes: usize) {
        self.ends.resize(nodes, self.list.len());
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Number of arrows.
    pub fn all(&self) -> usize {
        self.list.len()
    }

    pub fn bytes(&self) -> usize {
        self.ends.len() * 8 + self.list.len() * 8
    }

    pub fn of(&self, node: u32) -> &[Arrow] {
        let node = node as usize;
        let start = if node == 0 { 0 } else { self.ends[node - 1] };
        &self.list[start..self.ends[node]]
    }

    /// For each node, the nodes with an arrow to it.
    pub fn reversed(&self) -> Self {
        let mut ends = vec![0; self.len() + 1];
        for arrow in &self.list {
            ends[arrow.to as usize + 1] += 1;
        }
        for node in 0..self.len() {
            ends[node + 1] += ends[node];
        }
        let mut list = vec![Arrow { label: STUTTER, to: 0 }; self.list.len()];
        let mut next = ends.clone();
        for from in 0..self.len() as u32 {
            for arrow in self.of(from) {
                let at = &mut next[arrow.to as usize];
                list[*at] = Arrow { label: arrow.label, to: from };
                *at += 1;
            }
        }
        ends.remove(0);
        Self { ends, list }
    }
}

/// Shortest ways from some nodes to all others, without leaving an area.
pub struct Ways {
    /// For each node that can be reached: its distance, and the arrow from the node before. Sources have
    /// themselves as the node before.
    by: Vec<Option<(u32, u32, u32)>>,
    /// The nodes that can be reached, nearest first.
    pub reached: Vec<u32>,
}

impl Ways {
    /// Ways from `sources`, which are in the area, as long as `go_on` returns true for each node reached.
    pub fn new(
        arrows: &Arrows,
        sources: impl Iterator<Item = u32>,
        inside: &dyn Fn(u32) -> bool,
        mut go_on: impl FnMut(u32) -> bool,
    ) -> Self {
        let mut this = Self { by: vec![None; arrows.len()], reached: Vec::new() };
        let mut queue = VecDeque::new();
        for source in sources {
            if this.by[source as usize].is_none() {
                this.by[source as usize] = Some((0, source, STUTTER));
                queue.push_back(source);
            }
        }
        while let Some(node) = queue.pop_front() {
            this.reached.push(node);
            if !go_on(node) {
                break;
            }
            let far = this.distance(node).expect("it was reached");
            for arrow in arrows.of(node) {
                let by = &mut this.by[arrow.to as usize];
                if by.is_none() && inside(arrow.to) {
                    *by = Some((far + 1, node, arrow.label));
                    queue.push_back(arrow.to);
                }
            }
        }
        this
    }

    pub fn distance(&self, node: u32) -> Option<u32> {
        self.by[node as usize].map(|(far, ..)| far)
    }

    /// The way to a node that was reached: its source node and its arrows.
    pub fn to(&self, node: u32) -> (u32, Vec<Arrow>) {
        let mut way = Vec::new();
        let mut at = node;
        while let Some((far, from, label)) = self.by[at as usize]
            && far > 0
        {
            way.push(Arrow { label, to: at });
            at = from;
        }
        way.reverse();
        (at, way)
    }
}

/// The most processes that can be renamed.
pub const MAX_RENAMED: usize = 16;

/// A renaming of processes: `[old] = new`; indices beyond the last process stay.
pub type Turn = [u8; MAX_RENAMED];

/// The renaming that changes nothing.
pub const STAY: Turn = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

/// The renaming `first`, and then `second`.
pub fn then(first: &Turn, second: &Turn) -> Turn {
    first.map(|p| second[usize::from(p)])
}

/// The inverse of `turn`.
pub fn back(turn: &Turn) -> Turn {
    let mut back = STAY;
    for (old, new) in turn.iter().enumerate() {
        back[usize::from(*new)] = old as u8;
    }
    back
}

/// A step and the renaming of its result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Move {
    /// The instance of a transition that takes the step.
    pub instance: u32,
    pub turn: Turn,
}

/// All moves of a graph, by number: the labels of its arrows. The first ones are the instances, without renaming.
#[derive(Clone, Debug, Default)]
pub struct Moves {
    pub list: IndexSet<Move, DefaultHashBuilder>,
}

impl Moves {
    /// The moves of `instances` instances, without renaming.
    pub fn new(instances: usize) -> Self {
        Self { list: (0..instances as u32).map(|instance| Move { instance, turn: STAY }).collect() }
    }

    /// The number of the move by an instance and a renaming.
    #[inline]
    pub fn number(&mut self, instance: u32, turn: Turn) -> u32 {
        if turn == STAY { instance } else { self.list.insert_full(Move { instance, turn }).0 as u32 }
    }

    pub fn turn(&self, number: u32) -> &Turn {
        &self.list[number as usize].turn
    }

    /// Whether any move renames processes.
    pub fn rename(&self) -> bool {
        self.list.last().is_some_and(|last| last.turn != STAY)
    }
}
