//! The states of a small instance that are reachable by runs without bad states, and the steps between them.

use std::collections::VecDeque;

use super::goal::Goal;
use crate::simulate::{CellNames, Initials, Moves, all_are_tried, steps};
use cubicle_lang::model::TransitionId;
use cubicle_lang::model::semantics::{State, Step};
use cubicle_run::Interrupt;
use indexmap::IndexSet;

const MOST_INITIAL: usize = 1_000;

pub(super) struct Edge {
    pub transition: TransitionId,
    pub args: Vec<usize>,
    pub to: usize,
    /// Whether a run that takes it is at the goal.
    pub shows: bool,
}

/// States in the order in which they were found, breadth first, the initial ones first.
pub(super) struct PassingGraph {
    pub states: IndexSet<State>,
    pub edges: Vec<Vec<Edge>>,
    pub initial: usize,
    /// Whether these are all states.
    pub complete: bool,
    /// Steps from each state to the goal; `None` when no run leads there.
    pub distance: Vec<Option<usize>>,
}

impl PassingGraph {
    /// Explores at most `most` states; `None` when interrupted.
    pub fn new(
        instance: &CellNames<'_>,
        goal: &Goal<'_>,
        most: usize,
        interrupt: &Interrupt,
    ) -> Option<Self> {
        let mut graph = Self {
            states: IndexSet::new(),
            edges: Vec::new(),
            initial: 0,
            complete: true,
            distance: Vec::new(),
        };
        let passes = |state: &State| instance.semantics.first_bad(state).is_none();
        let mut initials = Initials::new(instance, &[]);
        for state in initials.by_ref().take(MOST_INITIAL.min(most)).filter(|it| passes(it) && goal.begins(it))
        {
            graph.states.insert(state);
        }
        graph.complete = initials.next().is_none() && !initials.gave_up();
        graph.initial = graph.states.len();
        let mut at = 0;
        while at < graph.states.len() {
            interrupt.poll().ok()?;
            let state = graph.states[at].clone();
            let moves = Moves::of(instance, &state);
            graph.complete &= moves.doubtful.is_empty();
            let mut edges = Vec::new();
            for next in &moves.list {
                graph.complete &= next.open.iter().all(|var| all_are_tried(instance.system, *var));
                for step in steps(instance, &state, next) {
                    let shows = goal.shown_by(instance.system, &state, &step);
                    let Step { transition, args, after } = step;
                    let to = match graph.states.get_index_of(&after) {
                        Some(to) => to,
                        None if !passes(&after) => continue,
                        None if graph.states.len() >= most => {
                            graph.complete = false;
                            continue;
                        }
                        None => graph.states.insert_full(after).0,
                    };
                    edges.push(Edge { transition, args, to, shows });
                }
            }
            graph.edges.push(edges);
            at += 1;
        }
        graph.distance = graph.distances(goal);
        Some(graph)
    }

    fn distances(&self, goal: &Goal<'_>) -> Vec<Option<usize>> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.states.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            for edge in edges {
                before[edge.to].push(from);
            }
        }
        let mut distance = vec![None; self.states.len()];
        let mut queue = VecDeque::new();
        for (number, state) in self.states.iter().enumerate() {
            if goal.reached(state) {
                distance[number] = Some(0);
                queue.push_back(number);
            }
        }
        for (number, edges) in self.edges.iter().enumerate() {
            if distance[number].is_none() && edges.iter().any(|edge| edge.shows) {
                distance[number] = Some(1);
                queue.push_back(number);
            }
        }
        while let Some(number) = queue.pop_front() {
            for &from in &before[number] {
                if distance[from].is_none() {
                    distance[from] = distance[number].map(|steps| steps + 1);
                    queue.push_back(from);
                }
            }
        }
        distance
    }

    /// The first step of a shortest run from a state to the goal; `None` at the goal, and where no run leads there.
    pub fn nearer(&self, at: usize) -> Option<&Edge> {
        let left = self.distance[at]?.checked_sub(1)?;
        let edges = &self.edges[at];
        edges
            .iter()
            .find(|edge| left == 0 && edge.shows)
            .or_else(|| edges.iter().find(|edge| self.distance[edge.to] == Some(left)))
    }
}
