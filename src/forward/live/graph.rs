//! All states and all steps of an instance, with labels.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::error::Unbuildable;
use crate::limits::Limits;
use crate::live::arrows::{Arrow, Arrows, STUTTER};
use crate::live::expand::{Expanded, representative};
use crate::live::moves::Moves;
use crate::program::Program;
use crate::store::hash::hash;
use crate::store::{Inserted, ROOT, Store};
use cubicle_run::Stop;

/// The reachable part of an instance, as far as the limits allow.
pub struct RunGraph {
    /// The states, in breadth-first order.
    pub store: Store,
    /// The steps from each state, labelled with their moves; a state in which every step is optional may stay for
    /// ever.
    pub arrows: Arrows,
    /// The meaning of the labels.
    pub moves: Moves,
    /// For each state, whether some of its steps may be missing.
    pub cut: Vec<bool>,
    /// Why the exploration ended.
    pub stop: Stop,
    /// For each state, its parent and the move from there.
    found: Vec<(u32, u32)>,
}

impl RunGraph {
    /// The initial states of an instance, and whether a number left its range.
    pub fn begin(program: &Program, limits: &mut Limits) -> Result<(Self, bool), Unbuildable> {
        let mut this = Self {
            store: Store::new(program.packing.words),
            arrows: Arrows::default(),
            moves: Moves::new(program.instances.len()),
            cut: Vec::new(),
            stop: Stop::Complete,
            found: Vec::new(),
        };
        let mut numbers = false;
        let mut first = vec![0; program.packing.words];
        let clock = Arc::clone(&limits.clock);
        program.initial_states(&clock, &mut numbers, |state| {
            first.copy_from_slice(state);
            representative(program, &mut first);
            this.insert(&first, hash(&first), (ROOT, STUTTER), limits);
            if limits.tick() && this.store.len().is_multiple_of(1024) {
                limits.check_memory(this.bytes());
            }
            if limits.stop.is_some() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        Ok((this, numbers))
    }

    /// Ends the exploration; `numbers` says whether a number left its range.
    pub fn end(&mut self, limits: &Limits, numbers: bool) {
        self.arrows.finish(self.store.len());
        self.cut.resize(self.store.len(), true);
        self.stop = limits.stop.unwrap_or(if numbers { Stop::Numbers } else { Stop::Complete });
    }

    /// Puts data about states, which are listed in this order, into the order of the states.
    pub fn arrange(&mut self, order: &[u32]) {
        let mut place: Vec<Option<usize>> = vec![None; self.store.len()];
        for (at, state) in order.iter().enumerate() {
            place[*state as usize] = Some(at);
        }
        let mut arrows = Arrows::default();
        let mut cut = Vec::with_capacity(place.len());
        for place in place {
            for arrow in place.map_or(&[][..], |at| self.arrows.of(at as u32)) {
                arrows.push(*arrow);
            }
            arrows.end_node();
            cut.push(place.is_none_or(|at| self.cut[at]));
        }
        (self.arrows, self.cut) = (arrows, cut);
    }

    /// Stores the successors of a state, whose steps are at index `at` of a buffer.
    pub fn merge_expanded(&mut self, state: usize, buffer: &Expanded, at: usize, limits: &mut Limits) {
        let (last, end) = buffer.ends[at];
        let first = if at == 0 { 0 } else { buffer.ends[at - 1].0 };
        let words = buffer.states.len() / buffer.steps.len().max(1);
        let mut missing = end.too_many;
        if missing {
            limits.stop = Some(limits.full);
        }
        for step in first..last {
            let (instance, turn) = &buffer.steps[step];
            let label = self.moves.number(*instance, turn);
            let next = &buffer.states[step * words..(step + 1) * words];
            let Some(to) = self.insert(next, buffer.hashes[step], (state as u32, label), limits) else {
                missing = true;
                break;
            };
            self.arrows.push(Arrow { label, to });
        }
        if !(end.numbers || missing || end.obliged) {
            self.arrows.push(Arrow { label: STUTTER, to: state as u32 });
        }
        self.arrows.end_node();
        self.cut.push(missing || end.numbers);
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        self.store.bytes() + self.arrows.bytes() + self.found.len() * 9
    }

    /// The number of a state; `None` when the store is full.
    fn insert(&mut self, state: &[u64], h: u64, from: (u32, u32), limits: &mut Limits) -> Option<u32> {
        if self.store.len() >= limits.max_states {
            let known = self.store.find_hashed(state, h);
            if known.is_none() {
                limits.stop = Some(limits.full);
            }
            return known.map(|number| number as u32);
        }
        Some(match self.store.insert(state, h) {
            Inserted::Old(number) => number as u32,
            Inserted::New(number) => {
                self.found.push(from);
                number as u32
            }
        })
    }

    /// The parent of a state, or `ROOT`.
    pub fn found_from(&self, state: u32) -> u32 {
        self.found[state as usize].0
    }

    /// How a state was found: the initial state, then the moves and the states that they lead to.
    pub fn way_to(&self, state: u32) -> (u32, Vec<Arrow>) {
        let mut way = Vec::new();
        let mut at = state;
        while self.found[at as usize].0 != ROOT {
            let (from, label) = self.found[at as usize];
            way.push(Arrow { label, to: at });
            at = from;
        }
        way.reverse();
        (at, way)
    }
}
