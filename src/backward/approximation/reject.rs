//! What is learned from a candidate that is reachable.

use super::pool::{Brab, Pool};
use crate::backward::cube::text;
use crate::backward::search::Setting;
use crate::backward::tuning::RESTARTS_PER_GROWTH;
use crate::model::{System, semantics};
use crate::observer::{Event, Observer};
use crate::oracle::OracleGrowth;
use crate::verdict::Trace;

impl Pool {
    /// Takes a reachable candidate out of the pool.
    pub fn abandon(&mut self, setting: &Setting<'_>, number: i32, observer: &mut dyn Observer) {
        let Some(at) = self.kept.iter().position(|c| c.0 == number) else { return };
        let (system, (_, cube)) = (setting.system, self.kept.remove(at));
        let shown = text(system, setting.context, &cube);
        observer.event(system, Event::BadCandidate { number, cube: &shown });
        self.bad.push(cube);
    }

    /// Learns from the run of the `nth` candidate that is reachable, if one is known, and drops the other candidates
    /// that it reaches. Returns a run to a bad state when there turns out to be one.
    pub fn learn(
        &mut self,
        setting: &Setting<'_>,
        brab: Brab<'_>,
        trace: Option<Box<Trace>>,
        nth: usize,
        observer: &mut dyn Observer,
    ) -> Option<Box<Trace>> {
        if let Some(trace) = trace {
            if let Some(found) = prefix_to_bad(setting.system, &trace) {
                return Some(found);
            }
            brab.oracle.learn(&trace);
        }
        if nth.is_multiple_of(RESTARTS_PER_GROWTH) {
            observer.event(setting.system, Event::Work("showing the oracle more states"));
            if let OracleGrowth::Unsafe(trace) = brab.oracle.grow() {
                return Some(trace);
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
        // Trusted invariants, too: a run into one refutes what is assumed.
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
