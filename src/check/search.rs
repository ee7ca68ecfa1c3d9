//! One backward search.

use super::session::Session;
use super::size::nearest;
use super::spurious::look_forward;
use super::tuning::WIDEST_ORACLE;
use cubicle_run::{BackwardMode, Decider, Reason, Verdict};

/// Searches as the options say, with the explored states as oracle.
pub fn search(session: &mut Session<'_>) {
    let (system, proof) = (session.system, session.options.proof);
    session.known.space.most_procs =
        system.max_procs.map_or(WIDEST_ORACLE, |most| WIDEST_ORACLE.min(most as usize));
    let search = match proof {
        BackwardMode::Brab(procs) => BackwardMode::Brab(nearest(system, procs)),
        BackwardMode::Pdr(procs) => BackwardMode::Pdr(nearest(system, procs)),
        other => other,
    };
    let mut verdict = once(session, search);
    if matches!(verdict, Verdict::Unknown(_)) && session.interrupt.reason().is_none() {
        verdict = session.explore_rest().unwrap_or(verdict);
    }
    session.report.verdict = Some(verdict);
    if !matches!(session.report.verdict, Some(Verdict::Unknown(_))) && session.report.decider.is_none() {
        let found = session.demand.found.map(|(procs, _)| Decider::Forward(procs));
        session.report.decider = Some(found.unwrap_or(Decider::Stage(proof)));
    }
}

fn once(session: &mut Session<'_>, search: BackwardMode) -> Verdict {
    let options = &session.options.backward;
    let outcome = session.search(search, options.order.unwrap_or_default(), [options.max_effort; 2]);
    let verdict = outcome.verdict.clone();
    // Where the first states that it asked for end it, there was no search.
    session.report.backward = Some(outcome).filter(|_| !found_at_once(session));
    match verdict {
        Verdict::Unknown(Reason::Spurious(_)) => look_forward(session).unwrap_or(verdict),
        verdict => verdict,
    }
}

/// Whether the states that a search asked for first show a bad state.
fn found_at_once(session: &Session<'_>) -> bool {
    session.demand.found.is_some_and(|(_, stage)| stage == 1)
}
