//! The unproved assumptions that an answer rests on, and what follows when a run refutes one.

use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::semantics::satisfies;
use cubicle_lang::model::{BadKind, System};
use cubicle_run::{Assumption, AssumptionKind, Refuted, Report, Trace, Verdict};

/// The assumptions about `system`; with `trusting`, its `invariant`s too. Axioms first, each in file order.
pub fn of(system: &System, trusting: bool) -> Vec<Assumption> {
    let axioms = system.assumed().into_iter().map(|span| Assumption { kind: AssumptionKind::Axiom, span });
    let mut trusted: Vec<Span> =
        system.bad.iter().filter(|bad| trusting && is_invariant(bad.kind)).map(|bad| bad.span).collect();
    trusted.dedup();
    let trusted = trusted.into_iter().map(|span| Assumption { kind: AssumptionKind::Trusted, span });
    axioms.chain(trusted).collect()
}

fn is_invariant(kind: BadKind) -> bool {
    kind == BadKind::Invariant
}

/// Tells a run to an unsafe state from one that only refutes an `invariant`. Where there is one of each, the
/// first is the verdict: it holds whatever was claimed or assumed.
pub fn settle(system: &System, trusting: bool, report: &mut Report) {
    let Some(Verdict::Unsafe(trace)) = &mut report.verdict else { return };
    prefer_unsafe(system, trace);
    if !ends_in_invariant(system, trace) {
        return;
    }
    let more = report.explorations.iter_mut().flat_map(|found| &mut found.more_unsafe_traces);
    for other in more {
        prefer_unsafe(system, other);
        if !ends_in_invariant(system, other) {
            std::mem::swap(&mut **trace, other);
            return;
        }
    }
    report.refuted = Some(if trusting { Refuted::Assumption } else { Refuted::Lemma });
}

fn ends_in_invariant(system: &System, trace: &Trace) -> bool {
    trace.bad.is_some_and(|bad| is_invariant(system.bad[bad].kind))
}

/// When the last state is in a cube of an `invariant` and in an unsafe one, the latter counts.
fn prefer_unsafe(system: &System, trace: &mut Trace) {
    if !ends_in_invariant(system, trace) {
        return;
    }
    let last = trace.last();
    let unsafe_cube =
        |&bad: &usize| !is_invariant(system.bad[bad].kind) && satisfies(system, last, bad).is_some();
    if let Some(bad) = (0..system.bad.len()).find(unsafe_cube) {
        trace.bad = Some(bad);
    }
}
