//! The violation that a run ends in.

use super::literals::literal;
use super::values::processes;
use crate::diagnostic::Span;
use crate::model::semantics::Trace;
use crate::model::semantics::satisfies;
use crate::model::{ProcRef, System};

/// The name of the bad cube that the run ends in, or `deadlock`.
pub fn ending<'s>(system: &'s System, trace: &Trace) -> &'s str {
    trace.bad.map_or("deadlock", |bad| &system.bad[bad].name)
}

/// The bad cube that a run ends in.
pub struct Violation {
    /// The processes that it holds for.
    pub witnesses: Vec<usize>,
    /// Its literals at these processes, and the comparisons that they come from.
    pub literals: Vec<(String, Span)>,
}

/// The violation that a run ends in; `None` for a deadlock.
pub fn violated(system: &System, trace: &Trace) -> Option<Violation> {
    let bad = &system.bad[trace.bad?];
    let last = trace.steps.last().map_or(&trace.initial, |step| &step.after);
    let witnesses = satisfies(system, last, trace.bad?)?;
    let name = |p: ProcRef| processes(&[p.of(&witnesses)]);
    let spans = bad.spans.iter().copied().chain(std::iter::repeat(bad.span));
    let literals = bad.cube.iter().zip(spans).map(|(l, span)| (literal(system, l, &name), span)).collect();
    Some(Violation { witnesses, literals })
}
