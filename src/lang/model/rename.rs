//! Renaming of process variables in literals and terms.

use super::compare::oriented;
pub use super::linear::Truth;
use super::linear::normalise;
use super::{Cell, Conj, Linear, Literal, ProcRef, Term};

/// The cell over renamed processes.
pub fn cell(cell: &Cell, map: &dyn Fn(ProcRef) -> ProcRef) -> Cell {
    Cell { var: cell.var, index: cell.index.iter().map(|&p| map(p)).collect() }
}

/// The term over renamed processes; `None` when a number leaves the 64-bit range.
pub fn term(t: &Term, map: &dyn Fn(ProcRef) -> ProcRef) -> Option<Term> {
    Some(match t {
        Term::Constructor(c) => Term::Constructor(*c),
        Term::Proc(p) => Term::Proc(map(*p)),
        Term::Cell(c) => Term::Cell(cell(c, map)),
        Term::Linear(linear) => Term::Linear(linear.map_cells(|c| cell(c, map))?),
    })
}

/// The literal with other cells and processes in the same places.
pub fn replaced(
    literal: &Literal,
    cell: &dyn Fn(&Cell) -> Cell,
    process: &dyn Fn(ProcRef) -> ProcRef,
) -> Literal {
    let linear = |it: &Linear| Linear {
        terms: it.terms.iter().map(|(of, factor)| (cell(of), *factor)).collect(),
        constant: it.constant,
    };
    let term = |it: &Term| match it {
        Term::Constructor(c) => Term::Constructor(*c),
        Term::Proc(p) => Term::Proc(process(*p)),
        Term::Cell(of) => Term::Cell(cell(of)),
        Term::Linear(it) => Term::Linear(linear(it)),
    };
    match literal {
        Literal::In { cell: of, values } => Literal::In { cell: cell(of), values: *values },
        Literal::Eq { left, right, negated } => {
            Literal::Eq { left: term(left), right: term(right), negated: *negated }
        }
        Literal::Less { left, right, strict } => {
            Literal::Less { left: term(left), right: term(right), strict: *strict }
        }
        Literal::Linear { expr, relation, integer } => {
            Literal::Linear { expr: linear(expr), relation: *relation, integer: *integer }
        }
    }
}

/// The literal over renamed processes, or its truth value when it gets one.
pub fn literal(l: &Literal, map: &dyn Fn(ProcRef) -> ProcRef) -> Option<Truth> {
    Some(match replaced(l, &|it| cell(it, map), map) {
        Literal::Eq { left, right, negated } if left == right => Truth::Constant(!negated),
        Literal::Eq { left, right, negated } => {
            let (left, right) = oriented(left, right);
            Truth::Literal(Literal::Eq { left, right, negated })
        }
        Literal::Less { left, right, strict } if left == right => Truth::Constant(!strict),
        Literal::Linear { expr, relation, integer } => {
            normalise(Linear::gathered(expr.terms, expr.constant)?, relation, integer)?
        }
        other => Truth::Literal(other),
    })
}

/// The conjunction over renamed processes; `Some(None)` when it is false, `None` when a number leaves
/// the 64-bit range.
pub fn conj(c: &[Literal], map: &dyn Fn(ProcRef) -> ProcRef) -> Option<Option<Conj>> {
    all(c.iter().map(|l| literal(l, map)))
}

/// The conjunction of literals and truth values; `Some(None)` when it is false, `None` when one of those before is not known.
pub fn all(literals: impl IntoIterator<Item = Option<Truth>>) -> Option<Option<Conj>> {
    let mut result = Conj::new();
    for l in literals {
        match l? {
            Truth::Constant(true) => {}
            Truth::Constant(false) => return Some(None),
            Truth::Literal(l) => result.push(l),
        }
    }
    Some(Some(result))
}

/// The disjunction over renamed processes, less the disjuncts that are false then; `None` when a number leaves the 64-bit range.
pub fn disjunction(body: &[Conj], map: &dyn Fn(ProcRef) -> ProcRef) -> Option<Vec<Conj>> {
    let disjuncts: Option<Vec<Option<Conj>>> = body.iter().map(|it| conj(it, map)).collect();
    Some(disjuncts?.into_iter().flatten().collect())
}
