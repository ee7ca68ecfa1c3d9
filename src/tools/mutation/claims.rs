//! The claims of a model, and which of them a mutant violates.

use std::collections::BTreeSet;

use super::baseline::Baseline;
use crate::mutation::MutantClaim;
use cubicle_forward::explore;
use cubicle_lang::diagnostic::{Source, Span};
use cubicle_lang::model::{BadKind, System};
use cubicle_run::{Silent, Trace};

/// The claims of a model, in file order.
pub fn of(system: &System, text: &str) -> Vec<MutantClaim> {
    let kinds = system.bad.iter().map(|bad| (bad.span, bad.kind, false));
    let axioms = system.axioms.iter().map(|axiom| (axiom.span, BadKind::Invariant, true));
    let mut all: Vec<(Span, BadKind, bool)> = kinds.chain(axioms).collect();
    all.sort_by_key(|(span, ..)| *span);
    all.dedup_by_key(|(span, ..)| *span);
    let source = Source { name: "", text };
    let line = |span: Span| source.position(span).0;
    let claim = |&(span, kind, assumed): &(Span, BadKind, bool)| {
        let word = if kind == BadKind::Unsafe { "unsafe" } else { "invariant" };
        let alone = all.iter().filter(|it| line(it.0) == line(span)).count() == 1;
        let column = if alone { String::new() } else { format!(":{}", source.position(span).1) };
        MutantClaim { name: format!("{word} at line {}{column}", line(span)), kind, span, assumed }
    };
    all.iter().map(claim).collect()
}

/// The claim that a run violates: a mutant has the same claims as the model, in the same order.
fn violated(system: &System, trace: &Trace) -> usize {
    let bad = &system.bad[trace.bad.expect("a mutant is not killed by a deadlock")];
    let bads = system.bad.iter().map(|bad| bad.span.start);
    let before = bads.chain(system.axioms.iter().map(|axiom| axiom.span.start));
    before.filter(|start| *start < bad.span.start).collect::<BTreeSet<_>>().len()
}

/// All claims that a mutant violates, as far as its instances are explored; that of `trace` first.
pub fn all_violated(baseline: &Baseline<'_>, system: &System, trace: &Trace) -> Vec<usize> {
    let mut claims = vec![violated(system, trace)];
    if baseline.claims.len() > 1 {
        let options = baseline.forward().stop_at_unsafe(false);
        for &size in &baseline.sizes {
            let found = explore(system, size, &options, baseline.interrupt, &mut Silent).exploration;
            for trace in found.unsafe_trace.iter().chain(&found.more_unsafe_traces) {
                let claim = violated(system, trace);
                if !claims.contains(&claim) {
                    claims.push(claim);
                }
            }
        }
        claims[1..].sort_unstable();
    }
    claims
}
