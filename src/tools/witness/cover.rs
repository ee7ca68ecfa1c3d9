//! Runs to the goal: the shortest one, and one that takes many transitions and shows many values.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::graph::{Edge, PassingGraph};
use cubicle_lang::model::semantics::{Layout, State, Step, Trace, Value, tuples};
use cubicle_lang::model::{System, Type, VarId};
use cubicle_run::{Covered, Interrupt, WitnessCoverage};

/// The most initial states to search from.
const MOST_BEGINNINGS: usize = 16;

pub(super) fn coverage(system: &System, run: &Trace) -> WitnessCoverage {
    let items = Items::new(system, run.initial.procs);
    let mut covered = items.of_state(&run.initial);
    for step in &run.steps {
        covered.insert(items.of_step(step.transition.0.into()));
        covered.extend(items.of_state(&step.after));
    }
    let named =
        |(number, name): (usize, &String)| Covered { name: name.clone(), covered: covered.contains(&number) };
    let mut all: Vec<_> = items.names.iter().enumerate().map(named).collect();
    let values = all.split_off(items.transitions);
    WitnessCoverage { transitions: all, values }
}

/// What can be covered, by number: transitions by name, then values.
struct Items<'a> {
    system: &'a System,
    layout: Layout,
    names: Vec<String>,
    /// The number of transitions among them.
    transitions: usize,
    /// For each variable of a finite type, the number of its first constructor.
    first: Vec<Option<usize>>,
    of_transition: Vec<usize>,
}

impl<'a> Items<'a> {
    fn new(system: &'a System, procs: usize) -> Self {
        let mut names: Vec<String> = Vec::new();
        let mut of_transition = Vec::new();
        for transition in &system.transitions {
            let known = names.iter().position(|name| *name == transition.name);
            of_transition.push(known.unwrap_or(names.len()));
            if known.is_none() {
                names.push(transition.name.clone());
            }
        }
        let transitions = names.len();
        let mut first = Vec::new();
        for (at, var) in (0..).map(VarId).zip(&system.vars) {
            let Type::Enum(id) = var.ty else {
                first.push(None);
                continue;
            };
            first.push(Some(names.len()));
            let constructors = &system.enumeration(id).constructors;
            names.extend(constructors.iter().map(|it| format!("{} = {it}", system.title(at))));
        }
        Self { system, layout: Layout::new(system, procs), names, transitions, first, of_transition }
    }

    fn of_step(&self, transition: usize) -> usize {
        self.of_transition[transition]
    }

    fn of_state(&self, state: &State) -> BTreeSet<usize> {
        let cells = self.system.vars.iter().zip(&self.first).zip(0..);
        cells
            .filter_map(|((var, first), id)| first.map(|first| (var.arity(), first, VarId(id))))
            .flat_map(|(arity, first, id)| {
                tuples(state.procs, arity).filter_map(move |index| {
                    match state.values[self.layout.position(id, index)] {
                        Value::Constructor(c) => Some(first + usize::from(c)),
                        _ => None,
                    }
                })
            })
            .collect()
    }
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
pub(super) fn covering(
    graph: &PassingGraph,
    system: &System,
    procs: usize,
    interrupt: &Interrupt,
) -> Option<Trace> {
    let view = CoverView::new(graph, &Items::new(system, procs), interrupt);
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
    of_states: Vec<ItemSet>,
    of_transition: Vec<usize>,
    /// For each state, what can be covered after it on ways to the goal.
    behind: Vec<ItemSet>,
    interrupt: &'g Interrupt,
}

impl<'g> CoverView<'g> {
    fn new(graph: &'g PassingGraph, items: &Items<'_>, interrupt: &'g Interrupt) -> Self {
        let of_states = graph.states.iter().map(|state| ItemSet::of(items, items.of_state(state))).collect();
        let behind = vec![ItemSet::of(items, []); graph.states.len()];
        let of_transition = items.of_transition.clone();
        let mut view = Self { graph, of_states, of_transition, behind, interrupt };
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

    fn add(&self, edge: &Edge, set: &mut ItemSet) {
        set.add(self.of_transition[usize::from(edge.transition.0)]);
        set.add_all(&self.of_states[edge.to]);
    }

    /// A way from `start` that ends with a step that covers something new: the shortest among those after which most can
    /// be covered.
    fn detour(&self, start: usize, covered: &ItemSet) -> Option<Vec<&'g Edge>> {
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

#[derive(Clone, PartialEq, Eq)]
struct ItemSet(Vec<u64>);

impl ItemSet {
    fn of(items: &Items<'_>, members: impl IntoIterator<Item = usize>) -> Self {
        let mut set = Self(vec![0; items.names.len().div_ceil(64)]);
        members.into_iter().for_each(|item| set.add(item));
        set
    }

    fn add(&mut self, item: usize) {
        self.0[item / 64] |= 1 << (item % 64);
    }

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
