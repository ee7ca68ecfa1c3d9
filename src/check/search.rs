//! One backward search, repeated with owners when spurious paths ask for them.

use super::owners::{Basis, OwnerSearchEnd, search_with_owners};
use super::purpose::Purpose;
use super::session::Session;
use super::size::nearest;
use super::spurious::look_forward;
use super::tuning::WIDEST_ORACLE;
use cubicle_run::options::BackwardMode;
use cubicle_run::result::{Decider, Forgotten};
use cubicle_run::verdict::{Reason, Verdict};

/// Searches as the options say, with the explored states as oracle.
pub fn search(session: &mut Session<'_>) {
    let (system, proof) = (session.system, session.options.proof);
    session.space.most_procs =
        system.max_procs.map_or(WIDEST_ORACLE, |most| WIDEST_ORACLE.min(most as usize));
    let search = match proof {
        BackwardMode::Brab(procs) => BackwardMode::Brab(nearest(system, procs)),
        BackwardMode::Pdr(procs) => BackwardMode::Pdr(nearest(system, procs)),
        other => other,
    };
    let sizes = session.oracle_sizes();
    let mut verdict = search_with_owners(session, |session, basis| once(session, search, &sizes, basis));
    if matches!(verdict, Verdict::Unknown(_)) && session.interrupt.reason().is_none() {
        verdict = session.explore_rest().unwrap_or(verdict);
    }
    session.report.verdict = Some(verdict);
    if !matches!(session.report.verdict, Some(Verdict::Unknown(_))) && session.report.decider.is_none() {
        let found = session.demand.found.map(|(procs, _)| Decider::Forward(procs));
        session.report.decider = Some(found.unwrap_or(Decider::Stage(proof)));
    }
}

/// A search with the owners of `basis`, for which instances of these sizes are explored.
fn once(
    session: &mut Session<'_>,
    search: BackwardMode,
    sizes: &[usize],
    basis: &Basis<'_>,
) -> OwnerSearchEnd {
    if basis.instrumented.is_some()
        && let Some(verdict) = explore_again(session, sizes)
    {
        return OwnerSearchEnd::Verdict(verdict);
    }
    let options = &session.options.backward;
    let repairs = |forgotten: &Forgotten| basis.owner_for(forgotten).is_some();
    let outcome =
        session.search(search, options.order.unwrap_or_default(), [options.max_effort; 2], &repairs);
    let (verdict, forgotten) = (outcome.verdict.clone(), outcome.forgotten.clone());
    // Where the first states that it asked for end it, there was no search.
    session.report.backward = Some(outcome).filter(|_| !found_at_once(session));
    if !matches!(verdict, Verdict::Unknown(Reason::Spurious(_))) {
        return OwnerSearchEnd::Verdict(verdict);
    }
    if let Some(owner) = forgotten.and_then(|it| basis.owner_for(&it)) {
        return OwnerSearchEnd::Owner(owner);
    }
    OwnerSearchEnd::Verdict(look_forward(session).unwrap_or(verdict))
}

/// Whether the states that a search asked for first show a bad state.
fn found_at_once(session: &Session<'_>) -> bool {
    session.demand.found.is_some_and(|(_, stage)| stage == 1)
}

/// Explores the instances of a system that was derived; a verdict only when the run ends here.
pub fn explore_again(session: &mut Session<'_>, sizes: &[usize]) -> Option<Verdict> {
    let limits = &session.options.forward;
    session.timed("forward exploration", |session| {
        for &procs in sizes {
            let found = session.explore(procs, limits, Purpose::Oracle);
            if let Some(verdict) = session.conclude_instance(found).break_value() {
                return verdict;
            }
        }
        None
    })
}
