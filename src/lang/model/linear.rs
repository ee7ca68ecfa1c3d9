//! Linear expressions: checked arithmetic on [`Linear`] and normal forms of constraints; negations of literals.

use super::rational::gcd;
use super::{Linear, Literal, Rational, Relation, SystemParts};
use crate::syntax::ast::Comparison;

impl<C> Linear<C> {
    /// A number.
    pub const fn number(constant: Rational) -> Self {
        Self { terms: Vec::new(), constant }
    }

    /// The value of a cell.
    pub fn of(cell: C) -> Self {
        Self { terms: vec![(cell, Rational::ONE)], constant: Rational::ZERO }
    }

    /// The only cell and its value where this is zero; `None` when the value leaves the 64-bit range.
    pub fn root(&self) -> Option<(&C, Rational)> {
        let [(cell, factor)] = self.terms.as_slice() else { return None };
        Some((cell, self.constant.neg().div(*factor)?))
    }
}

impl<C: Clone + Ord> Linear<C> {
    /// `self + factor * other`; `None` when a number leaves the 64-bit range.
    pub fn add_scaled(&self, factor: Rational, other: &Self) -> Option<Self> {
        let constant = self.constant.add(factor.mul(other.constant)?)?;
        let scaled = other.terms.iter().map(|(cell, a)| Some((cell.clone(), factor.mul(*a)?)));
        let terms = self.terms.iter().cloned().map(Some).chain(scaled).collect::<Option<_>>()?;
        Self::gathered(terms, constant)
    }

    /// `factor * self`; `None` when a number leaves the 64-bit range.
    pub fn scaled(&self, factor: Rational) -> Option<Self> {
        Self::number(Rational::ZERO).add_scaled(factor, self)
    }

    /// `self - other`; `None` when a number leaves the 64-bit range.
    pub fn minus(&self, other: &Self) -> Option<Self> {
        self.add_scaled(Rational::ONE.neg(), other)
    }

    /// `-self`; `None` when a number leaves the 64-bit range.
    pub fn negated(&self) -> Option<Self> {
        self.scaled(Rational::ONE.neg())
    }

    /// An expression with a relation to zero exactly where this one does not have that relation; `None` when a number leaves the
    /// 64-bit range.
    pub fn denied(&self, relation: Relation) -> Option<(Self, Relation)> {
        Some(match relation {
            Relation::Eq => (self.clone(), Relation::Ne),
            Relation::Ne => (self.clone(), Relation::Eq),
            Relation::Le => (self.negated()?, Relation::Lt),
            Relation::Lt => (self.negated()?, Relation::Le),
        })
    }

    /// The same expression over other cells.
    pub fn map_cells<D: Clone + Ord>(&self, mut map: impl FnMut(&C) -> D) -> Option<Linear<D>> {
        Linear::gathered(self.terms.iter().map(|(cell, a)| (map(cell), *a)).collect(), self.constant)
    }

    /// The sum of multiples of cells in any order, in which cells may repeat, and a constant; `None` when a number
    /// leaves the 64-bit range.
    pub fn gathered(mut terms: Vec<(C, Rational)>, constant: Rational) -> Option<Self> {
        let mut result = Self::number(constant);
        terms.sort_by(|a, b| a.0.cmp(&b.0));
        for (cell, a) in terms {
            match result.terms.last_mut() {
                Some((last, sum)) if *last == cell => *sum = sum.add(a)?,
                _ => result.terms.push((cell, a)),
            }
        }
        result.terms.retain(|(_, a)| !a.is_zero());
        Some(result)
    }
}

/// A literal or a truth value.
#[derive(Clone, PartialEq, Debug)]
pub enum Truth {
    /// Its truth value is known.
    Constant(bool),
    /// A literal.
    Literal(Literal),
}

/// `left op right`; `None` when a number leaves the 64-bit range.
pub(super) fn constraint(left: &Linear, op: Comparison, right: &Linear, integer: bool) -> Option<Truth> {
    let (expr, relation) = match op {
        Comparison::Eq => (left.minus(right)?, Relation::Eq),
        Comparison::Ne => (left.minus(right)?, Relation::Ne),
        Comparison::Lt => (left.minus(right)?, Relation::Lt),
        Comparison::Le => (left.minus(right)?, Relation::Le),
        Comparison::Gt => (right.minus(left)?, Relation::Lt),
        Comparison::Ge => (right.minus(left)?, Relation::Le),
    };
    normalise(expr, relation, integer)
}

/// The normal form of `expr relation 0`: equations have a positive first coefficient; integer
/// constraints are not strict, have coprime coefficients and a tight bound.
pub(super) fn normalise(mut expr: Linear, mut relation: Relation, integer: bool) -> Option<Truth> {
    let Some((_, first)) = expr.terms.first() else {
        return Some(Truth::Constant(relation.holds(expr.constant)));
    };
    if matches!(relation, Relation::Eq | Relation::Ne) && first.signum() < 0 {
        expr = expr.negated()?;
    }
    if integer {
        if relation == Relation::Lt {
            expr.constant = expr.constant.add(Rational::ONE)?;
            relation = Relation::Le;
        }
        let divisor = expr.terms.iter().fold(0, |g, (_, a)| gcd(g, a.num().unsigned_abs().into()));
        let divisor = Rational::new(i128::try_from(divisor).ok()?, 1)?;
        let constant = expr.constant.div(divisor)?;
        if !constant.is_integer() && matches!(relation, Relation::Eq | Relation::Ne) {
            return Some(Truth::Constant(relation == Relation::Ne));
        }
        for (_, a) in &mut expr.terms {
            *a = a.div(divisor)?;
        }
        // sum + c <= 0 with an integer sum is sum <= floor(-c).
        expr.constant = Rational::integer(constant.neg().floor()).neg();
    }
    Some(Truth::Literal(Literal::Linear { expr, relation, integer }))
}

/// The literal that holds exactly where this one does not; `None` when a number leaves the 64-bit range.
pub fn negated(system: &SystemParts, literal: &Literal) -> Option<Literal> {
    Some(match literal {
        Literal::In { cell, values } => {
            Literal::In { cell: cell.clone(), values: system.all_values(system.var(cell.var).ty) & !values }
        }
        Literal::Eq { left, right, negated } => {
            Literal::Eq { left: left.clone(), right: right.clone(), negated: !negated }
        }
        Literal::Less { left, right, strict } => {
            Literal::Less { left: right.clone(), right: left.clone(), strict: !strict }
        }
        Literal::Linear { expr, relation, integer } => {
            let (expr, relation) = expr.denied(*relation)?;
            match normalise(expr, relation, *integer)? {
                Truth::Literal(literal) => literal,
                Truth::Constant(_) => return None,
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::{Comparison, Linear, Rational, Truth, constraint};
    use crate::model::{Cell, Literal, Relation, VarId};

    fn x(factor: i64, constant: i64) -> Linear {
        let terms = vec![(Cell::global(VarId(0)), Rational::integer(factor))];
        Linear { terms, constant: Rational::integer(constant) }
    }

    #[test]
    fn constraints_are_in_normal_form() {
        use Comparison::{Eq, Le, Lt, Ne};
        let number = |n| Linear::number(Rational::integer(n));
        let integer = true;
        // The factor, the constant and the relation; or whether it always holds.
        for (left, how, right, is_integer, normal) in [
            // 2x < 5 iff x <= 2; -2x <= 5 iff -x <= 2; 2x = 5 never.
            (x(2, 0), Lt, number(5), integer, Some(Ok((1, -2, Relation::Le)))),
            (x(-2, 0), Le, number(5), integer, Some(Ok((-1, -2, Relation::Le)))),
            (x(2, 0), Eq, number(5), integer, Some(Err(false))),
            (x(2, 0), Ne, number(5), integer, Some(Err(true))),
            // Those of reals stay strict, and equations get a sign.
            (x(2, 0), Lt, number(5), !integer, Some(Ok((2, -5, Relation::Lt)))),
            (number(3), Eq, x(1, 0), !integer, Some(Ok((1, -3, Relation::Eq)))),
            // Cells cancel.
            (x(1, 1), Lt, x(1, 0), integer, Some(Err(false))),
            (x(1, 0), Lt, x(1, 1), integer, Some(Err(true))),
            (x(1, i64::MAX), Eq, number(-2), integer, None),
        ] {
            let found = constraint(&left, how, &right, is_integer).map(|it| match it {
                Truth::Literal(Literal::Linear { expr, relation, .. }) => {
                    Ok((expr.terms[0].1.num(), expr.constant.num(), relation))
                }
                Truth::Constant(truth) => Err(truth),
                other @ Truth::Literal(_) => panic!("{other:?}"),
            });
            assert_eq!(found, normal, "{left:?} {how:?} {right:?}");
        }
    }
}
