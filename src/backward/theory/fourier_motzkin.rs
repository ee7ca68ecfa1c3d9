//! Fourier-Motzkin elimination: linear constraints without one of their numbers.
//!
//! A number between a lower and an upper bound exists when the lower is below the upper: exact over the reals; over
//! the integers exact when one of the two coefficients is a unit, which covers difference constraints.

use super::sat::Sat;
use crate::backward::cube::{
    Bound, CubeCell, Form, Halt, Overflow, Reduced, Relational, linear, relation_of,
};
use crate::backward::tuning::{MAX_DISEQUALITIES, MAX_ROWS};
use crate::model::{Rational, Relation, gcd};

/// `sum terms relation bound`.
#[derive(Clone, PartialEq, Debug)]
struct Row {
    terms: Form,
    relation: Relation,
    bound: Rational,
}

impl Row {
    fn new(form: &Form, bound: Bound) -> Self {
        let (relation, negate) = relation_of(bound);
        if negate {
            Self { terms: negated(form), relation, bound: bound.number().neg() }
        } else {
            Self { terms: form.clone(), relation, bound: bound.number() }
        }
    }

    fn coefficient(&self, cell: CubeCell) -> Option<Rational> {
        self.terms.iter().find(|t| t.0 == cell).map(|t| t.1)
    }
}

/// `a * x + b * y`: what the left sides are together, and what the bounds are.
fn sum(x: &Row, a: Rational, y: &Row, b: Rational) -> Result<(Form, Rational), Overflow> {
    let mut terms = Form::new();
    let mut all: Vec<(CubeCell, Rational)> = Vec::with_capacity(x.terms.len() + y.terms.len());
    for (row, k) in [(x, a), (y, b)] {
        for &(s, c) in &row.terms {
            all.push((s, c.mul(k).ok_or(Overflow)?));
        }
    }
    all.sort_by_key(|t| t.0);
    for (s, k) in all {
        match terms.last_mut() {
            Some((last, sum)) if *last == s => *sum = Rational::add(*sum, k).ok_or(Overflow)?,
            _ => terms.push((s, k)),
        }
    }
    terms.retain(|t| !t.1.is_zero());
    let bound = x.bound.mul(a).ok_or(Overflow)?.add(y.bound.mul(b).ok_or(Overflow)?).ok_or(Overflow)?;
    Ok((terms, bound))
}

/// How a lower and an upper bound compare when there is something between them.
fn between(lower: &Row, upper: &Row) -> Relation {
    let strict = lower.relation == Relation::Lt || upper.relation == Relation::Lt;
    if strict { Relation::Lt } else { Relation::Le }
}

/// Gives `emit` all that the linear literals about `number` say without it, until one is refused (false).
///
/// What holds for some value of the number implies it all. The converse fails only where integers have other
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
        // The number is what the equation says.
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

/// Whether the linear constraints among these literals have a common solution. Disequalities are split.
pub fn satisfiable(relational: &[Relational]) -> Result<Sat, Overflow> {
    let mut answer = Sat::Yes;
    for integer in [true, false] {
        let mut rows = Vec::new();
        let mut apart: Vec<(Form, Rational)> = Vec::new();
        for relational in relational {
            let Relational::Linear { integer: i, form, bound } = relational else { continue };
            if *i != integer {
                continue;
            }
            match *bound {
                Bound::Eq(c) => rows.extend([Bound::Le(c), Bound::Ge(c)].map(|b| Row::new(form, b))),
                Bound::Ne(c) => apart.push((form.clone(), c)),
                bound => rows.push(Row::new(form, bound)),
            }
        }
        if apart.len() > MAX_DISEQUALITIES {
            return Ok(Sat::Unknown);
        }
        match split(&rows, &apart, integer)? {
            Sat::No => return Ok(Sat::No),
            Sat::Unknown => answer = Sat::Unknown,
            Sat::Yes => {}
        }
    }
    Ok(answer)
}

fn negated(form: &Form) -> Form {
    form.iter().map(|&(s, k)| (s, k.neg())).collect()
}

fn split(rows: &[Row], apart: &[(Form, Rational)], integer: bool) -> Result<Sat, Overflow> {
    let Some(((form, c), rest)) = apart.split_first() else {
        return eliminate(rows.to_vec(), integer);
    };
    if rows.is_empty() {
        // Finitely many hyperplanes do not cover the space.
        return Ok(Sat::Yes);
    }
    let mut answer = Sat::No;
    for below in [true, false] {
        let mut rows = rows.to_vec();
        let (terms, bound) = if below { (form.clone(), *c) } else { (negated(form), c.neg()) };
        let (relation, bound) = if integer {
            (Relation::Le, bound.sub(Rational::ONE).ok_or(Overflow)?)
        } else {
            (Relation::Lt, bound)
        };
        rows.push(Row { terms, relation, bound });
        match split(&rows, rest, integer)? {
            Sat::Yes => return Ok(Sat::Yes),
            Sat::Unknown => answer = Sat::Unknown,
            Sat::No => {}
        }
    }
    Ok(answer)
}

fn eliminate(mut rows: Vec<Row>, integer: bool) -> Result<Sat, Overflow> {
    let mut exact = true;
    loop {
        // Decide rows without variables.
        let mut i = 0;
        while i < rows.len() {
            if rows[i].terms.is_empty() {
                let sign = rows[i].bound.signum();
                if sign < 0 || (sign == 0 && rows[i].relation == Relation::Lt) {
                    return Ok(Sat::No);
                }
                rows.swap_remove(i);
            } else {
                i += 1;
            }
        }
        let Some(cell) = cheapest(&rows) else {
            return Ok(if exact { Sat::Yes } else { Sat::Unknown });
        };
        let mut next = Vec::new();
        let (mut upper, mut lower) = (Vec::new(), Vec::new());
        for row in rows {
            match row.coefficient(cell) {
                None => next.push(row),
                Some(k) if k.signum() > 0 => upper.push((row, k)),
                Some(k) => lower.push((row, k.neg())),
            }
        }
        for (u, ku) in &upper {
            for (l, kl) in &lower {
                if integer && *ku != Rational::ONE && *kl != Rational::ONE {
                    exact = false;
                }
                let (terms, bound) = sum(u, *kl, l, *ku)?;
                let row = tightened(terms, between(l, u), bound, integer)?;
                if !next.contains(&row) {
                    next.push(row);
                }
                if next.len() > MAX_ROWS {
                    return Ok(Sat::Unknown);
                }
            }
        }
        rows = next;
    }
}

/// A row; of integers, divided by the common factor of the coefficients, with the bound rounded down.
fn tightened(
    mut terms: Form,
    relation: Relation,
    mut bound: Rational,
    integer: bool,
) -> Result<Row, Overflow> {
    if integer && !terms.is_empty() {
        let g = terms.iter().fold(0, |g, t| gcd(g, t.1.num().unsigned_abs().into()));
        let g = Rational::integer(i64::try_from(g).map_err(|_| Overflow)?);
        for t in &mut terms {
            t.1 = t.1.div(g).ok_or(Overflow)?;
        }
        bound = Rational::integer(bound.div(g).ok_or(Overflow)?.floor());
    }
    Ok(Row { terms, relation, bound })
}

/// The variable whose elimination makes fewest rows.
fn cheapest(rows: &[Row]) -> Option<CubeCell> {
    let mut seen: Vec<(CubeCell, usize, usize)> = Vec::new();
    for row in rows {
        for &(s, k) in &row.terms {
            let at = seen.iter().position(|t| t.0 == s).unwrap_or_else(|| {
                seen.push((s, 0, 0));
                seen.len() - 1
            });
            if k.signum() > 0 { seen[at].1 += 1 } else { seen[at].2 += 1 }
        }
    }
    seen.into_iter().min_by_key(|&(s, u, l)| (u * l, s)).map(|t| t.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::VarId;
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
                    Ok(Reduced::Literal(crate::backward::cube::CubeLiteral::Relational(literal))) => {
                        Some(literal)
                    }
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
        /// Every solution is one of what is left without a number, and a system with a solution is not refused.
        #[test]
        fn projections_contain_and_refusals_are_right(literals in literals()) {
            let number = CubeCell::of(VarId(0), []);
            let (about, rest): (Vec<_>, Vec<_>) = literals.iter().cloned().partition(|l| l.mentions(number));
            let mut left = rest;
            let possible = project(&about, number, true, &mut |reduced| Ok(match reduced {
                Reduced::True => true,
                Reduced::False => false,
                Reduced::Literal(crate::backward::cube::CubeLiteral::Relational(literal)) => {
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
