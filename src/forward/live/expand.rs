//! What the steps from some states lead to, before it is known which states are new.

use std::sync::Arc;

use crate::clock::{Clock, Ticker};
use crate::live::moves::{MAX_RENAMED, STAY, Turn};
use crate::program::compiled::Program;
use crate::program::step::Scratch;
use crate::store::hash::hash;
use crate::symmetry::canonical::Symmetry;

/// The steps from some states, one after the other.
#[derive(Debug, Default)]
pub struct Expanded {
    /// For each state: how many steps there are up to here, and how it ends.
    pub ends: Vec<(usize, End)>,
    /// The instance that takes each step, and how its result is renamed.
    pub steps: Vec<(u32, Turn)>,
    /// The states that they lead to, one after the other.
    pub states: Vec<u64>,
    /// Their hashes.
    pub hashes: Vec<u64>,
}

/// What there is to say of a state beside its steps.
#[derive(Clone, Copy, Debug, Default)]
pub struct End {
    /// A number left its range, or there was no more time: steps are missing.
    pub numbers: bool,
    /// There are more steps than were wanted.
    pub too_many: bool,
    /// Some step has to follow.
    pub obliged: bool,
}

/// Takes steps, with buffers of its own.
pub struct Expander<'a> {
    program: &'a Program,
    /// For each instance, whether no run has to take it.
    optional: &'a [bool],
    /// The most steps of one state.
    most: usize,
    scratch: Scratch,
    clock: Arc<Clock>,
    ticker: Ticker,
}

impl<'a> Expander<'a> {
    /// For the instances of a program; `optional` says which of them no run has to take. No more steps are taken once `clock`
    /// says so.
    pub fn new(program: &'a Program, optional: &'a [bool], most: usize, clock: &Arc<Clock>) -> Self {
        let (scratch, clock) = (Scratch::timed(program, clock), Arc::clone(clock));
        Self { program, optional, most, scratch, clock, ticker: Ticker::new() }
    }

    /// Takes all steps from `states`, which stand one after the other.
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

/// Replaces a state by the one that is stored for it; how that renames processes.
#[inline]
pub fn representative(program: &Program, state: &mut [u64]) -> Turn {
    let Program { cells, packing, symmetry, .. } = program;
    let mut turn = STAY;
    match symmetry {
        Symmetry::Off => {}
        Symmetry::Lanes(lanes) => {
            if let Some(place) = lanes.sort(state) {
                turn[..cells.procs].copy_from_slice(&place[..cells.procs]);
            }
        }
        _ => {
            let (renaming, _) = symmetry.renaming(cells, packing, state);
            turn[..renaming.len().min(MAX_RENAMED)].copy_from_slice(&renaming);
        }
    }
    turn
}
