//! How the fairness constraints change along the ways through a component whose arrows rename processes.
//!
//! A state is stored for all renamings of it, so that a constraint at a node stands for different ones, which depend on the
//! way there. The nodes of the threaded graph are pairs of a node and a constraint, and it has an arrow from (s, c) to (s',
//! c') where there is one from s to s' that calls c c'. On a strongly connected component each part of the threaded graph
//! that is connected is strongly connected, since arrows act on constraints as bijections, which some round inverts. Its
//! parts are found without building it: with the renaming along one way from the first node to each other, a pair is a
//! constraint at the first node, and two of these are in one part when the rounds through the first node map one to the
//! other.

use hashbrown::HashSet;

use crate::live::arrows::Arrows;
use crate::live::constraints::Constraints;
use crate::live::moves::{STAY, Turn, back, then};
use cubicle_lang::model::union_find::UnionFind;

/// The parts of the threaded graph over a component.
pub struct Threads<'a> {
    constraints: &'a Constraints,
    /// For each node of the component, the renaming that takes its names to those of the first node. Empty when no arrow
    /// renames.
    home: Vec<Turn>,
    /// For each constraint at the first node, its part.
    part: Vec<u32>,
    /// For each part, the number of its constraints at the first node.
    size: Vec<usize>,
}

impl<'a> Threads<'a> {
    /// For the components of a graph of `nodes` nodes, none of which is examined yet.
    pub fn new(constraints: &'a Constraints, nodes: usize) -> Self {
        let count = constraints.strong.len();
        let home = if constraints.rename() { vec![STAY; nodes] } else { Vec::new() };
        Self { constraints, home, part: (0..count as u32).collect(), size: vec![1; count] }
    }

    /// Examines a component.
    pub fn look(&mut self, arrows: &Arrows, component: &[u32], inside: &dyn Fn(u32) -> bool) {
        if self.home.is_empty() || self.part.is_empty() {
            return;
        }
        // During this loop, renamings lead from the first node.
        let mut placed: HashSet<u32> = HashSet::with_capacity(component.len());
        placed.insert(component[0]);
        self.home[component[0] as usize] = STAY;
        let mut open = vec![component[0]];
        while let Some(node) = open.pop() {
            for arrow in arrows.of(node).iter().filter(|arrow| inside(arrow.to)) {
                if placed.insert(arrow.to) {
                    self.home[arrow.to as usize] =
                        then(&self.home[node as usize], self.constraints.turn(*arrow));
                    open.push(arrow.to);
                }
            }
        }
        let mut union = UnionFind::new(self.part.len());
        let mut rounds: HashSet<Turn> = HashSet::new();
        for &node in component {
            for arrow in arrows.of(node).iter().filter(|arrow| inside(arrow.to)) {
                let there = then(&self.home[node as usize], self.constraints.turn(*arrow));
                if there == self.home[arrow.to as usize] {
                    continue;
                }
                let round = then(&there, &back(&self.home[arrow.to as usize]));
                if rounds.insert(round) {
                    for c in 0..self.part.len() {
                        union.join(c, self.constraints.called(c as u32, &round) as usize);
                    }
                }
            }
        }
        self.size.fill(0);
        for c in 0..self.part.len() {
            self.part[c] = union.root(c) as u32;
            self.size[self.part[c] as usize] += 1;
        }
        for &node in component {
            self.home[node as usize] = back(&self.home[node as usize]);
        }
    }

    /// The part of a constraint at a node of the component.
    #[inline]
    pub fn part(&self, node: u32, constraint: u32) -> u32 {
        match self.home.get(node as usize) {
            Some(home) => self.part[self.constraints.called(constraint, home) as usize],
            None => constraint,
        }
    }

    /// Whether constraints of a part are strong.
    pub fn is_strong(&self, part: u32) -> bool {
        self.constraints.strong[part as usize]
    }

    /// The number of pairs of a part with the same node.
    pub fn size(&self, part: u32) -> usize {
        self.size[part as usize]
    }
}
