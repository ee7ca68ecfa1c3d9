//! Truth of literals and formulas, and values of terms, in a concrete state.
//!
//! `None` means that a number left the 64-bit range, so that the value is not known. It spreads
//! no further than it must: a conjunction with a false literal is false.

use super::state::{Layout, Point, State, Value};
use crate::model::{Cell, Conj, Dnf, Linear, Literal, Rational, Term};

/// A state, and the processes that the process variables in scope stand for.
#[derive(Clone, Copy, Debug)]
pub struct Env<'a> {
    /// Layout of the state.
    pub layout: &'a Layout,
    /// Where cells are read.
    pub state: &'a State,
    /// Process (from 0) of each `ProcRef::Var`.
    pub procs: &'a [usize],
}

impl Env<'_> {
    /// The value of a cell.
    pub fn cell(&self, cell: &Cell) -> Value {
        self.state.values[self.layout.cell(cell, self.procs)]
    }

    /// The value of a term.
    pub fn term(&self, term: &Term) -> Option<Value> {
        Some(match term {
            Term::Constructor(c) => Value::Constructor(*c),
            Term::Proc(p) => Value::Proc(Point::process(p.of(self.procs))),
            Term::Cell(cell) => self.cell(cell),
            Term::Linear(linear) => Value::Number(self.linear(linear)?),
        })
    }

    pub(super) fn linear(&self, linear: &Linear) -> Option<Rational> {
        linear.terms.iter().try_fold(linear.constant, |sum, (cell, coefficient)| match self.cell(cell) {
            Value::Number(n) => sum.add(coefficient.mul(n)?),
            other => unreachable!("a linear term over {other:?}"),
        })
    }

    fn point(&self, term: &Term) -> Option<Point> {
        match self.term(term)? {
            Value::Proc(point) => Some(point),
            other => unreachable!("process order over {other:?}"),
        }
    }

    /// Truth of a literal.
    pub fn literal(&self, literal: &Literal) -> Option<bool> {
        Some(match literal {
            Literal::In { cell, values } => match self.cell(cell) {
                Value::Constructor(c) => values >> c & 1 == 1,
                other => unreachable!("a set of constructors and {other:?}"),
            },
            Literal::Eq { left, right, negated } => (self.term(left)? == self.term(right)?) != *negated,
            Literal::Less { left, right, strict } => {
                let (left, right) = (self.point(left)?, self.point(right)?);
                if *strict { left < right } else { left <= right }
            }
            Literal::Linear { expr, relation, .. } => relation.holds(self.linear(expr)?),
        })
    }

    /// Truth of a conjunction.
    pub fn conj(&self, conj: &Conj) -> Option<bool> {
        all(conj.iter().map(|literal| self.literal(literal)))
    }

    /// Truth of a disjunction of conjunctions.
    pub fn dnf(&self, dnf: &Dnf) -> Option<bool> {
        all(dnf.0.iter().map(|conj| self.conj(conj).map(|holds| !holds))).map(|none_holds| !none_holds)
    }
}

/// Conjunction where `None` is an unknown truth value.
pub(super) fn all(mut truths: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = true;
    let refuted = truths.any(|truth| {
        known &= truth.is_some();
        truth == Some(false)
    });
    if refuted { Some(false) } else { known.then_some(true) }
}
