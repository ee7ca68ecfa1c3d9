//! Linear literals in their normal form.

use smallvec::SmallVec;

use super::cell::CubeCell;
use super::halt::Overflow;
use super::literal::{Bound, CubeLiteral, Form, Reduced, Relational};
use cubicle_lang::model::{Rational, Relation, gcd};

/// A linear constraint brought to normal form: `sum terms + constant relation 0`.
pub fn linear(
    terms: &[(CubeCell, Rational)],
    constant: Rational,
    relation: Relation,
    integer: bool,
) -> Result<Reduced, Overflow> {
    let mut form = gathered(SmallVec::from_slice(terms))?;
    let right = constant.neg();
    if form.is_empty() {
        return Ok(Reduced::from_bool(relation.holds(constant)));
    }
    let scale = if integer {
        let g = form.iter().fold(0, |g, t| gcd(g, t.1.num().unsigned_abs().into()));
        let g = Rational::integer(i64::try_from(g).map_err(|_| Overflow)?);
        if form[0].1.signum() < 0 { g.neg() } else { g }
    } else {
        form[0].1
    };
    for t in &mut form {
        t.1 = t.1.div(scale).ok_or(Overflow)?;
    }
    let c = right.div(scale).ok_or(Overflow)?;
    let flipped = scale.signum() < 0;
    let bound = match (relation, flipped) {
        (Relation::Eq, _) if integer && !c.is_integer() => return Ok(Reduced::False),
        (Relation::Ne, _) if integer && !c.is_integer() => return Ok(Reduced::True),
        (Relation::Eq, _) => Bound::Eq(c),
        (Relation::Ne, _) => Bound::Ne(c),
        (Relation::Le, false) if integer => Bound::Le(Rational::integer(c.floor())),
        (Relation::Le, true) if integer => Bound::Ge(Rational::integer(c.neg().floor()).neg()),
        (Relation::Le, false) => Bound::Le(c),
        (Relation::Le, true) => Bound::Ge(c),
        // `e < 0` over integers is `e + 1 <= 0`; here `form < c` is `form <= ceil(c) - 1`.
        (Relation::Lt, false) if integer => {
            Bound::Le(Rational::integer(-c.neg().floor()).sub(Rational::ONE).ok_or(Overflow)?)
        }
        (Relation::Lt, true) if integer => {
            Bound::Ge(Rational::integer(c.floor()).add(Rational::ONE).ok_or(Overflow)?)
        }
        (Relation::Lt, false) => Bound::Lt(c),
        (Relation::Lt, true) => Bound::Gt(c),
    };
    Ok(Reduced::Literal(CubeLiteral::Relational(Relational::Linear { integer, form, bound })))
}

/// The sum of terms, with each cell once and no coefficient zero.
fn gathered(mut terms: SmallVec<[(CubeCell, Rational); 4]>) -> Result<Form, Overflow> {
    terms.sort_by_key(|t| t.0);
    let mut form = Form::new();
    for (cell, k) in terms {
        match form.last_mut() {
            Some((last, sum)) if *last == cell => *sum = sum.add(k).ok_or(Overflow)?,
            _ => form.push((cell, k)),
        }
    }
    form.retain(|t| !t.1.is_zero());
    Ok(form)
}

/// The terms and the constant of a sum, and the relation that it has to zero where `form bound` holds: `form >= c` is
/// `-form + c <= 0`.
pub fn compared(form: &Form, bound: Bound) -> (Form, Rational, Relation) {
    let relation = match bound {
        Bound::Le(_) | Bound::Ge(_) => Relation::Le,
        Bound::Lt(_) | Bound::Gt(_) => Relation::Lt,
        Bound::Eq(_) => Relation::Eq,
        Bound::Ne(_) => Relation::Ne,
    };
    if matches!(bound, Bound::Ge(_) | Bound::Gt(_)) {
        return (negated(form), bound.number(), relation);
    }
    (form.clone(), bound.number().neg(), relation)
}

pub fn negated(form: &Form) -> Form {
    form.iter().map(|&(s, k)| (s, k.neg())).collect()
}
