//! Learning from a candidate that is reachable.

use super::pool::{Brab, Pool};
use crate::cube::text;
use crate::search::Setting;
use crate::tuning::{LEAST_GROWTH, RESTARTS_PER_GROWTH, STATES_PER_EFFORT, WIDEN_AT};
use cubicle_lang::model::{System, semantics};
use cubicle_run::{Event, Observer, OracleGrowth, Trace};
use tracing::debug;

/// A candidate that is reachable.
#[derive(Debug)]
pub struct Reached {
    /// A run to it, if one is known.
    pub trace: Option<Box<Trace>>,
    /// How many candidates were rejected in the search so far, this one included.
    pub nth: usize,
    /// The effort of the search so far.
    pub spent: u64,
}

impl Pool {
    /// Takes a reachable candidate out of the pool.
    pub fn abandon(&mut self, setting: &Setting<'_>, number: i32, observer: &mut dyn Observer) {
        let Some(at) = self.kept.iter().position(|c| c.0 == number) else { return };
        let (system, (_, cube)) = (setting.system, self.kept.remove(at));
        let shown = text(system, setting.context, &cube);
        debug!(number, cube = shown.join(" && "), "candidate rejected: it is reachable");
        observer.event(system, Event::BadCandidate { number, cube: &shown });
        self.bad.push(cube);
    }

    /// Learns from the run of a reachable candidate, if one is known, and drops the other candidates that it
    /// reaches. Returns a run to a bad state if one is found.
    pub fn learn(
        &mut self,
        setting: &Setting<'_>,
        brab: Brab<'_>,
        reached: Reached,
        observer: &mut dyn Observer,
    ) -> Option<Box<Trace>> {
        if let Some(trace) = reached.trace {
            if let Some(found) = prefix_to_bad(setting.system, &trace) {
                return Some(found);
            }
            brab.oracle.learn(&trace);
        }
        if reached.nth.is_multiple_of(RESTARTS_PER_GROWTH) {
            observer.event(setting.system, Event::Work("showing the oracle more states"));
            // In proportion to what the search has spent.
            let max_states = reached.spent.saturating_mul(STATES_PER_EFFORT).max(LEAST_GROWTH);
            let due = WIDEN_AT.get(self.widened).is_some_and(|&at| reached.spent >= at as u64);
            let growth = match brab.oracle.grow(max_states, observer) {
                // It knows all states of its instances, and candidates are reached in larger ones.
                OracleGrowth::Nothing if due => {
                    self.widened += 1;
                    brab.oracle.widen()
                }
                growth => growth,
            };
            match growth {
                OracleGrowth::Unsafe(trace) => return Some(trace),
                OracleGrowth::More(states) => self.grown += states,
                OracleGrowth::Nothing => {}
            }
        }
        self.drop_reached(setting.context, brab);
        None
    }
}

/// A run to a candidate may pass a bad state: the shortest such prefix.
fn prefix_to_bad(system: &System, trace: &Trace) -> Option<Box<Trace>> {
    let states = std::iter::once(&trace.initial).chain(trace.steps.iter().map(|s| &s.after));
    for (i, state) in states.enumerate() {
        // Trusted invariants, too: a run into one refutes an assumption.
        for k in 0..system.bad.len() {
            if semantics::satisfies(system, state, k).is_some() {
                let mut prefix = trace.clone();
                prefix.steps.truncate(i);
                prefix.bad = Some(k);
                if semantics::replay(system, &prefix).is_ok() {
                    return Some(Box::new(prefix));
                }
            }
        }
    }
    None
}
