//! Fourier-Motzkin elimination: linear constraints without one of their numbers.
//!
//! A number between a lower and an upper bound exists when the lower is below the upper: exact over the reals; over
//! the integers exact when one of the two coefficients is a unit, which covers difference constraints.

use crate::cube::{
    Bound, CubeCell, CubeLiteral, Form, Halt, Overflow, Reduced, Relational, compared, linear,
};
use cubicle_lang::model::{Rational, Relation};

/// `sum terms relation bound`.
#[derive(Clone, PartialEq, Debug)]
pub struct Row {
    /// In the order of cells, none twice; no coefficient is zero.
    pub terms: Form,
    /// How the two sides compare.
    pub relation: Relation,
    /// The right side.
    pub bound: Rational,
}

impl Row {
    pub fn new(form: &Form, bound: Bound) -> Self {
        let (terms, constant, relation) = compared(form, bound);
        Self { terms, relation, bound: constant.neg() }
    }

    pub fn coefficient(&self, cell: CubeCell) -> Option<Rational> {
        self.terms.iter().find(|t| t.0 == cell).map(|t| t.1)
    }
}

/// `a * x + b * y`: the sum of the left sides, whose cells ascend, and that of the bounds.
pub fn sum(x: &Row, a: Rational, y: &Row, b: Rational) -> Result<(Form, Rational), Overflow> {
    let mut terms = Form::with_capacity(x.terms.len() + y.terms.len());
    let (mut left, mut right) = (x.terms.iter().peekable(), y.terms.iter().peekable());
    while let Some(&cell) = left.peek().into_iter().chain(right.peek()).map(|(cell, _)| cell).min() {
        let mut total = Rational::ZERO;
        for (row, factor) in [(&mut left, a), (&mut right, b)] {
            if let Some((_, k)) = row.next_if(|it| it.0 == cell) {
                total = k.mul(factor).and_then(|it| total.add(it)).ok_or(Overflow)?;
            }
        }
        if !total.is_zero() {
            terms.push((cell, total));
        }
    }
    let bound = x.bound.mul(a).ok_or(Overflow)?.add(y.bound.mul(b).ok_or(Overflow)?).ok_or(Overflow)?;
    Ok((terms, bound))
}

/// How a lower and an upper bound compare when there is something between them.
pub fn between(lower: &Row, upper: &Row) -> Relation {
    let strict = lower.relation == Relation::Lt || upper.relation == Relation::Lt;
    if strict { Relation::Lt } else { Relation::Le }
}

/// Passes to `emit` the consequences of the linear literals about `number` that do not mention it, until it returns false.
///
/// They hold wherever the literals hold for some value of the number. The converse fails only where integers have other
/// coefficients than units, or bounds and disequalities meet on integers.
pub fn project(
    literals: &[Relational],
    number: CubeCell,
    integer: bool,
    emit: &mut dyn FnMut(&Reduced) -> Result<bool, Halt>,
) -> Result<bool, Halt> {
    let mut rows = Vec::new();
    for literal in literals {
        let Relational::Linear { form, bound, .. } = literal else {
            unreachable!("a numeric cell occurs in linear literals only")
        };
        let row = Row::new(form, *bound);
        let k = row.coefficient(number).expect("a literal about the number");
        if !integer || k.num().abs() == 1 {
            rows.push((row, k));
        }
    }
    if let Some((equation, of_equation)) = rows.iter().rfind(|(row, _)| row.relation == Relation::Eq) {
        // The equation gives the value of the number.
        for (row, k) in &rows {
            let factor = k.div(*of_equation).ok_or(Overflow)?.neg();
            let (terms, bound) = sum(row, Rational::ONE, equation, factor)?;
            if !emit(&linear(&terms, bound.neg(), row.relation, integer)?)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    // Disequalities leave room between any two bounds of reals.
    rows.retain(|(row, _)| row.relation != Relation::Ne);
    let (upper, lower): (Vec<_>, Vec<_>) = rows.iter().partition(|(_, k)| k.signum() > 0);
    for (l, kl) in &lower {
        for (u, ku) in &upper {
            let (terms, bound) = sum(l, *ku, u, kl.neg())?;
            if !emit(&linear(&terms, bound.neg(), between(l, u), integer)?)? {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// Comparisons of at most two numbers that follow from two of these literals, and from none alone.
pub fn consequences(literals: &[Relational]) -> Result<Vec<Relational>, Halt> {
    let mut found: Vec<Relational> = Vec::new();
    let mut seen: Vec<CubeCell> = Vec::new();
    for (at, literal) in literals.iter().enumerate() {
        let Relational::Linear { integer, form, .. } = literal else { continue };
        for &(number, _) in form {
            let about = |it: &&Relational| matches!(it, Relational::Linear { form, .. } if form.iter().any(|it| it.0 == number));
            if seen.contains(&number) || !literals[at + 1..].iter().any(|it| about(&it)) {
                continue;
            }
            seen.push(number);
            let of_it: Vec<Relational> = literals.iter().filter(about).cloned().collect();
            project(&of_it, number, *integer, &mut |combined| {
                if let Reduced::Literal(CubeLiteral::Relational(new)) = combined
                    && matches!(new, Relational::Linear { form, .. } if form.len() <= 2)
                    && !literals.iter().chain(&found).any(|known| known.implies(new))
                {
                    found.push(new.clone());
                }
                Ok(true)
            })?;
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theory::Sat;
    use crate::theory::feasible::satisfiable;
    use cubicle_lang::model::VarId;
    use proptest::prelude::*;

    /// Values of the numbers in `terms`.
    fn value(form: &Form, values: &[i64]) -> Rational {
        form.iter().fold(Rational::ZERO, |sum, (cell, k)| {
            let value = Rational::integer(values[usize::from(cell.var().0)]);
            sum.add(k.mul(value).expect("small")).expect("small")
        })
    }

    fn holds(literal: &Relational, values: &[i64]) -> bool {
        let Relational::Linear { form, bound, .. } = literal else { unreachable!("linear literals only") };
        bound.holds(value(form, values))
    }

    fn literals() -> impl Strategy<Value = Vec<Relational>> {
        let relation = prop_oneof![Just(Relation::Eq), Just(Relation::Ne), Just(Relation::Le)];
        let one = (prop::collection::vec(-2i64..=2, 3), -4i64..=4, relation).prop_filter_map(
            "a literal about something",
            |(coefficients, constant, relation)| {
                let cells = (0..).map(|v| CubeCell::of(VarId(v), []));
                let terms: Vec<_> = cells.zip(coefficients.into_iter().map(Rational::integer)).collect();
                match linear(&terms, Rational::integer(constant), relation, true) {
                    Ok(Reduced::Literal(crate::cube::CubeLiteral::Relational(literal))) => Some(literal),
                    _ => None,
                }
            },
        );
        prop::collection::vec(one, 1..5)
    }

    fn points() -> impl Iterator<Item = [i64; 3]> {
        (-6..=6).flat_map(|x| (-6..=6).flat_map(move |y| (-6..=6).map(move |z| [x, y, z])))
    }

    proptest! {
        /// Every solution also satisfies the projection, and a system with a solution is not refuted.
        #[test]
        fn projections_contain_all_solutions_and_refutations_are_right(literals in literals()) {
            let number = CubeCell::of(VarId(0), []);
            let (about, rest): (Vec<_>, Vec<_>) = literals.iter().cloned().partition(|l| l.mentions(number));
            let mut left = rest;
            let possible = project(&about, number, true, &mut |reduced| Ok(match reduced {
                Reduced::True => true,
                Reduced::False => false,
                Reduced::Literal(crate::cube::CubeLiteral::Relational(literal)) => {
                    left.push(literal.clone());
                    true
                }
                Reduced::Literal(_) => unreachable!("no masks"),
            }));
            let possible = possible.expect("small numbers");
            prop_assert!(left.iter().all(|literal| !literal.mentions(number)));
            let mut solved = false;
            for values in points() {
                if literals.iter().all(|literal| holds(literal, &values)) {
                    solved = true;
                    prop_assert!(possible, "{values:?}");
                    prop_assert!(left.iter().all(|literal| holds(literal, &values)), "{values:?}");
                }
            }
            if solved {
                prop_assert_ne!(satisfiable(&literals).expect("small numbers"), Sat::No);
            }
            if satisfiable(&literals).expect("small numbers") == Sat::No {
                prop_assert!(!solved);
            }
        }
    }
}
