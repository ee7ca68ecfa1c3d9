//! All states and all steps of an instance, with labels.

use std::sync::Arc;

use crate::clock::{Clock, Ticker};
use crate::error::Unbuildable;
use crate::limits::Limits;
use crate::live::arrows::{Arrow, Arrows, MAX_RENAMED, Moves, STAY, STUTTER, Turn};
use crate::program::{Program, Scratch};
use crate::store::{Inserted, ROOT, StateTree, hash, way};
use cubicle_run::Stop;

/// The steps from some states, one after the other.
#[derive(Debug, Default)]
pub struct Expanded {
    /// For each state: the end of its steps, and flags about it.
    pub ends: Vec<(usize, End)>,
    /// The instance that takes each step, and the renaming of its result.
    pub steps: Vec<(u32, Turn)>,
    /// The successors, one after the other.
    pub states: Vec<u64>,
    pub hashes: Vec<u64>,
}

/// Flags of a state besides its steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct End {
    /// A number left its range, or time was up: steps are missing.
    pub numbers: bool,
    /// There are more steps than the limit.
    pub too_many: bool,
    /// Some step must follow.
    pub obliged: bool,
}

/// Takes steps, with its own buffers.
pub struct Expander<'a> {
    program: &'a Program,
    /// For each instance, whether runs may leave it out for ever.
    optional: &'a [bool],
    /// The most steps of one state.
    most: usize,
    scratch: Scratch,
    clock: Arc<Clock>,
    ticker: Ticker,
}

impl<'a> Expander<'a> {
    /// For the instances of a program; `optional` says which of them runs may leave out for ever. No more steps are taken once
    /// `clock` has expired.
    pub fn new(program: &'a Program, optional: &'a [bool], most: usize, clock: &Arc<Clock>) -> Self {
        let (scratch, clock) = (Scratch::timed(program, clock), Arc::clone(clock));
        Self { program, optional, most, scratch, clock, ticker: Ticker::new() }
    }

    /// Takes all steps from `states`, which are stored one after the other.
    pub fn expand(&mut self, states: &[u64], out: &mut Expanded) {
        out.ends.clear();
        out.steps.clear();
        out.states.clear();
        out.hashes.clear();
        for state in states.chunks(self.program.packing.words) {
            let first = out.steps.len();
            let mut end = End::default();
            let mut late = false;
            self.scratch.numbers = false;
            let live = self.program.successors(state, &mut self.scratch, |instance, next| {
                end.too_many = out.steps.len() - first >= self.most;
                late = self.ticker.tick(&self.clock).is_some();
                if end.too_many || late {
                    return true;
                }
                let turn = representative(self.program, next);
                end.obliged |= !self.optional[instance];
                out.steps.push((instance as u32, turn));
                out.hashes.push(hash(next));
                out.states.extend_from_slice(next);
                false
            });
            end.obliged &= live;
            end.numbers = self.scratch.numbers || late;
            out.ends.push((out.steps.len(), end));
        }
    }
}

/// Replaces a state by its stored representative; returns the renaming.
#[inline]
pub fn representative(program: &Program, state: &mut [u64]) -> Turn {
    let Program { cells, packing, symmetry, .. } = program;
    let (renaming, _) = symmetry.renaming(cells, packing, state);
    let renamed = &renaming[..renaming.len().min(MAX_RENAMED)];
    let mut turn = STAY;
    turn[..renamed.len()].copy_from_slice(renamed);
    turn
}

/// The reachable part of an instance, as far as the limits allow.
pub struct RunGraph {
    /// The states, in breadth-first order, each with its parent.
    pub tree: StateTree,
    /// The steps from each state, labelled with their moves; a state in which every step is optional may stay for
    /// ever.
    pub arrows: Arrows,
    /// The meaning of the labels.
    pub moves: Moves,
    /// For each state, whether some of its steps may be missing.
    pub cut: Vec<bool>,
    pub stop: Stop,
    /// For each state, the move by which it was found.
    by: Vec<u32>,
    /// Whether a number left its range.
    numbers: bool,
    pub limits: Limits,
}

impl RunGraph {
    /// The initial states of an instance.
    pub fn begin(program: &Program, limits: Limits) -> Result<Self, Unbuildable> {
        let clock = Arc::clone(&limits.clock);
        let mut this = Self {
            tree: StateTree::new(program.packing.words),
            arrows: Arrows::default(),
            moves: Moves::new(program.instances.len()),
            cut: Vec::new(),
            stop: Stop::Complete,
            by: Vec::new(),
            numbers: false,
            limits,
        };
        this.numbers = program.initial_states(&clock, &mut |state| {
            representative(program, state);
            this.insert(state, hash(state), (ROOT, STUTTER));
            if this.limits.tick() {
                this.check_memory(this.tree.store.len());
            }
            this.limits.stop.is_some()
        })?;
        Ok(this)
    }

    /// Ends the exploration.
    pub fn end(&mut self) {
        self.arrows.finish(self.tree.store.len());
        self.cut.resize(self.tree.store.len(), true);
        self.stop = self.limits.stop.unwrap_or(if self.numbers { Stop::Numbers } else { Stop::Complete });
    }

    /// Puts data about states, which are listed in this order, into the order of the states.
    pub fn arrange(&mut self, order: &[u32]) {
        let mut place: Vec<Option<usize>> = vec![None; self.tree.store.len()];
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
    pub fn merge_expanded(&mut self, state: usize, buffer: &Expanded, at: usize) {
        let (last, end) = buffer.ends[at];
        let first = if at == 0 { 0 } else { buffer.ends[at - 1].0 };
        let words = buffer.states.len() / buffer.steps.len().max(1);
        let mut missing = end.too_many;
        if missing {
            self.limits.stop = Some(self.limits.full);
        }
        self.numbers |= end.numbers;
        for step in first..last {
            let (instance, turn) = buffer.steps[step];
            let label = self.moves.number(instance, turn);
            let next = &buffer.states[step * words..(step + 1) * words];
            let Some(to) = self.insert(next, buffer.hashes[step], (state as u32, label)) else {
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

    /// Looks at the memory when this much work is a round number.
    pub fn check_memory(&mut self, done: usize) {
        if done.is_multiple_of(1024) {
            self.limits.check_memory(self.tree.bytes() + self.arrows.bytes() + self.by.len() * 5);
        }
    }

    /// The number of a state; `None` when the store is full.
    fn insert(&mut self, state: &[u64], h: u64, from: (u32, u32)) -> Option<u32> {
        let inserted = self.tree.insert_within(state, h, from.0, &mut self.limits)?;
        if let Inserted::New(_) = inserted {
            self.by.push(from.1);
        }
        Some(inserted.number() as u32)
    }

    pub fn is_initial(&self, state: u32) -> bool {
        self.tree.parents[state as usize] == ROOT
    }

    /// How a state was found: the initial state, then the moves and the states that they lead to.
    pub fn way_to(&self, state: u32) -> (u32, Vec<Arrow>) {
        let way = way(state as usize, usize::MAX, |at| self.tree.parents[at]);
        let arrow = |at: &usize| Arrow { label: self.by[*at], to: *at as u32 };
        (way[0] as u32, way[1..].iter().map(arrow).collect())
    }
}
