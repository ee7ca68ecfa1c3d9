//! Sizes of the instances that a run explores.

use super::session::Session;
use super::size::{named, nearest, oracle_size};
use super::tuning::DEFAULT_PROCS;
use cubicle_lang::model::System;
use cubicle_run::{Event, Options};

/// The sizes that the options ask for, in increasing order.
pub fn instances(session: &mut Session<'_>) -> Vec<usize> {
    let (system, options) = (session.system, session.options);
    let asked = named(options);
    let Some(wanted) = asked.or(options.only_forward.then_some(DEFAULT_PROCS)) else { return Vec::new() };
    let wanted = if options.proof.oracle_procs().is_some() { oracle_size(system, wanted) } else { wanted };
    let procs = nearest(system, wanted);
    if procs != wanted && asked.is_some() {
        let text =
            format!("the model has no instance with {wanted} processes; exploring the one with {procs}");
        session.tell(Event::Warning(&text));
    }
    let least = usize::from(system.proc_constants);
    if options.up_to { (least..=procs).collect() } else { vec![procs] }
}

/// The size of the one instance that the options ask for, when they ask for one.
pub fn only_instance(system: &System, options: &Options) -> usize {
    nearest(system, named(options).unwrap_or(DEFAULT_PROCS))
}
