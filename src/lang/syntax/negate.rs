//! The negation of a formula, as its author would write it: pushed inwards to the comparisons of what has a value.

use super::ast::{Expr, ExprKind, Path, Quantifier, Term, TermKind};

/// The formula that holds exactly where this one does not.
pub fn negation(expr: &Expr) -> Expr {
    let all = |parts: &[Expr]| parts.iter().map(negation).collect();
    let boxed = |part: &Expr| Box::new(negation(part));
    let kind = match &expr.kind {
        ExprKind::Bool(truth) => ExprKind::Bool(!truth),
        ExprKind::Compare { left, right, .. } if !(is_defined(left) && is_defined(right)) => {
            ExprKind::Not(Box::new(expr.clone()))
        }
        ExprKind::Compare { op, left, right } => {
            ExprKind::Compare { op: op.negated(), left: left.clone(), right: right.clone() }
        }
        ExprKind::Not(inner) => return (**inner).clone(),
        ExprKind::And(parts) => ExprKind::Or(all(parts)),
        ExprKind::Or(parts) => ExprKind::And(all(parts)),
        ExprKind::Implies(a, b) => ExprKind::And(vec![(**a).clone(), negation(b)]),
        ExprKind::Iff(a, b) => ExprKind::Iff(boxed(a), b.clone()),
        ExprKind::If(condition, a, b) => ExprKind::If(condition.clone(), boxed(a), boxed(b)),
        ExprKind::Quantified { quantifier, vars, body } => ExprKind::Quantified {
            quantifier: match quantifier {
                Quantifier::Forall => Quantifier::Exists,
                Quantifier::Exists => Quantifier::Forall,
                Quantifier::ForallOther => Quantifier::ExistsOther,
                Quantifier::ExistsOther => Quantifier::ForallOther,
            },
            vars: vars.clone(),
            body: boxed(body),
        },
        ExprKind::Call { .. } => ExprKind::Not(Box::new(expr.clone())),
        ExprKind::Error => ExprKind::Error,
    };
    Expr { kind, ..expr.clone() }
}

/// Whether a term has a value in each state: no comparison with one that has none holds.
fn is_defined(term: &Term) -> bool {
    unsure(term).is_empty()
}

/// What has no value in some states: the first message of a queue, and a cell where its index has none of its values.
pub fn unsure(term: &Term) -> Vec<&Path> {
    if let TermKind::Record(fields) = &term.kind {
        return fields.iter().flat_map(|(_, value)| unsure(value)).collect();
    }
    let is_first = |it: &Path| it.fields.iter().any(|it| it.text == "head");
    term.paths().filter(|it| !it.has_cell() || is_first(it)).collect()
}
