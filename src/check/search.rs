//! One backward search, and forward search where it is not to be trusted: its traces are spurious, or its proof rests on
//! trusted invariants. Breadth first, smallest instances first, within a fixed number of states so that the answer
//! does not depend on the machine.

use super::session::Session;
use super::size::{Purpose, nearest};
use super::tuning::{ASSUMPTION_SEARCH, REAL_TRACE_SEARCH, SizeLimits, WIDEST_ORACLE};
use super::turn::limits;
use cubicle_lang::model::semantics::admits;
use cubicle_run::{
    AssumptionKind, BackwardMode, Decider, Event, ForwardOptions, Looked, Reason, Strategy, Trace, Verdict,
};

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

/// Backward search found only traces that no instance executes; a real one may hide behind them, on an
/// instance larger than the oracle's. The verdict when there is one.
pub fn look_forward(session: &mut Session<'_>) -> Option<Verdict> {
    session.tell(Event::Note { text: "looking forward for a trace that an instance executes".to_owned() });
    let trace = session
        .timed("forward search for a real trace", |session| executable_trace(session, REAL_TRACE_SEARCH))?;
    Some(session.decided_by_run(trace))
}

/// After a proof that rests on trusted invariants: checks these in small instances.
pub fn doubt(session: &mut Session<'_>) {
    if !session.report.assumptions.iter().any(|it| it.kind == AssumptionKind::Trusted) {
        return;
    }
    let phase = "forward search for what refutes the assumptions";
    if let Some(trace) = session.timed(phase, |session| executable_trace(session, ASSUMPTION_SEARCH)) {
        session.report.verdict = Some(session.decided_by_run(trace));
    }
}

fn executable_trace(session: &mut Session<'_>, most: SizeLimits) -> Option<Trace> {
    let mut left = most.states;
    for procs in usize::from(session.system.proc_constants)..=most.procs {
        if left == 0 || session.interrupt.reason().is_some() {
            return None;
        }
        if !admits(session.system, procs) {
            continue;
        }
        let limits = limits(&session.options.forward, left);
        // Whatever narrows the explorations that were asked for.
        let options = ForwardOptions {
            strategy: Strategy::Bfs,
            depth: None,
            time: None,
            number_range: None,
            of_sorts: Vec::new(),
            ..limits
        };
        let exploration = session.explore(procs, &options, Purpose::Answer).exploration;
        left = left.saturating_sub(exploration.states);
        session.report.looked_forward.push(Looked { procs, stop: exploration.stop });
        if exploration.unsafe_trace.is_some() {
            return exploration.unsafe_trace;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Checker;
    use cubicle_run::{BackwardSearches, BackwardTurn, Interrupt, Observer, Options, Outcome, Silent};

    /// Its effort ends just before the signal is seen.
    struct Signalled;

    impl BackwardSearches for Signalled {
        fn search(&mut self, turn: &BackwardTurn<'_>, _: &mut dyn Observer) -> Outcome {
            turn.interrupt.raise(15);
            Outcome::undecided(Reason::Effort(200))
        }

        fn has_lemmas(&self) -> bool {
            false
        }

        fn fork(&self) -> Box<dyn BackwardSearches> {
            Box::new(Self)
        }

        fn take_up(&mut self, _: Box<dyn BackwardSearches>) {}
    }

    #[test]
    fn a_signal_at_the_end_of_the_first_search_ends_the_run() {
        let text = "var N : int init { N = 0 } unsafe { N = 1 } transition up () { N := N + 2 }";
        let system = cubicle_lang::load(text).expect("a model").system;
        for options in [Options::classic(), Options::brab(2), Options::default()] {
            let interrupt = Interrupt::default();
            let checker = Checker::new(|| Box::new(Signalled));
            let report = checker.check_on_this_thread(&system, &options, &interrupt, &mut Silent);
            assert_eq!(report.verdict, Some(Verdict::Unknown(Reason::Interrupted(15))));
        }
    }
}
