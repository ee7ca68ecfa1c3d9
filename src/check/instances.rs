//! Sizes of the instances that a run explores.

use super::session::Session;
use super::size::{nearest, oracle_size};
use super::tuning::DEFAULT_PROCS;
use cubicle_lang::model::System;
use cubicle_run::{Event, Options, Procs};

/// The sizes that the options ask for, in increasing order.
pub fn instances(session: &mut Session<'_>) -> Vec<usize> {
    let (system, options) = (session.system, session.options);
    let (wanted, asked) = match (options.proof.oracle_procs(), options.procs) {
        (Some(procs), _) | (_, Some(Procs::Exactly(procs))) => (procs, true),
        _ if options.only_forward => (DEFAULT_PROCS, false),
        _ => return Vec::new(),
    };
    let wanted = if options.proof.oracle_procs().is_some() { oracle_size(system, wanted) } else { wanted };
    let procs = nearest(system, wanted);
    if procs != wanted && asked {
        let text =
            format!("the model has no instance with {wanted} processes; exploring the one with {procs}");
        session.tell(Event::Warning(&text));
    }
    let least = usize::from(system.proc_constants);
    if options.up_to { (least..=procs).collect() } else { vec![procs] }
}

/// The size of the one instance that the options ask for, when they ask for one.
pub fn only_instance(system: &System, options: &Options) -> usize {
    let wanted = match (options.proof.oracle_procs(), options.procs) {
        (Some(procs), _) | (None, Some(Procs::Exactly(procs))) => procs,
        _ => DEFAULT_PROCS,
    };
    nearest(system, wanted)
}
