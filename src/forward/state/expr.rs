//! Linear expressions over stored numbers.

use crate::error::Overflow;
use crate::ground::Sum;
use crate::state::cells::{Cells, CodeKind};
use cubicle_lang::model::{Rational, Relation, lcm};

/// A linear expression over stored numbers: `(constant + sum of coefficient * cell) / divisor`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinearExpr {
    pub terms: Vec<(usize, i64)>,
    pub constant: i128,
    pub divisor: i128,
}

impl LinearExpr {
    /// The expression with the value of `sum`, stored like cells of `kind`.
    pub fn new(cells: &Cells, sum: &Sum, kind: CodeKind) -> Result<Self, Overflow> {
        let scale = if kind == CodeKind::Real { cells.scale } else { 1 };
        let mut divisor: i64 = 1;
        for n in sum.terms.iter().map(|(_, c)| *c).chain([sum.constant]) {
            divisor = lcm(divisor, n.den()).ok_or(Overflow)?;
        }
        let whole = |n: Rational, factor: i64| {
            n.mul(Rational::integer(divisor)).and_then(|n| n.mul(Rational::integer(factor))).ok_or(Overflow)
        };
        let mut terms = Vec::with_capacity(sum.terms.len());
        for (cell, coefficient) in &sum.terms {
            terms.push((*cell, whole(*coefficient, 1)?.num()));
        }
        let constant = i128::from(whole(sum.constant, scale)?.num());
        Ok(Self { terms, constant, divisor: i128::from(divisor) })
    }

    /// The value times the divisor. With 64-bit cells and coefficients no sum of a few thousand
    /// products overflows 128 bits, except at the very edge, where the result is `None`.
    pub fn numerator(&self, mut get: impl FnMut(usize) -> i64) -> Option<i128> {
        let mut total = self.constant;
        for (cell, coefficient) in &self.terms {
            total = total.checked_add(i128::from(get(*cell)) * i128::from(*coefficient))?;
        }
        Some(total)
    }

    /// The value, when it can be stored exactly.
    pub fn value(&self, get: impl FnMut(usize) -> i64) -> Option<i64> {
        quotient(self.numerator(get)?, self.divisor)
    }

    /// Whether the expression is in `relation` to zero.
    pub fn test(&self, relation: Relation, get: impl FnMut(usize) -> i64) -> Option<bool> {
        Some(relation.holds_of(self.numerator(get)?.signum() as i64))
    }
}

/// The quotient, when it can be stored exactly.
pub fn quotient(numerator: i128, divisor: i128) -> Option<i64> {
    let whole = (numerator % divisor == 0).then(|| numerator / divisor)?;
    i64::try_from(whole).ok().filter(|n| *n != i64::MIN)
}
