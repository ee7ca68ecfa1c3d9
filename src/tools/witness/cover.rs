//! Runs to the goal: the shortest one, and one that takes many transitions and shows many values.

use std::collections::{HashMap, VecDeque};

use super::graph::{Edge, PassingGraph};
use crate::coverage::{add_values, coverage};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{Step, Trace};
use cubicle_run::{Interrupt, WitnessCoverage};

/// The most initial states to search from.
const MOST_BEGINNINGS: usize = 16;

/// What a run covers.
pub(super) fn covered(system: &System, run: &Trace) -> WitnessCoverage {
    let mut values = vec![0; system.vars.len()];
    run.states().for_each(|state| add_values(system, state, &mut values));
    coverage(system, &|t| run.steps.iter().any(|step| step.transition == t), &values, &|_| true)
}

/// A way through the states: where it begins, and its steps.
struct Way<'g> {
    from: usize,
    edges: Vec<&'g Edge>,
}

/// A shortest run to the goal; `None` when there is none.
pub(super) fn shortest(graph: &PassingGraph) -> Option<Trace> {
    let from = beginnings(graph).min_by_key(|from| graph.distance[*from])?;
    let mut way = Way { from, edges: Vec::new() };
    to_goal(graph, &mut way);
    Some(trace(graph, &way))
}

/// A run to the goal that takes many transitions and shows many values: it goes repeatedly to a new one from which the goal
/// can still be reached and most others can be covered, the nearest such; and straight to the goal once `interrupt` is set.
pub(super) fn covering(graph: &PassingGraph, system: &System, interrupt: &Interrupt) -> Option<Trace> {
    let view = CoverView::new(graph, system, interrupt);
    let ways = beginnings(graph).take(MOST_BEGINNINGS).map(|from| {
        let mut covered = view.of_states[from].clone();
        let mut way = Way { from, edges: Vec::new() };
        while let Some(edges) = view.detour(way.last(), &covered) {
            for edge in &edges {
                view.add(edge, &mut covered);
            }
            way.edges.extend(edges);
        }
        to_goal(graph, &mut way);
        (covered.count_ones(), way)
    });
    // The first one among equals.
    let best = ways.min_by_key(|(covered, way)| (std::cmp::Reverse(*covered), way.edges.len()))?;
    Some(trace(graph, &best.1))
}

/// The initial states from which the goal can be reached.
fn beginnings(graph: &PassingGraph) -> impl Iterator<Item = usize> {
    (0..graph.initial).filter(|from| graph.distance[*from].is_some())
}

/// A graph with what its states and steps cover.
struct CoverView<'g> {
    graph: &'g PassingGraph,
    of_states: Vec<CoveredSet>,
    /// For each transition, the first one of its name.
    named: Vec<usize>,
    /// For each state, what can be covered after it on ways to the goal.
    behind: Vec<CoveredSet>,
    interrupt: &'g Interrupt,
}

impl<'g> CoverView<'g> {
    fn new(graph: &'g PassingGraph, system: &System, interrupt: &'g Interrupt) -> Self {
        let all = &system.transitions;
        let first = |name: &str| all.iter().position(|it| it.name == name);
        let named = all.iter().filter_map(|it| first(&it.name)).collect();
        let empty = CoveredSet(vec![0; system.vars.len() + all.len().div_ceil(64)]);
        let of_state = |state| {
            let mut set = empty.clone();
            add_values(system, state, &mut set.0);
            set
        };
        let of_states = graph.states.iter().map(of_state).collect();
        let behind = vec![empty.clone(); graph.states.len()];
        let mut view = Self { graph, of_states, named, behind, interrupt };
        // In reverse order, which is mostly from successors to predecessors, until nothing changes.
        let mut changed = true;
        while changed {
            changed = false;
            for at in (0..graph.states.len()).rev() {
                if interrupt.poll().is_err() {
                    return view;
                }
                let mut behind = view.behind[at].clone();
                for edge in view.ways_on(at) {
                    view.add(edge, &mut behind);
                    behind.add_all(&view.behind[edge.to]);
                }
                changed |= behind != view.behind[at];
                view.behind[at] = behind;
            }
        }
        view
    }

    /// The steps after which the goal can be reached.
    fn ways_on(&self, at: usize) -> impl Iterator<Item = &'g Edge> {
        let graph = self.graph;
        graph.edges[at].iter().filter(|edge| graph.distance[edge.to].is_some())
    }

    fn add(&self, edge: &Edge, set: &mut CoveredSet) {
        let taken = self.named[usize::from(edge.transition.0)];
        let last = set.0.len() - 1;
        set.0[last - taken / 64] |= 1 << (taken % 64);
        set.add_all(&self.of_states[edge.to]);
    }

    /// A way from `start` that ends with a step that covers something new: the shortest among those after which most can
    /// be covered.
    fn detour(&self, start: usize, covered: &CoveredSet) -> Option<Vec<&'g Edge>> {
        let mut came: HashMap<usize, (usize, &Edge)> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        let mut best: Option<(usize, usize, &Edge)> = None;
        while let Some(at) = queue.pop_front() {
            self.interrupt.poll().ok()?;
            for edge in self.ways_on(at) {
                let mut with = covered.clone();
                self.add(edge, &mut with);
                if with != *covered {
                    with.add_all(&self.behind[edge.to]);
                    let promise = with.count_ones();
                    if best.is_none_or(|(most, ..)| promise > most) {
                        best = Some((promise, at, edge));
                    }
                }
                if edge.to != start && !came.contains_key(&edge.to) {
                    came.insert(edge.to, (at, edge));
                    queue.push_back(edge.to);
                }
            }
        }
        let (_, at, last) = best?;
        let back = std::iter::successors(came.get(&at), |(before, _)| came.get(before));
        let mut way: Vec<&Edge> = back.map(|(_, edge)| *edge).collect();
        way.reverse();
        way.push(last);
        Some(way)
    }
}

/// The values of each variable, and the transitions from the end on.
#[derive(Clone, PartialEq, Eq)]
struct CoveredSet(Vec<u64>);

impl CoveredSet {
    fn add_all(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
    }

    fn count_ones(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }
}

impl Way<'_> {
    fn last(&self) -> usize {
        self.edges.last().map_or(self.from, |edge| edge.to)
    }
}

/// Extends the way to the goal. If a step on the way has shown the goal already, goes there again, so that the run ends
/// with it.
fn to_goal<'g>(graph: &'g PassingGraph, way: &mut Way<'g>) {
    if way.edges.last().is_some_and(|edge| edge.shows) {
        return;
    }
    while let Some(edge) = graph.nearer(way.last()) {
        way.edges.push(edge);
        if edge.shows {
            break;
        }
    }
}

fn trace(graph: &PassingGraph, way: &Way<'_>) -> Trace {
    let step = |edge: &&Edge| Step {
        transition: edge.transition,
        args: edge.args.clone(),
        after: graph.states[edge.to].clone(),
    };
    let initial = graph.states[way.from].clone();
    Trace { initial, steps: way.edges.iter().map(step).collect(), bad: None }
}
