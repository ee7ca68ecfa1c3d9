//! The explorations that the options ask for.

use super::instances::instances;
use super::purpose::Purpose;
use super::session::Session;
use super::sizes;
use cubicle_run::options::{ForwardOptions, Procs};
use cubicle_run::verdict::Verdict;

/// Explores the instances; a verdict only when the run ends here.
pub fn explore(session: &mut Session<'_>) -> Option<Verdict> {
    let options = session.options;
    if options.procs == Some(Procs::Auto) && options.proof.oracle_procs().is_none() {
        return sizes::explore(session);
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
