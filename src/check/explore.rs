//! The explorations that the options ask for, and the sizes of their instances.

use std::borrow::Cow;

use super::demand::Demand;
use super::session::Session;
use super::size::{Purpose, divided, named, nearest, oracle_size};
use super::sizes;
use super::tuning::DEFAULT_PROCS;
use super::vacuity::is_to_prove;
use cubicle_lang::model::System;
use cubicle_run::{Event, ForwardOptions, Options, Procs, Verdict};

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
    let mut first = None;
    for procs in instances(session) {
        let mut found = session.explore(procs, &limits, purpose);
        if first.is_some() {
            session.leave_known_out(&mut found.exploration);
        }
        match session.conclude_instance(found).break_value() {
            // Larger instances may have further bad cubes.
            Some(Some(Verdict::Unsafe(trace))) if !options.forward.stop_at_unsafe => first = Some(trace),
            Some(ended) if first.is_none() => return ended,
            Some(_) => break,
            None => {}
        }
    }
    first.map(|trace| session.decided_by_run(*trace))
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

/// The sizes that the options ask for, in increasing order.
pub fn instances(session: &mut Session<'_>) -> Vec<usize> {
    let (system, options) = (session.system, session.options);
    let asked = named(options);
    let Some(wanted) = asked.or(options.only_forward.then_some(DEFAULT_PROCS)) else { return Vec::new() };
    let wanted = wanted_size(system, options, wanted);
    let procs = nearest(system, wanted);
    if procs != wanted && asked.is_some() {
        let text =
            format!("the model has no instance with {wanted} processes; exploring the one with {procs}");
        session.tell(Event::Warning { text });
    }
    let least = usize::from(system.proc_constants);
    if options.up_to { (least..=procs).collect() } else { vec![procs] }
}

/// The size of an instance for which the options name this number of processes.
fn wanted_size(system: &System, options: &Options, procs: usize) -> usize {
    if options.proof.oracle_procs().is_some() { oracle_size(system, procs) } else { procs }
}

/// The size of the one instance that the options ask for, when they ask for one, and how it is explored: as a session does that leads others.
pub fn only_instance<'o>(system: &System, options: &'o Options) -> (usize, Cow<'o, ForwardOptions>) {
    let wanted = wanted_size(system, options, named(options).unwrap_or(DEFAULT_PROCS));
    let serves = options.proof.oracle_procs().is_some() && !options.only_forward;
    let purpose = if serves { Purpose::Oracle } else { Purpose::Answer };
    let procs = nearest(system, wanted);
    (procs, divided(system, procs, &options.forward, options.require_complete, purpose))
}
