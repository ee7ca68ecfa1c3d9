//! Forward search where a backward search is not to be trusted: its traces are spurious, or its proof rests on
//! trusted invariants. Breadth first, smallest instances first, within a fixed number of states so that the answer
//! does not depend on the machine.

use super::purpose::Purpose;
use super::session::Session;
use super::tuning::{ASSUMPTION_SEARCH, REAL_TRACE_SEARCH, SizeLimits};
use super::turn::limits;
use cubicle_lang::model::semantics::admits;
use cubicle_run::{AssumptionKind, Event, ForwardOptions, Looked, Strategy, Trace, Verdict};

/// Backward search found only traces that no instance executes; a real one may hide behind them, on an
/// instance larger than the oracle's. The verdict when there is one.
pub fn look_forward(session: &mut Session<'_>) -> Option<Verdict> {
    session.tell(Event::Note("looking forward for a trace that an instance executes"));
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
        let options = ForwardOptions { strategy: Strategy::Bfs, depth: None, ..limits };
        let exploration = session.explore(procs, &options, Purpose::Answer).exploration;
        left = left.saturating_sub(exploration.states);
        session.report.looked_forward.push(Looked { procs, stop: exploration.stop });
        if exploration.unsafe_trace.is_some() {
            return exploration.unsafe_trace;
        }
    }
    None
}
