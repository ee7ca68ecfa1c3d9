//! The order in which walks explore states: deep ones first, and those in which a property is pending.
//!
//! An incomplete graph can show a fair loop as well as a complete one, when it has all steps of the states in the loop. So
//! each state that a walk reaches gets all its steps, walks tend to stay where a pending condition does not hold, and
//! the states nearest to their end are explored level by level: a loop is closed by what fairness requires and a way back.

use indexmap::IndexSet;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::error::Unbuildable;
use crate::live::arrows::STUTTER;
use crate::live::conditions::ground;
use crate::live::graph::{Expanded, Expander, RunGraph};
use crate::program::{Program, Test};
use crate::tuning::{RUN_EPOCH_WALKS, RUN_NEAR_STATES, RUN_WALK_STEPS};
use cubicle_lang::model::TemporalKind;
use cubicle_run::Stop;

const NONE: u32 = u32::MAX;

/// What a `response` or a `recurrence` is about, for the first processes.
struct Guide {
    waits: Option<Vec<Vec<Test>>>,
    answer: Vec<Vec<Test>>,
}

/// Walks through a graph that they extend.
pub struct Walks<'a> {
    program: &'a Program,
    graph: &'a mut RunGraph,
    expander: Expander<'a>,
    guides: Vec<Guide>,
    rng: ChaCha8Rng,
    /// The states all of whose steps were taken, in that order.
    order: Vec<u32>,
    /// For each state, its index there, or `NONE`.
    place: Vec<u32>,
    /// All states before this one were explored.
    oldest: u32,
    buffer: Expanded,
}

impl<'a> Walks<'a> {
    /// Guided by the properties of the system, if `guided`.
    pub fn new(
        program: &'a Program,
        graph: &'a mut RunGraph,
        expander: Expander<'a>,
        seed: u64,
        guided: bool,
    ) -> Result<Self, Unbuildable> {
        let mut guides = Vec::new();
        for property in &program.system.temporal {
            let tuple: Vec<usize> = (0..property.params.len()).collect();
            if !guided || tuple.len() > program.cells.procs {
                continue;
            }
            let watch = |condition| ground(program, condition, &tuple);
            match property.kind {
                TemporalKind::Response => guides
                    .push(Guide { waits: Some(watch(&property.first)?), answer: watch(&property.then)? }),
                TemporalKind::Recurrence => {
                    guides.push(Guide { waits: None, answer: watch(&property.first)? });
                }
                _ => {}
            }
        }
        let rng = ChaCha8Rng::seed_from_u64(seed);
        let (order, place, buffer) = (Vec::new(), Vec::new(), Expanded::default());
        Ok(Self { program, graph, expander, guides, rng, order, place, oldest: 0, buffer })
    }

    /// Walks until every state was explored or a limit is reached; returns the states all of whose steps were taken, in order.
    pub fn explore(mut self, epochs: Option<usize>) -> Vec<u32> {
        let initial = self.graph.tree.store.len() as u32;
        let mut walks = 0;
        while self.graph.limits.stop.is_none() && self.order.len() < self.graph.tree.store.len() {
            if epochs.is_some_and(|most| walks >= most.saturating_mul(RUN_EPOCH_WALKS)) {
                self.graph.limits.stop = Some(Stop::Epochs);
                break;
            }
            walks += 1;
            let mut at = self.begin(initial);
            let mut guide = None;
            for _ in 0..RUN_WALK_STEPS {
                if !self.look(at) {
                    break;
                }
                guide = self.guide(at, guide);
                let Some(next) = self.choose(at, guide) else { break };
                at = next;
            }
            if let Some(guide) = guide {
                self.close(at, guide);
            }
        }
        self.order
    }

    /// Takes all steps of a state, unless that was done before; false when it is time to stop.
    fn look(&mut self, state: u32) -> bool {
        let Self { graph, expander, buffer, order, place, .. } = self;
        if place.get(state as usize).is_none_or(|it| *it == NONE) {
            expander.expand(graph.tree.store.state(state as usize), buffer);
            graph.merge_expanded(state as usize, buffer, 0);
            place.resize(graph.tree.store.len().max(place.len()), NONE);
            place[state as usize] = order.len() as u32;
            order.push(state);
            graph.check_memory(order.len());
        }
        graph.limits.tick()
    }

    /// Explores the nearest states around one where a property is pending, as long as it is: the steps that fairness requires
    /// are mostly near, and so is the way back.
    fn close(&mut self, from: u32, guide: usize) {
        let mut near: IndexSet<u32> = [from].into_iter().collect();
        let mut next = 0;
        while next < RUN_NEAR_STATES
            && let Some(&state) = near.get_index(next)
            && self.look(state)
        {
            let arrows = self.graph.arrows.of(self.place_of(state)).iter();
            near.extend(arrows.map(|arrow| arrow.to).filter(|to| self.is_pending(guide, *to)));
            next += 1;
        }
    }

    /// Whether what a property promises does not hold in a state.
    fn is_pending(&self, guide: usize, state: u32) -> bool {
        let state = self.graph.tree.store.state(state as usize);
        self.program.any(&self.guides[guide].answer, state) != Some(true)
    }

    fn place_of(&self, state: u32) -> u32 {
        self.place.get(state as usize).copied().unwrap_or(NONE)
    }

    /// The start of a walk: an initial state, or the oldest unexplored state.
    fn begin(&mut self, initial: u32) -> u32 {
        let states = self.graph.tree.store.len() as u32;
        while self.oldest < states && self.place_of(self.oldest) != NONE {
            self.oldest += 1;
        }
        if self.rng.random_ratio(1, 2) && self.oldest < states {
            self.oldest
        } else {
            self.rng.random_range(0..initial)
        }
    }

    /// The property that is pending in a state, preferably the one that was pending before.
    fn guide(&mut self, at: u32, before: Option<usize>) -> Option<usize> {
        if before.is_some_and(|guide| self.is_pending(guide, at)) {
            return before;
        }
        let state = self.graph.tree.store.state(at as usize);
        let waits = |guide: usize| {
            self.guides[guide].waits.as_ref().is_none_or(|it| self.program.any(it, state) == Some(true))
        };
        let begins = |guide: &usize| waits(*guide) && self.is_pending(*guide, at);
        let waiting: Vec<usize> = (0..self.guides.len()).filter(begins).collect();
        waiting.choose(&mut self.rng).copied()
    }

    /// The next state of a walk: mostly one where the pending condition does not hold, and of these mostly an unexplored
    /// one.
    fn choose(&mut self, at: u32, guide: Option<usize>) -> Option<u32> {
        let arrows = self.graph.arrows.of(self.place_of(at)).iter();
        let mut all: Vec<u32> = arrows.filter(|it| it.label != STUTTER).map(|it| it.to).collect();
        if let Some(guide) = guide
            && self.rng.random_ratio(7, 8)
        {
            let silent: Vec<u32> = all.iter().copied().filter(|to| self.is_pending(guide, *to)).collect();
            all = if silent.is_empty() { all } else { silent };
        }
        if self.rng.random_ratio(7, 8) {
            let new: Vec<u32> = all.iter().copied().filter(|to| self.place_of(*to) == NONE).collect();
            all = if new.is_empty() { all } else { new };
        }
        all.choose(&mut self.rng).copied()
    }
}
