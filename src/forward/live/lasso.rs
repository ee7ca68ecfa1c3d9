//! From a fair component to a short cycle in it that satisfies all fairness constraints, and from stored states to a run that the
//! reference semantics executes.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexMap;

use crate::live::arrows::{self, Arrow, STAY, STUTTER, Turn, Ways, then};
use crate::live::components::{FairCycles, Threads};
use crate::live::graph::RunGraph;
use crate::live::instance::{Instance, RunAnswer};
use crate::run::{RealStep, real_codes, real_instance, states};
use cubicle_lang::model::Temporal;
use cubicle_lang::model::semantics::{Lasso, Semantics};
use cubicle_run::{Stop, Trace};

/// What a cycle must still do.
#[derive(Clone, PartialEq)]
struct Tasks {
    /// Constraints that wait for one of their steps, or, when weak, for a node that enables none of these.
    constraints: Vec<bool>,
    /// Sets that wait for a visit.
    visits: Vec<bool>,
}

impl Tasks {
    fn is_done(&self) -> bool {
        !self.constraints.contains(&true) && !self.visits.contains(&true)
    }
}

impl FairCycles<'_> {
    /// A cycle from the first node of a fair `component` through nodes of it. Where arrows rename processes it may end at the
    /// same node under other names; repeated until the names agree again it is a cycle. The first round does all
    /// that fairness requires.
    pub fn cycle(&self, component: &[u32]) -> Vec<Arrow> {
        let entry = component[0];
        let mut inside = vec![false; self.arrows.len()];
        for node in component {
            inside[*node as usize] = true;
        }
        let inside = |node: u32| inside[node as usize];
        let mut tasks = self.tasks(component, &inside);
        let (mut at, mut cycle) = (entry, Vec::new());
        self.visit(at, &mut tasks);
        while !tasks.is_done() {
            let (way, step) = if self.constraints.rename() {
                self.nearest_renamed(at, &tasks, &inside)
            } else {
                self.nearest(at, &tasks, &inside)
            };
            for arrow in way.into_iter().chain(step) {
                self.take(arrow, &mut tasks);
                self.visit(arrow.to, &mut tasks);
                at = arrow.to;
                cycle.push(arrow);
            }
        }
        if at == entry && !cycle.is_empty() {
            return cycle;
        }
        // Back to the beginning, by at least one arrow.
        let firsts = self.arrows.of(at).iter().filter(|arrow| inside(arrow.to));
        let ways = Ways::new(self.arrows, firsts.map(|arrow| arrow.to), &inside, |node| node != entry);
        let (from, way) = ways.to(entry);
        let first = self.arrows.of(at).iter().find(|arrow| arrow.to == from && inside(from));
        cycle.extend(first.copied().into_iter().chain(way));
        cycle
    }

    /// The tasks in a component, with the names of its first node.
    fn tasks(&self, component: &[u32], inside: &dyn Fn(u32) -> bool) -> Tasks {
        let mut threads = Threads::new(self.constraints, self.arrows.len());
        threads.look(self.arrows, component, inside);
        let mut enabled = vec![false; self.constraints.strong.len()];
        let mut seen = Vec::new();
        for &node in component {
            self.enabled(node, &mut seen, |c| enabled[threads.part(node, c) as usize] = true);
        }
        let parts = (0..enabled.len() as u32).map(|c| threads.part(component[0], c));
        let constraints = parts.map(|part| enabled[part as usize]).collect();
        Tasks { constraints, visits: vec![true; self.visits.len()] }
    }

    /// Marks the tasks that a visit of a node fulfils.
    fn visit(&self, node: u32, tasks: &mut Tasks) {
        let mut enabled = vec![false; tasks.constraints.len()];
        self.enabled(node, &mut Vec::new(), |constraint| enabled[constraint as usize] = true);
        for (constraint, waits) in tasks.constraints.iter_mut().enumerate() {
            *waits &= self.constraints.strong[constraint] || enabled[constraint];
        }
        for (waits, set) in tasks.visits.iter_mut().zip(self.visits) {
            *waits &= !set[node as usize];
        }
    }

    fn take(&self, arrow: Arrow, tasks: &mut Tasks) {
        for constraint in self.constraints.of(arrow) {
            tasks.constraints[*constraint as usize] = false;
        }
        let turn = self.constraints.turn(arrow);
        if *turn != STAY {
            let before = std::mem::take(&mut tasks.constraints);
            tasks.constraints = vec![false; before.len()];
            for (c, waits) in (0..).zip(before) {
                tasks.constraints[self.constraints.called(c, turn) as usize] |= waits;
            }
        }
    }

    /// Like [`FairCycles::nearest`], where arrows rename processes: pending tasks are followed under their names.
    fn nearest_renamed(
        &self,
        from: u32,
        tasks: &Tasks,
        inside: &dyn Fn(u32) -> bool,
    ) -> (Vec<Arrow>, Option<Arrow>) {
        // A place is a node and a task, under its name there; sets that wait for a visit have no name.
        const SETS: u32 = u32::MAX;
        // For each, how it was reached: from which place, by which arrow.
        let mut places: IndexMap<(u32, u32), Option<(usize, Arrow)>, DefaultHashBuilder> =
            IndexMap::default();
        let waiting = (0..).zip(&tasks.constraints).filter(|(_, waits)| **waits).map(|(c, _)| c);
        for what in waiting.chain(tasks.visits.contains(&true).then_some(SETS)) {
            places.insert((from, what), None);
        }
        let mut next = 0;
        let step = loop {
            let place = places.get_index(next);
            let (&(node, what), _) = place.expect("a fair component has a place for each constraint");
            if what == SETS {
                if tasks.visits.iter().zip(self.visits).any(|(waits, set)| *waits && set[node as usize]) {
                    break None;
                }
            } else {
                let mut enabled = false;
                self.enabled(node, &mut Vec::new(), |c| enabled |= c == what);
                if !enabled && !self.constraints.strong[what as usize] {
                    break None;
                }
                let serves =
                    |arrow: &&Arrow| inside(arrow.to) && self.constraints.of(**arrow).contains(&what);
                if let Some(arrow) = self.arrows.of(node).iter().find(serves) {
                    break Some(*arrow);
                }
            }
            for arrow in self.arrows.of(node).iter().filter(|arrow| inside(arrow.to)) {
                let turn = self.constraints.turn(*arrow);
                let after = if what == SETS { SETS } else { self.constraints.called(what, turn) };
                places.entry((arrow.to, after)).or_insert(Some((next, *arrow)));
            }
            next += 1;
        };
        let mut way = Vec::new();
        while let Some((before, arrow)) = places[next] {
            way.push(arrow);
            next = before;
        }
        way.reverse();
        (way, step)
    }

    /// The nearest place that fulfils a task: the way to a node, and the arrow from there that does it, if none of the
    /// nodes on the way does.
    fn nearest(&self, from: u32, tasks: &Tasks, inside: &dyn Fn(u32) -> bool) -> (Vec<Arrow>, Option<Arrow>) {
        let mut found = None;
        let helps = |arrow: &Arrow| {
            inside(arrow.to) && self.constraints.of(*arrow).iter().any(|c| tasks.constraints[*c as usize])
        };
        let ways = Ways::new(self.arrows, std::iter::once(from), inside, |node| {
            let mut after = tasks.clone();
            self.visit(node, &mut after);
            if after != *tasks {
                found = Some((node, None));
            } else if let Some(arrow) = self.arrows.of(node).iter().find(|arrow| helps(arrow)) {
                found = Some((node, Some(*arrow)));
            }
            found.is_none()
        });
        let (node, step) = found.expect("a fair component has a place for each constraint");
        (ways.to(node).1, step)
    }
}

/// The most rounds of a loop until it returns to the exact state where it began: values without a name may
/// have changed places.
const ROUNDS: usize = 6;

impl Instance<'_> {
    /// The run that begins in the state `first` and takes these steps. States and steps use the names of the first state,
    /// however they are stored. `None` when a count leaves the 64-bit range.
    pub fn run(&self, first: u32, way: &[Arrow], back: Option<usize>) -> Option<Trace> {
        let Self { program, graph, .. } = self;
        let codes = |state: u32, names: &Turn| {
            let state = graph.tree.store.state(state as usize);
            if *names == STAY { program.packing.codes(state) } else { real_codes(program, state, names) }
        };
        let mut steps = Vec::with_capacity(way.len());
        // What the names in the stored state stand for.
        let (mut at, mut names) = (first, STAY);
        for arrow in way {
            let taken = graph.moves.list[arrow.label as usize].instance as usize;
            let named = if names == STAY { Some(taken) } else { real_instance(program, taken, &names) };
            let instance = named.expect("what can be taken can be taken under other names");
            steps.push(RealStep { instance, before: codes(at, &names) });
            at = arrow.to;
            names = then(&arrows::back(graph.moves.turn(arrow.label)), &names);
        }
        let (initial, steps) = states(program, &steps, codes(at, &names), back)?;
        Some(Trace { initial, steps, bad: None })
    }

    /// The run that begins in a stored state with these steps and repeats a cycle, if it violates the property.
    pub fn lasso(
        &self,
        property: &Temporal,
        tuple: &[usize],
        first: u32,
        stem: &[Arrow],
        cycle: &[Arrow],
    ) -> RunAnswer {
        let semantics = Semantics::new(self.system, self.program.cells.procs);
        let accepted = |way: &[Arrow], back: Option<usize>| {
            let lasso = Lasso { run: self.run(first, way, back)?, back };
            semantics.breaks(&lasso, property, tuple).is_ok().then_some(lasso)
        };
        let end = stem.iter().position(|arrow| arrow.label == STUTTER);
        let found = if end.is_some() || cycle.iter().any(|arrow| arrow.label == STUTTER) {
            accepted(&stem[..end.unwrap_or(stem.len())], None)
        } else {
            let mut way = stem.to_vec();
            let once = cycle.repeat(rounds(self.graph, cycle));
            (0..ROUNDS).find_map(|_| {
                way.extend(&once);
                accepted(&way, Some(stem.len()))
            })
        };
        found.map_or(RunAnswer::Open(Stop::Numbers), |it| RunAnswer::Lasso(tuple.to_vec(), Box::new(it)))
    }
}

/// After how many rounds of a cycle each name has its original meaning again.
fn rounds(graph: &RunGraph, cycle: &[Arrow]) -> usize {
    let turn = cycle.iter().fold(STAY, |turn, arrow| then(&turn, graph.moves.turn(arrow.label)));
    let (mut rounds, mut all) = (1, turn);
    while all != STAY {
        all = then(&all, &turn);
        rounds += 1;
    }
    rounds
}
