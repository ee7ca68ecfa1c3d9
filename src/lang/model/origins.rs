//! Where the literals of init, of a bad cube or of a guard stand in the source.

use super::context::{Context, FormulaPlace};
use super::formula::Formula;
use super::ir::place;
use super::rename::Truth;
use super::tuning::MAX_PLACES;
use super::{Literal, ProcRef, rename};
use crate::diagnostic::Span;
use crate::list::add_new;
use crate::syntax::ast::{Comparison, ExprKind};

impl Context<'_> {
    /// Remembers that the literals of `formula`, if it is part of `init`, a guard, an `unsafe` or an `invariant`, come
    /// from a comparison there.
    pub(super) fn note_origin(&mut self, formula: &Formula, comparison: Span) {
        let noted = matches!(self.place, FormulaPlace::Init | FormulaPlace::Bad | FormulaPlace::Guard);
        if !noted || self.counting || self.origins.len() >= MAX_PLACES {
            return;
        }
        match formula {
            Formula::Literal(literal) => self.origins.push((literal.clone(), comparison)),
            Formula::And(parts) | Formula::Or(parts) => {
                for part in parts {
                    self.note_origin(part, comparison);
                }
            }
            Formula::True | Formula::False | Formula::Exists(..) | Formula::Forall(..) => {}
        }
    }

    /// Remembers the literals of a comparison of `init` that is written out by values: where it has a process, it ends with cells that have none, which
    /// differ from themselves.
    pub(super) fn note_written_out(&mut self, kind: &ExprKind, formula: &Formula, at: Span) {
        let last = if let ExprKind::Or(parts) = kind { parts.last().map(|it| &it.kind) } else { None };
        let is_written_out =
            matches!(last, Some(ExprKind::Compare { op: Comparison::Ne, left, right }) if left == right);
        if self.place == FormulaPlace::Init && is_written_out && !self.counting {
            let mut literals = Vec::new();
            formula.literals(&mut literals);
            add_new(&mut self.written_out, (literals, at));
        }
    }

    /// For each literal of a cube, the first comparison that it comes from, alone or joined with others about
    /// the same cell, processes being renamed by `map`; the declaration when there is none.
    pub(super) fn origins_of(
        &self,
        cube: &[Literal],
        map: &impl Fn(ProcRef) -> ProcRef,
        declaration: Span,
    ) -> Vec<Span> {
        let renamed: Vec<(Literal, Span)> = (self.origins.iter())
            .filter_map(|(literal, span)| match rename::literal(literal, map)? {
                Truth::Literal(literal) => Some((literal, *span)),
                Truth::Constant(_) => None,
            })
            .collect();
        cube.iter().map(|it| place(it, &renamed).unwrap_or(declaration)).collect()
    }
}
