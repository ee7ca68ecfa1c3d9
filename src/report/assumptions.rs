//! The assumptions of an answer, in words.

use cubicle_lang::diagnostic::{Source, Span};
use cubicle_lang::model::System;
use cubicle_run::{Assumption, AssumptionKind};

/// Behind an answer: `, under the axioms at lines 50, 51, assuming 1 invariant (line 4)`; empty without
/// assumptions.
pub(super) fn clause(source: &Source<'_>, assumptions: &[Assumption]) -> String {
    let of = |kind| assumptions.iter().filter(move |it| it.kind == kind).map(|it| it.span);
    let mut text = under_axioms(source, of(AssumptionKind::Axiom));
    let trusted: Vec<Span> = of(AssumptionKind::Trusted).collect();
    if !trusted.is_empty() {
        let (noun, lines) =
            (if trusted.len() == 1 { "invariant" } else { "invariants" }, trusted.into_iter());
        let count = lines.len();
        text = format!("{text}, assuming {count} {noun} ({})", self::lines(source, lines));
    }
    text
}

/// `, under the axiom at line 50`: the axioms of a system; empty when it has none.
pub fn axioms(system: &System, source: &Source<'_>) -> String {
    under_axioms(source, system.assumed().into_iter())
}

fn under_axioms(source: &Source<'_>, spans: impl Iterator<Item = Span>) -> String {
    let spans: Vec<Span> = spans.collect();
    match spans.len() {
        0 => String::new(),
        1 => format!(", under the axiom at {}", lines(source, spans.into_iter())),
        _ => format!(", under the axioms at {}", lines(source, spans.into_iter())),
    }
}

/// `line 4`, `lines 4, 5`.
pub(super) fn lines(source: &Source<'_>, spans: impl Iterator<Item = Span>) -> String {
    let mut lines: Vec<usize> = spans.map(|span| source.position(span).0).collect();
    lines.dedup();
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    let lines: Vec<String> = lines.iter().map(ToString::to_string).collect();
    format!("{noun} {}", lines.join(", "))
}
