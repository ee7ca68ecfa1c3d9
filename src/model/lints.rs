//! Warnings about declarations as a whole: what is never used, never initialised, never changed.

use indexmap::IndexSet;

use super::symbols::Symbols;
use super::{Conj, Init, Literal, Term, Transition, VarId, VarKind};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::syntax::ast::{File, Item};

/// Adds the warnings.
pub(super) fn unused(
    file: &File,
    symbols: &Symbols,
    used: &IndexSet<VarId>,
    called: &IndexSet<String>,
    init: Option<&Init>,
    transitions: &[Transition],
    out: &mut Diagnostics,
) {
    for item in &file.items {
        if let Item::Predicate(predicate) = item
            && !called.contains(&predicate.name.text)
        {
            let message = format!("predicate `{}` is not used", predicate.name.text);
            out.push(Diagnostic::warning("C0914", predicate.name.span(), message));
        }
    }
    let initialised: IndexSet<VarId> = init.map(mentioned).unwrap_or_default();
    let written: IndexSet<VarId> = transitions.iter().flat_map(|t| &t.updates).map(|u| u.var).collect();
    for (id, var) in symbols.vars.iter().enumerate() {
        let id = VarId(id as u16);
        let name = &var.name;
        if !used.contains(&id) {
            out.push(Diagnostic::warning("C0914", var.span, format!("`{name}` is not used")));
        } else if var.kind != VarKind::Const && !written.contains(&id) && !transitions.is_empty() {
            out.push(
                Diagnostic::warning("C0915", var.span, format!("`{name}` never changes"))
                    .label("no transition assigns it"),
            );
        } else if var.kind != VarKind::Const && init.is_some() && !initialised.contains(&id) {
            out.push(
                Diagnostic::warning("C0916", var.span, format!("`{name}` is not initialised"))
                    .label("it has any value in the beginning"),
            );
        }
    }
}

fn mentioned(init: &Init) -> IndexSet<VarId> {
    let mut vars = IndexSet::new();
    let term = |t: &Term, vars: &mut IndexSet<VarId>| match t {
        Term::Cell(cell) => {
            vars.insert(cell.var);
        }
        Term::Linear(linear) => vars.extend(linear.terms.iter().map(|(cell, _)| cell.var)),
        Term::Constructor(_) | Term::Proc(_) => {}
    };
    let literals: Vec<&Conj> = init.body.0.iter().chain(&init.without_processes.0).collect();
    for literal in literals.into_iter().flatten() {
        match literal {
            Literal::In { cell, .. } => {
                vars.insert(cell.var);
            }
            Literal::Eq { left, right, .. } | Literal::Less { left, right, .. } => {
                term(left, &mut vars);
                term(right, &mut vars);
            }
            Literal::Linear { expr, .. } => vars.extend(expr.terms.iter().map(|(cell, _)| cell.var)),
        }
    }
    vars
}
