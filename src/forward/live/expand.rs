//! Successors of some states, before it is known which of them are new.

use std::sync::Arc;

use crate::clock::{Clock, Ticker};
use crate::live::moves::{MAX_RENAMED, STAY, Turn};
use crate::program::{Program, Scratch};
use crate::store::hash::hash;

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
