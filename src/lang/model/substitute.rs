//! Cells replaced by terms in literals and terms.

use super::compare::oriented;
use super::linear::{Truth, normalise};
use super::{Cell, Linear, Literal, System, Term};

/// The literal with `value` of each cell that has one, or its truth value when it gets one; `None` when a number leaves
/// the 64-bit range. Different process variables are different processes.
pub fn literal(system: &System, literal: &Literal, value: &dyn Fn(&Cell) -> Option<Term>) -> Option<Truth> {
    Some(match literal {
        Literal::In { cell, values } => match value(cell) {
            Some(Term::Constructor(c)) => Truth::Constant(values >> c & 1 == 1),
            Some(Term::Cell(other)) => Truth::Literal(Literal::In { cell: other, values: *values }),
            _ => Truth::Literal(literal.clone()),
        },
        Literal::Eq { left, right, negated } => {
            let (left, right) = (term(left, value)?, term(right, value)?);
            match same(&left, &right) {
                Some(same) => Truth::Constant(same != *negated),
                None => equal(system, left, right, *negated),
            }
        }
        Literal::Less { left, right, strict } => {
            let (left, right) = (term(left, value)?, term(right, value)?);
            if same(&left, &right) == Some(true) {
                Truth::Constant(!strict)
            } else {
                Truth::Literal(Literal::Less { left, right, strict: *strict })
            }
        }
        Literal::Linear { expr, relation, integer } => normalise(linear(expr, value)?, *relation, *integer)?,
    })
}

/// The term with `value` of each cell that has one; `None` when a number leaves the 64-bit range.
pub fn term(it: &Term, value: &dyn Fn(&Cell) -> Option<Term>) -> Option<Term> {
    Some(match it {
        Term::Cell(cell) => value(cell).unwrap_or_else(|| it.clone()),
        Term::Linear(expr) => Term::Linear(linear(expr, value)?),
        Term::Constructor(_) | Term::Proc(_) => it.clone(),
    })
}

fn linear(expr: &Linear, value: &dyn Fn(&Cell) -> Option<Term>) -> Option<Linear> {
    let mut sum = Linear::number(expr.constant);
    for (cell, factor) in &expr.terms {
        let summand = match value(cell) {
            Some(Term::Linear(expr)) => expr,
            _ => Linear::of(cell.clone()),
        };
        sum = sum.add_scaled(*factor, &summand)?;
    }
    Some(sum)
}

/// Whether two terms have the same value, where that is known.
fn same(left: &Term, right: &Term) -> Option<bool> {
    match (left, right) {
        (Term::Constructor(a), Term::Constructor(b)) => Some(a == b),
        (Term::Proc(a), Term::Proc(b)) => a.same(*b),
        _ => (left == right).then_some(true),
    }
}

/// That two terms are equal, or not: an enum cell and a constructor are compared by a set of values.
fn equal(system: &System, left: Term, right: Term, negated: bool) -> Truth {
    let (cell, constructor) = match (left, right) {
        (Term::Cell(cell), Term::Constructor(c)) | (Term::Constructor(c), Term::Cell(cell)) => (cell, c),
        (left, right) => {
            let (left, right) = oriented(left, right);
            return Truth::Literal(Literal::Eq { left, right, negated });
        }
    };
    let all = system.all_values(system.var(cell.var).ty);
    let values = if negated { all & !(1 << constructor) } else { 1 << constructor };
    if values == 0 || values == all {
        return Truth::Constant(values != 0);
    }
    Truth::Literal(Literal::In { cell, values })
}
