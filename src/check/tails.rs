//! Searches with tails: ghost arrays for what universal guards say of all processes.
//!
//! A backward search forgets what a guard says of processes that a cube does not name. In a model with witnesses proofs need it: a
//! quorum was asked once, and what all its members said then is asked of the witness that two quorums have in common much later.

use super::search::explore_again;
use super::session::Session;
use cubicle_lang::model::{System, VarId};
use cubicle_lang::words;
use cubicle_run::observer::Event;
use cubicle_run::verdict::Verdict;
use cubicle_transform::{gaps, tails_of, with_tails};
use tracing::info;

/// Whether the model has witnesses, or bad states of which something holds for all processes.
pub fn may_have_tails(system: &System) -> bool {
    !system.witnesses.is_empty() || system.transitions.iter().any(|t| system.is_watch(t))
}

/// Decides the problem, in a system with tails where the model may have some.
pub fn decide_with_tails(session: &mut Session<'_>, decide: impl FnOnce(&mut Session<'_>)) {
    let system = session.system;
    let tails = if may_have_tails(system) { tails_of(system) } else { Vec::new() };
    let Some(instrumented) = Some(&tails).filter(|it| !it.is_empty()).and_then(|it| with_tails(system, it))
    else {
        return decide(session);
    };
    for (tail, var) in tails.iter().zip(&instrumented.system.vars[system.vars.len()..]) {
        let text =
            format!("searching with {}, which is true wherever {}", var.name, words::tail(system, tail));
        info!("{text}");
        session.tell(Event::Note(&text));
    }
    // The states of the oracle say what the arrays hold.
    let explored = session.space.explored.iter().map(|it| it.exploration.procs);
    let sizes: Vec<usize> = explored.filter(|_| session.explores_for_oracle()).collect();
    let mut options = session.options.clone();
    let gaps = VarId::new(system.vars.len()).map(|first| gaps(system, &tails, first)).unwrap_or_default();
    options.backward.proposed.extend(gaps);
    session.within((&instrumented.system, &options), |session| match explore_again(session, &sizes) {
        Some(verdict) => session.report.verdict = Some(verdict),
        None => decide(session),
    });
    session.report.tails = tails;
    if let Some(Verdict::Unsafe(run)) = &mut session.report.verdict {
        **run = instrumented.run(system, run);
    }
}
