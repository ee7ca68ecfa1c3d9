//! The order in which walks explore states: deep ones first, and those in which a property is pending.
//!
//! An incomplete graph can show a fair loop as well as a complete one, when it has all steps of the states in the loop. So
//! each state that a walk reaches gets all its steps, walks tend to stay where a pending condition does not hold, and
//! the states nearest to their end are explored level by level: a loop is closed by what fairness requires and a way back.

use hashbrown::HashSet;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::error::Unbuildable;
use crate::limits::Limits;
use crate::live::arrows::{Arrow, STUTTER};
use crate::live::conditions::ground;
use crate::live::graph::{Expanded, Expander, RunGraph};
use crate::program::{Program, Test};
use crate::tuning::{RUN_EPOCH_WALKS, RUN_NEAR_STATES, RUN_WALK_STEPS};
use cubicle_lang::model::{System, TemporalKind};
use cubicle_run::{ForwardOptions, Stop};

const NONE: u32 = u32::MAX;

/// What a `response` or a `recurrence` is about, for the first processes.
struct Guide {
    waits: Option<Vec<Vec<Test>>>,
    answer: Vec<Vec<Test>>,
}

/// Walks through a graph that they extend.
pub struct Walks<'a> {
    program: &'a Program,
    guides: Vec<Guide>,
    rng: ChaCha8Rng,
    /// The states all of whose steps were taken, in that order.
    order: Vec<u32>,
    /// For each state, its index there, or `NONE`.
    place: Vec<u32>,
    /// All states before this one were explored.
    oldest: u32,
    buffer: Expanded,
    /// Whether a number left its range.
    numbers: bool,
}

impl<'a> Walks<'a> {
    /// Guided by the properties of `system`.
    pub fn new(system: &System, program: &'a Program, seed: u64, guided: bool) -> Result<Self, Unbuildable> {
        let mut guides = Vec::new();
        for property in &system.temporal {
            let tuple: Vec<usize> = (0..property.params.len()).collect();
            if !guided || tuple.len() > program.cells.procs {
                continue;
            }
            let watch = |condition| ground(system, program, condition, &tuple);
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
        Ok(Self { program, guides, rng, order, place, oldest: 0, buffer, numbers: false })
    }

    /// Walks until every state was explored or a limit is reached; returns the states all of whose steps were taken, in order,
    /// and whether a number left its range.
    pub fn explore(
        mut self,
        graph: &mut RunGraph,
        mut expander: Expander<'_>,
        options: &ForwardOptions,
        limits: &mut Limits,
    ) -> (Vec<u32>, bool) {
        let initial = graph.tree.store.len() as u32;
        let mut walks = 0;
        while limits.stop.is_none() && self.order.len() < graph.tree.store.len() {
            if options.epochs.is_some_and(|most| walks >= most.saturating_mul(RUN_EPOCH_WALKS)) {
                limits.stop = Some(Stop::Epochs);
                break;
            }
            walks += 1;
            let mut at = self.begin(graph, initial);
            let mut guide = None;
            for _ in 0..RUN_WALK_STEPS {
                if !self.look(at, graph, &mut expander, limits) {
                    break;
                }
                guide = self.guide(graph, at, guide);
                let Some(next) = self.choose(graph, at, guide) else { break };
                at = next;
            }
            if let Some(guide) = guide {
                self.close(at, guide, graph, &mut expander, limits);
            }
        }
        (self.order, self.numbers)
    }

    /// Takes all steps of a state, unless that was done before; false when it is time to stop.
    fn look(
        &mut self,
        state: u32,
        graph: &mut RunGraph,
        expander: &mut Expander<'_>,
        limits: &mut Limits,
    ) -> bool {
        if self.place_of(state) == NONE {
            expander.expand(graph.tree.store.state(state as usize), &mut self.buffer);
            self.numbers |= self.buffer.ends[0].1.numbers;
            graph.merge_expanded(state as usize, &self.buffer, 0, limits);
            self.place.resize(graph.tree.store.len().max(self.place.len()), NONE);
            self.place[state as usize] = self.order.len() as u32;
            self.order.push(state);
            if self.order.len().is_multiple_of(1024) {
                limits.check_memory(graph.bytes());
            }
        }
        limits.tick()
    }

    /// Explores the nearest states around one where a property is pending, as long as it is: the steps that fairness requires
    /// are mostly near, and so is the way back.
    fn close(
        &mut self,
        from: u32,
        guide: usize,
        graph: &mut RunGraph,
        expander: &mut Expander<'_>,
        limits: &mut Limits,
    ) {
        let mut near = vec![from];
        let mut known: HashSet<u32> = [from].into_iter().collect();
        let mut next = 0;
        while next < near.len().min(RUN_NEAR_STATES) && self.look(near[next], graph, expander, limits) {
            for arrow in graph.arrows.of(self.place_of(near[next])) {
                let state = graph.tree.store.state(arrow.to as usize);
                if self.program.any(&self.guides[guide].answer, state) != Some(true) && known.insert(arrow.to)
                {
                    near.push(arrow.to);
                }
            }
            next += 1;
        }
    }

    fn place_of(&self, state: u32) -> u32 {
        self.place.get(state as usize).copied().unwrap_or(NONE)
    }

    /// The start of a walk: an initial state, or the oldest unexplored state.
    fn begin(&mut self, graph: &RunGraph, initial: u32) -> u32 {
        while (self.oldest as usize) < graph.tree.store.len() && self.place_of(self.oldest) != NONE {
            self.oldest += 1;
        }
        if self.rng.random_ratio(1, 2) && (self.oldest as usize) < graph.tree.store.len() {
            self.oldest
        } else {
            self.rng.random_range(0..initial)
        }
    }

    /// The property that is pending in a state, preferably the one that was pending before.
    fn guide(&mut self, graph: &RunGraph, at: u32, before: Option<usize>) -> Option<usize> {
        let state = graph.tree.store.state(at as usize);
        if let Some(guide) = before
            && self.program.any(&self.guides[guide].answer, state) != Some(true)
        {
            return before;
        }
        let begins = |guide: &usize| {
            let Guide { waits, answer } = &self.guides[*guide];
            waits.as_ref().is_none_or(|it| self.program.any(it, state) == Some(true))
                && self.program.any(answer, state) != Some(true)
        };
        let waiting: Vec<usize> = (0..self.guides.len()).filter(begins).collect();
        waiting.choose(&mut self.rng).copied()
    }

    /// The next state of a walk: mostly one where the pending condition does not hold, and of these mostly an unexplored
    /// one.
    fn choose(&mut self, graph: &RunGraph, at: u32, guide: Option<usize>) -> Option<u32> {
        let mut all: Vec<u32> = graph
            .arrows
            .of(self.place_of(at))
            .iter()
            .filter(|Arrow { label, .. }| *label != STUTTER)
            .map(|arrow| arrow.to)
            .collect();
        if let Some(guide) = guide
            && self.rng.random_ratio(7, 8)
        {
            let answer = &self.guides[guide].answer;
            let waits =
                |to: &u32| self.program.any(answer, graph.tree.store.state(*to as usize)) != Some(true);
            let silent: Vec<u32> = all.iter().copied().filter(waits).collect();
            all = if silent.is_empty() { all } else { silent };
        }
        if self.rng.random_ratio(7, 8) {
            let new: Vec<u32> = all.iter().copied().filter(|to| self.place_of(*to) == NONE).collect();
            all = if new.is_empty() { all } else { new };
        }
        all.choose(&mut self.rng).copied()
    }
}
