//! Models that bound their processes: where all instances are explored completely, that is the answer.

use super::session::Session;
use super::size::Purpose;
use super::tuning::LARGEST_SIZE;
use cubicle_forward::{Explored, walks};
use cubicle_lang::model::System;
use cubicle_lang::model::semantics::admits;
use cubicle_run::{Decider, Exploration, ForwardOptions, Options, Stop, Verdict};

/// Processes of the instances of a model that has a largest one, in increasing order.
pub fn all_sizes(system: &System) -> Option<Vec<usize>> {
    let most = if system.has_processes() { system.max_procs? as usize } else { 0 };
    (most <= LARGEST_SIZE).then(|| (0..=most).filter(|procs| admits(system, *procs)).collect())
}

/// Whether an exploration saw every state of its instance, with any division of the processes among sorts, and none was bad. (One whose states may be mistaken
/// for others never ends with [`Stop::Complete`].)
fn is_closed(seen: &Exploration) -> bool {
    seen.stop == Stop::Complete && seen.sorts.is_empty() && seen.unsafe_trace.is_none()
}

/// Explores all instances of a model that bounds its processes, smallest first, within `states` states in all; the verdict when a bad state is met, or
/// none is and all states were seen.
pub fn decide(session: &mut Session<'_>, states: usize) -> Option<Verdict> {
    let Session { system, options, .. } = *session;
    let sizes = all_sizes(system)?;
    let Options { forward, backward, .. } = options;
    if options.needs_proof || backward.trust_invariants || !forward.of_sorts.is_empty() || session.is_derived
    {
        return None;
    }
    let mut left = forward.max_states.map_or(states, |most| most.min(states));
    let mut all: Vec<Explored> = Vec::new();
    for &procs in &sizes {
        let limits = ForwardOptions {
            max_states: Some(left),
            time: forward.time,
            memory: forward.memory,
            jobs: forward.jobs,
            ..ForwardOptions::default()
        };
        let found = session
            .timed("forward exploration", |session| session.explore_unseen(procs, &limits, Purpose::Answer));
        let Exploration { states, unsafe_trace, .. } = &found.exploration;
        left = left.saturating_sub(*states);
        let trace = unsafe_trace.clone();
        if trace.is_none() && !is_closed(&found.exploration) {
            return None;
        }
        all.push(found);
        if let Some(trace) = trace {
            show(session, all);
            return Some(session.decided_by_run(trace));
        }
    }
    show(session, all);
    // The searches before are not why.
    let report = &mut session.report;
    (report.backward, report.announcements) = (None, Vec::new());
    report.tails = Vec::new();
    report.decider = Some(Decider::AllInstances(sizes.last().copied().unwrap_or(0)));
    Some(Verdict::Safe)
}

/// Whether the explorations of a run are of all instances that its model has, completely.
pub fn are_closed(session: &Session<'_>) -> bool {
    let kept = session.known.space.explored.iter().map(|it| &it.exploration);
    let seen: Vec<&Exploration> = session.report.explorations.iter().chain(kept).collect();
    let closed = |procs: &usize| seen.iter().any(|it| it.procs == *procs && is_closed(it));
    all_sizes(session.system).is_some_and(|sizes| sizes.iter().all(closed))
}

/// Tells of explorations that decide, and keeps them.
fn show(session: &mut Session<'_>, all: Vec<Explored>) {
    for new in all {
        session.keep(new);
    }
}

/// The verdict when the explorations that were all that is asked for are of all instances, completely.
pub fn of_explorations(session: &mut Session<'_>) {
    let Session { system, options, .. } = *session;
    let report = &mut session.report;
    let partly = walks(&options.forward) || !options.forward.of_sorts.is_empty();
    let Some(sizes) = all_sizes(system).filter(|_| !partly && !system.bad.is_empty()) else { return };
    let closed = |procs: &usize| report.explorations.iter().any(|it| it.procs == *procs && is_closed(it));
    if report.verdict.is_none() && sizes.iter().all(closed) {
        report.verdict = Some(Verdict::Safe);
        report.decider = Some(Decider::AllInstances(sizes.last().copied().unwrap_or(0)));
    }
}
