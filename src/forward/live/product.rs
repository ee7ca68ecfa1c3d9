//! Product of an instance and an automaton: the runs that the automaton accepts.

use hashbrown::DefaultHashBuilder;
use indexmap::IndexSet;

use crate::live::arrows::{Arrow, Arrows, STUTTER};
use crate::live::automaton::Automaton;
use crate::live::graph::RunGraph;
use cubicle_run::{Interrupt, Interrupted};

/// Where an atom of a formula holds.
pub enum AtomTruth {
    InStates(Vec<bool>),
    /// When one of these moves leaves a state.
    ByMoves(Vec<bool>),
}

impl AtomTruth {
    /// Whether an arrow with this label is one of these moves.
    pub fn is_by(&self, label: u32) -> bool {
        matches!(self, Self::ByMoves(moves) if label != STUTTER && moves[label as usize])
    }
}

/// The states of an instance, each with a node that the automaton can be at there.
pub struct Product {
    pub arrows: Arrows,
    pub states: Vec<u32>,
    pub initial: Vec<u32>,
    /// The sets of the automaton, as nodes of the product.
    pub visits: Vec<Vec<bool>>,
}

impl Product {
    /// Builds the reachable part; `atoms` says where they hold. `None` beyond `most` nodes.
    pub fn new(
        graph: &RunGraph,
        automaton: &Automaton,
        atoms: &[AtomTruth],
        most: usize,
        interrupt: &Interrupt,
    ) -> Result<Option<Self>, Interrupted> {
        let fits = |state: u32, node: usize| {
            automaton.nodes[node].literals.iter().all(|(number, truth)| match &atoms[*number] {
                AtomTruth::InStates(states) => states[state as usize] == *truth,
                AtomTruth::ByMoves(_) => true,
            })
        };
        // Whether a node of the automaton allows the step that leaves it.
        let leaves = |node: usize, label: u32| {
            automaton.nodes[node].literals.iter().all(|(number, truth)| match &atoms[*number] {
                AtomTruth::InStates(_) => true,
                by @ AtomTruth::ByMoves(_) => by.is_by(label) == *truth,
            })
        };
        // A run that stays in a state stays there for ever.
        let mut nodes: IndexSet<(u32, usize, bool), DefaultHashBuilder> = IndexSet::default();
        let mut initial = Vec::new();
        for state in (0..graph.tree.store.len() as u32).filter(|state| graph.is_initial(*state)) {
            for node in (0..automaton.nodes.len()).filter(|node| automaton.nodes[*node].initial) {
                if fits(state, node) {
                    initial.push(nodes.insert_full((state, node, false)).0 as u32);
                }
            }
        }
        let mut arrows = Arrows::default();
        let mut next = 0;
        while let Some(&(state, node, stays)) = nodes.get_index(next) {
            let may = |it: &&Arrow| (!stays || it.label == STUTTER) && leaves(node, it.label);
            for arrow in graph.arrows.of(state).iter().filter(may) {
                for &after in automaton.nodes[node].next.iter().filter(|after| fits(arrow.to, **after)) {
                    let (to, _) = nodes.insert_full((arrow.to, after, arrow.label == STUTTER));
                    arrows.push(Arrow { label: arrow.label, to: to as u32 });
                }
            }
            arrows.end_node();
            next += 1;
            if next % 1024 == 0 {
                interrupt.poll()?;
            }
            if nodes.len() > most {
                return Ok(None);
            }
        }
        arrows.finish(nodes.len());
        let of_set = |set: &Vec<bool>| nodes.iter().map(|(_, node, _)| set[*node]).collect();
        let visits = automaton.visits.iter().map(of_set).collect();
        let states = nodes.iter().map(|(state, ..)| *state).collect();
        Ok(Some(Self { arrows, states, initial, visits }))
    }

    /// Turns a way in the product into a way through states.
    pub fn way(&self, way: &[Arrow]) -> Vec<Arrow> {
        way.iter().map(|arrow| Arrow { label: arrow.label, to: self.states[arrow.to as usize] }).collect()
    }
}
