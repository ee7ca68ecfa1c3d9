//! From the history of a state to a run, which the reference semantics replays.

use super::follower::Follower;
use super::history::{NONE, SAME};
use crate::run::{RealStep, states};
use crate::state::UNDEF;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::{
    ReplayError, Semantics, State, Trace, Value, replay, replay_steps, with_counts,
};

/// A run that explains what is known.
#[derive(Clone, Debug)]
pub struct FollowedRun {
    /// The run; where its beginning is not kept, its last part.
    pub trace: Trace,
    /// For each step the label of its event; 0 for a step that no event shows.
    pub labels: Vec<u64>,
    /// Whether it begins in an initial state.
    pub whole: bool,
}

/// A run could not be made from its records, or the reference semantics rejects it.
#[derive(Debug, thiserror::Error)]
pub enum Unexplained {
    /// A count of one of its states leaves the 64-bit range.
    #[error("a count leaves the 64-bit range")]
    Counts,
    /// The reference semantics rejects it.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// None of its states is bad.
    #[error("no state of the run is bad")]
    NotBad,
    /// The part with the bad state is not kept.
    #[error("the run is not kept")]
    NotKept,
}

impl Follower {
    /// The run to the state of a record, replayed by the reference semantics; with `bad`, to its first bad state.
    ///
    /// # Errors
    /// It cannot be replayed, which is a fault of this program, or a count is out of range.
    pub fn run(&self, system: &System, record: u64, bad: bool) -> Result<FollowedRun, Unexplained> {
        let mut chain = self.history.chain(record);
        let whole = chain.first().is_none_or(|(first, _)| first.from == NONE);
        let cube = if bad {
            let found =
                chain.iter().enumerate().find_map(|(at, (_, state))| Some((at, self.bad_cube(state)?)));
            let Some((at, number)) = found else {
                return Err(if whole { Unexplained::NotBad } else { Unexplained::NotKept });
            };
            chain.truncate(at + 1);
            Some(number)
        } else {
            None
        };
        let unpacked = |state: &[u64]| self.program.packing.codes(state);
        let (mut steps, mut labels) = (Vec::new(), Vec::new());
        for pair in chain.windows(2) {
            let [(_, before), (record, _)] = pair else { continue };
            if record.instance != SAME {
                steps.push(RealStep { instance: record.instance as usize, before: unpacked(before) });
                labels.push(record.label);
            }
        }
        let last = chain.last().map(|(_, state)| unpacked(state)).ok_or(Unexplained::NotKept)?;
        let (initial, steps) = states(&self.program, &steps, last, None).ok_or(Unexplained::Counts)?;
        let trace = Trace { initial, steps, bad: cube };
        match (whole, bad) {
            (true, true) => replay(system, &trace)?,
            (true, false) => replay_steps(system, &trace)?,
            (false, _) => replay_part(system, &trace)?,
        }
        Ok(FollowedRun { trace, labels, whole })
    }

    /// A state as values, and for each cell whether it may as well hold any other value.
    pub fn values(&self, system: &System, state: &[u64]) -> (State, Vec<bool>) {
        let cells = &self.program.cells;
        let codes = self.program.packing.fields.iter().map(|field| field.get(state));
        let open: Vec<bool> = codes.clone().map(|code| code == UNDEF).collect();
        let value = |(cell, code): (usize, i64)| -> Value {
            let code = if code == UNDEF { cells.first_open_code(cell) } else { code };
            cells.value(cell, code, None)
        };
        let mut values: Vec<Value> = codes.enumerate().map(value).collect();
        self.program.choose(&mut values);
        let state = State { procs: cells.procs, values: cells.places.whole_values(values) };
        (with_counts(system, state.clone()).unwrap_or(state), cells.places.whole(open, |_, _| false))
    }
}

/// Replays a run whose beginning is not known.
fn replay_part(system: &System, trace: &Trace) -> Result<(), ReplayError> {
    let semantics = Semantics::new(system, trace.initial.procs);
    let state = semantics.follow(trace)?;
    match trace.bad {
        Some(bad) if semantics.satisfies(state, bad).is_none() => {
            Err(ReplayError::NotBad { step: trace.steps.len() })
        }
        _ => Ok(()),
    }
}
