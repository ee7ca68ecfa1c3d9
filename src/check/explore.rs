//! The explorations that the options ask for.

use super::demand::Demand;
use super::instances::instances;
use super::purpose::Purpose;
use super::session::Session;
use super::sizes;
use super::vacuity::is_to_prove;
use cubicle_run::{ForwardOptions, Procs, Verdict};

/// Explores the instances; a verdict only when the run ends here.
pub fn explore(session: &mut Session<'_>) -> Option<Verdict> {
    let options = session.options;
    if options.procs == Some(Procs::Auto) && options.proof.oracle_procs().is_none() {
        return sizes::explore(session);
    }
    if session.explores_for_oracle() && !is_answer(session) {
        let instances = if asks(session) { instances(session) } else { Vec::new() };
        session.demand = Demand::new(session.system, instances, &options.forward);
        return None;
    }
    let purpose = if session.explores_for_oracle() { Purpose::Oracle } else { Purpose::Answer };
    let store = if options.only_forward { options.store } else { options.forward.store };
    let (checkpoint, spill) = (options.checkpoint.clone(), options.spill.clone());
    let limits = ForwardOptions { store, checkpoint, spill, ..options.forward.clone() };
    for procs in instances(session) {
        let found = session.explore(procs, &limits, purpose);
        if let Some(verdict) = session.conclude_instance(found).break_value() {
            return verdict;
        }
    }
    None
}

/// Whether the search may have anything to ask its oracle: with nothing to prove, no candidate is ever made.
fn asks(session: &Session<'_>) -> bool {
    let Session { system, options, .. } = session;
    !options.backward.proposed.is_empty() || system.bad.iter().any(|bad| is_to_prove(options, bad.kind))
}

/// Whether an exploration that serves a search is an answer as well, or must come before it: the options ask for deadlocks, all states or all bad
/// states, other processes explore, or its states are kept.
fn is_answer(session: &Session<'_>) -> bool {
    let Session { options, remote, .. } = session;
    let itself = options.forward.deadlock || options.require_complete || !options.forward.stop_at_unsafe;
    let kept = options.checkpoint.is_some() || options.spill.is_some();
    itself || kept || remote.is_some()
}
