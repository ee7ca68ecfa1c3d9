//! Fair strongly connected components.
//!
//! A component is fair when a cycle through all of it satisfies every constraint: the cycle takes a step of a weak one,
//! or one of its states enables none of them; it takes a step of a strong one, or none of its states enables any.
//! Where a strong one is enabled and not taken, no fair cycle goes through a state that enables it, and what is left
//! without these states is searched again. Where a weak one is enabled everywhere and not taken, no part is fair.
//!
//! Where arrows rename processes, the parts of the threaded graph (`threads`) take the place of constraints.

use hashbrown::HashSet;

use crate::live::arrows::{Arrows, STAY, Turn, back, then};
use crate::live::constraints::Constraints;
use cubicle_lang::model::union_find::UnionFind;
use cubicle_run::{Interrupt, Interrupted};

/// The graph in which fair cycles are sought.
pub struct FairCycles<'a> {
    /// The arrows; the nodes to be searched are among its nodes.
    pub arrows: &'a Arrows,
    /// Steps of the whole instance, which determine what is enabled.
    pub steps: &'a Arrows,
    pub state: &'a dyn Fn(u32) -> u32,
    pub constraints: &'a Constraints,
    /// Sets of nodes, each of which must be visited infinitely often.
    pub visits: &'a [Vec<bool>],
    pub interrupt: &'a Interrupt,
}

enum ComponentFairness {
    Fair,
    /// No part of it is fair.
    Unfair,
    /// These nodes of it may have a fair part.
    Perhaps(Vec<u32>),
}

impl FairCycles<'_> {
    /// The fair component with the node that comes first in `area`; its nodes in the order of `area`.
    pub fn first(&self, area: &[u32]) -> Result<Option<Vec<u32>>, Interrupted> {
        let mut order = vec![u32::MAX; self.arrows.len()];
        for (place, node) in area.iter().enumerate() {
            order[*node as usize] = place as u32;
        }
        let mut best: Option<(u32, Vec<u32>)> = None;
        // The last area or component that each node was in.
        let (mut mark, mut marks) = (vec![0_u32; self.arrows.len()], 0);
        let mut threads = Threads::new(self.constraints, self.arrows.len());
        // No cycle goes through two components, so that the remainders of all of them form one area again.
        let mut open = area.to_vec();
        while !open.is_empty() {
            marks += 1;
            for node in &open {
                mark[*node as usize] = marks;
            }
            let inside = |node: u32| mark[node as usize] == marks;
            let mut rest = Vec::new();
            for component in components(self.arrows, &open, &inside, self.interrupt)? {
                let nearest = component.iter().map(|node| order[*node as usize]).min().unwrap_or(u32::MAX);
                if best.as_ref().is_some_and(|(place, _)| *place <= nearest) {
                    continue;
                }
                marks += 1;
                for node in &component {
                    mark[*node as usize] = marks;
                }
                match self.fairness_of(&component, &|node| mark[node as usize] == marks, &mut threads) {
                    ComponentFairness::Fair => best = Some((nearest, component)),
                    ComponentFairness::Unfair => {}
                    ComponentFairness::Perhaps(part) => rest.extend(part),
                }
            }
            open = rest;
        }
        Ok(best.map(|(_, mut component)| {
            component.sort_unstable_by_key(|node| order[*node as usize]);
            component
        }))
    }

    /// Calls `f` with each constraint that a node enables, once.
    pub fn enabled(&self, node: u32, seen: &mut Vec<u32>, mut f: impl FnMut(u32)) {
        seen.clear();
        for arrow in self.steps.of((self.state)(node)) {
            for &constraint in self.constraints.of(*arrow) {
                if !seen.contains(&constraint) {
                    seen.push(constraint);
                    f(constraint);
                }
            }
        }
    }

    fn fairness_of(
        &self,
        component: &[u32],
        inside: &dyn Fn(u32) -> bool,
        threads: &mut Threads<'_>,
    ) -> ComponentFairness {
        let visited = |set: &Vec<bool>| component.iter().any(|node| set[*node as usize]);
        if !self.visits.iter().all(visited) {
            return ComponentFairness::Unfair;
        }
        threads.look(self.arrows, component, inside);
        let count = self.constraints.strong.len();
        let mut taken = vec![false; count];
        let mut enabled = vec![0_usize; count];
        let mut seen = Vec::new();
        for &node in component {
            for arrow in self.arrows.of(node) {
                if inside(arrow.to) {
                    for c in self.constraints.of(*arrow) {
                        taken[threads.part(node, *c) as usize] = true;
                    }
                }
            }
            self.enabled(node, &mut seen, |c| enabled[threads.part(node, c) as usize] += 1);
        }
        let put_off = |part: u32| !taken[part as usize] && enabled[part as usize] > 0;
        let everywhere = |part: u32| enabled[part as usize] == component.len() * threads.size(part);
        let parts = 0..count as u32;
        if parts.clone().any(|it| !threads.is_strong(it) && put_off(it) && everywhere(it)) {
            return ComponentFairness::Unfair;
        }
        let strong: Vec<bool> = parts.map(|it| threads.is_strong(it) && put_off(it)).collect();
        if !strong.contains(&true) {
            return ComponentFairness::Fair;
        }
        let mut rest = component.to_vec();
        rest.retain(|node| {
            let mut enables = false;
            self.enabled(*node, &mut seen, |c| enables |= strong[threads.part(*node, c) as usize]);
            !enables
        });
        ComponentFairness::Perhaps(rest)
    }
}

struct Frame {
    node: u32,
    next: usize,
}

/// The strongly connected components of `nodes` that have a cycle, by Tarjan's algorithm. `inside` says whether a node is
/// among `nodes`.
fn components(
    arrows: &Arrows,
    nodes: &[u32],
    inside: &dyn Fn(u32) -> bool,
    interrupt: &Interrupt,
) -> Result<Vec<Vec<u32>>, Interrupted> {
    const NEW: u32 = u32::MAX;
    const DONE: u32 = u32::MAX - 1;
    let mut number = vec![NEW; arrows.len()];
    let mut low = vec![0_u32; arrows.len()];
    let (mut next, mut found) = (0, Vec::new());
    let (mut stack, mut frames): (Vec<u32>, Vec<Frame>) = (Vec::new(), Vec::new());
    for &root in nodes {
        if number[root as usize] != NEW {
            continue;
        }
        frames.push(Frame { node: root, next: 0 });
        while let Some(frame) = frames.last_mut() {
            let node = frame.node;
            if frame.next == 0 {
                number[node as usize] = next;
                low[node as usize] = next;
                next += 1;
                stack.push(node);
                if next % 4096 == 0 {
                    interrupt.poll()?;
                }
            }
            let arrow = arrows.of(node).get(frame.next).copied();
            frame.next += 1;
            if let Some(arrow) = arrow {
                if inside(arrow.to) {
                    match number[arrow.to as usize] {
                        NEW => frames.push(Frame { node: arrow.to, next: 0 }),
                        DONE => {}
                        known => low[node as usize] = low[node as usize].min(known),
                    }
                }
                continue;
            }
            frames.pop();
            let lowest = low[node as usize];
            if let Some(parent) = frames.last() {
                let parent = &mut low[parent.node as usize];
                *parent = lowest.min(*parent);
            }
            if lowest == number[node as usize] {
                let at = stack
                    .iter()
                    .rposition(|it| *it == node)
                    .expect("a node is on the stack until it is done");
                let component = stack.split_off(at);
                for it in &component {
                    number[*it as usize] = DONE;
                }
                if component.len() > 1 || arrows.of(node).iter().any(|arrow| arrow.to == node) {
                    found.push(component);
                }
            }
        }
    }
    Ok(found)
}

/// How the fairness constraints change along the ways through a component whose arrows rename processes: the parts of the threaded
/// graph over it.
///
/// A state is stored for all renamings of it, so that a constraint at a node stands for different ones, which depend on the
/// way there. The nodes of the threaded graph are pairs of a node and a constraint, and it has an arrow from (s, c) to (s',
/// c') where there is one from s to s' that calls c c'. On a strongly connected component each part of the threaded graph
/// that is connected is strongly connected, since arrows act on constraints as bijections, which some round inverts. Its
/// parts are found without building it: with the renaming along one way from the first node to each other, a pair is a
/// constraint at the first node, and two of these are in one part when the rounds through the first node map one to the
/// other.
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

    pub fn is_strong(&self, part: u32) -> bool {
        self.constraints.strong[part as usize]
    }

    /// The number of pairs of a part with the same node.
    pub fn size(&self, part: u32) -> usize {
        self.size[part as usize]
    }
}
