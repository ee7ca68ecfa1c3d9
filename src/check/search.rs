//! One backward search.

use super::instances::nearest;
use super::session::Session;
use super::spurious::look_forward;
use crate::options::Proof;
use crate::result::Decider;
use crate::verdict::{Reason, Verdict};

/// The largest instance of the oracle, when it is asked to look at larger ones.
const WIDEST: usize = 8;

/// Searches as the options say, with what was explored as oracle.
pub fn search(session: &mut Session<'_>) {
    let (system, proof) = (session.system, session.options.proof);
    session.space.most_procs = system.max_procs.map_or(WIDEST, |most| WIDEST.min(most as usize));
    let search = match proof {
        Proof::Brab(procs) => Proof::Brab(nearest(system, procs)),
        other => other,
    };
    let outcome = session.search(search, session.options.backward.max_effort);
    session.report.verdict = Some(outcome.verdict.clone());
    if !matches!(outcome.verdict, Verdict::Unknown(_)) {
        session.report.decider = Some(Decider::Stage(proof));
    }
    if matches!(outcome.verdict, Verdict::Unknown(Reason::Spurious(_)))
        && let Some(verdict) = look_forward(session)
    {
        session.report.verdict = Some(verdict);
    }
    session.report.backward = Some(outcome);
}
