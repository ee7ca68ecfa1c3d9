//! `--procs auto`: instances of increasing size, until a larger one looks the same.
//!
//! A heuristic, not a proof: see [`Enough::Settled`].

use super::session::Session;
use super::size::{Purpose, most_named, nearest};
use super::tuning::{LARGEST_SIZE, SAME_SIZES, STATES_OF_A_SIZE};
use cubicle_forward::Views;
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::admits;
use cubicle_run::{Enough, ForwardOptions, Stop, Verdict};

/// Explores instances of increasing size; a verdict only when the run ends here. Notes in the report why
/// it stopped.
pub fn explore(session: &mut Session<'_>) -> Option<Verdict> {
    let system = session.system;
    let max_states = session.options.forward.max_states.or(Some(STATES_OF_A_SIZE));
    let limits = ForwardOptions { max_states, ..session.options.forward.clone() };
    let of = view_size(system);
    let mut same: Vec<Views> = Vec::new();
    let mut procs = first_size(system);
    let mut first = None;
    let enough = loop {
        let mut found = session.explore(procs, &limits, Purpose::Answer);
        if first.is_some() {
            session.leave_known_out(&mut found.exploration);
        }
        let views = if found.exploration.stop == Stop::Complete { found.views(of) } else { None };
        match session.conclude_instance(found).break_value() {
            None => {}
            Some(Some(Verdict::Unsafe(trace))) if !limits.stop_at_unsafe => first = Some(trace),
            Some(Some(verdict)) if first.is_none() => {
                if matches!(verdict, Verdict::Unsafe(_)) {
                    session.report.enough = Some(Enough::Found);
                }
                return Some(verdict);
            }
            Some(_) => break Enough::Cut(procs),
        }
        let Some(views) = views else { break Enough::Cut(procs) };
        same.retain(|smaller| *smaller == views);
        same.push(views);
        if same.len() >= SAME_SIZES {
            break Enough::Settled { of, views: same[0].len() };
        }
        if !admits(system, procs + 1) {
            break Enough::Largest;
        }
        if procs >= LARGEST_SIZE {
            break Enough::Limit;
        }
        procs += 1;
    };
    session.report.enough = Some(enough);
    first.map(|trace| session.decided_by_run(*trace))
}

/// Processes of a view: as many as a bad cube names, but two or three.
fn view_size(system: &System) -> usize {
    let most = system.bad.iter().map(|bad| usize::from(bad.params)).max().unwrap_or(0);
    most.clamp(2, 3)
}

/// The smallest size in which every transition has an instance and views can be compared.
fn first_size(system: &System) -> usize {
    let most = most_named(system).max(view_size(system));
    nearest(system, usize::from(system.proc_constants) + most).min(LARGEST_SIZE)
}
