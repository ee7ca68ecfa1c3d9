//! Elimination of the values that `?` chose: `exists g. cube` without g.
//!
//! An equality substitutes g away. Otherwise a finite domain is split, and on an infinite domain
//! disequalities vanish and bounds are combined pairwise (Fourier and Motzkin). Exact except where bounds
//! and disequalities meet on integers or a non-unit coefficient occurs; there the result is larger, never
//! smaller.

use crate::backward::cube::{
    Bound, Builder, Env, Halt, Kind, OTHER, Overflow, Reduced, Shape, Side, Slot, Value, linear, relation_of,
};
use crate::model::{Rational, Relation};

/// Appends to `out` builders whose union is `b` with every ghost projected away.
pub fn eliminate_ghosts<'a>(
    shape: &'a Shape,
    mut b: Builder<'a>,
    out: &mut Vec<Builder<'a>>,
) -> Result<(), Halt> {
    shape.interrupt.poll()?;
    let ghost = b.sides().iter().flat_map(Side::slots).find(|s| s.is_ghost());
    let Some(ghost) = ghost else {
        b.drop_ghost_masks();
        out.push(b);
        return Ok(());
    };
    let sides = b.take_sides(ghost);
    let kind = shape.kind(ghost);
    match kind {
        Kind::Int | Kind::Real => {
            if eliminate_number(&mut b, ghost, sides, kind == Kind::Int)? {
                eliminate_ghosts(shape, b, out)?;
            }
            Ok(())
        }
        Kind::Enum(_) | Kind::Proc | Kind::Abstract => eliminate_value(shape, b, ghost, &sides, out),
    }
}

fn eliminate_value<'a>(
    shape: &'a Shape,
    mut b: Builder<'a>,
    ghost: Slot,
    sides: &[Side],
    out: &mut Vec<Builder<'a>>,
) -> Result<(), Halt> {
    let full = shape.full(ghost, b.procs);
    let mask = b.take_mask(ghost).unwrap_or(full);
    let equal = sides.iter().find_map(|s| match s {
        Side::Eq(x, y) if *x == ghost => Some(*y),
        Side::Eq(x, y) if *y == ghost => Some(*x),
        _ => None,
    });
    if let Some(same) = equal {
        if mask != full && !b.restrict(same, mask) {
            return Ok(());
        }
        if substitute(shape, &mut b, ghost, &Value::Slot(same), sides) {
            eliminate_ghosts(shape, b, out)?;
        }
        return Ok(());
    }
    match shape.kind(ghost) {
        Kind::Enum(_) => {
            for c in (0..64).filter(|c| mask >> c & 1 == 1) {
                let mut next = b.clone();
                if substitute(shape, &mut next, ghost, &Value::Constructor(c), sides) {
                    eliminate_ghosts(shape, next, out)?;
                }
            }
        }
        Kind::Proc => {
            for p in (0..b.procs).filter(|p| mask >> p & 1 == 1) {
                let mut next = b.clone();
                if substitute(shape, &mut next, ghost, &Value::Slot(Slot::process(p)), sides) {
                    eliminate_ghosts(shape, next, out)?;
                }
            }
            if mask & OTHER != 0 && combine_orders(shape, &mut b, ghost, sides) {
                eliminate_ghosts(shape, b, out)?;
            }
        }
        // Only disequalities are left, and the domain is infinite.
        Kind::Abstract | Kind::Int | Kind::Real => eliminate_ghosts(shape, b, out)?,
    }
    Ok(())
}

/// Requires `sides` with `ghost` replaced by `value`; false when that is plainly empty.
fn substitute(shape: &Shape, b: &mut Builder<'_>, ghost: Slot, value: &Value, sides: &[Side]) -> bool {
    let procs = b.procs;
    let env = Env { shape, procs, vars: &[] };
    let of = |s: Slot| if s == ghost { value.clone() } else { Value::Slot(s) };
    sides.iter().all(|side| {
        let reduced = match side {
            Side::Eq(x, y) => env.equal(&of(*x), &of(*y), false),
            Side::Ne(x, y) => env.equal(&of(*x), &of(*y), true),
            Side::Lt(x, y) => env.less(&of(*x), &of(*y), true),
            Side::Le(x, y) => env.less(&of(*x), &of(*y), false),
            Side::Linear { .. } => unreachable!("not a numeric ghost"),
        };
        b.require_reduced(&reduced)
    })
}

/// The ghost is an outside value: every lower bound must lie below every upper bound; the order has
/// room for outside values everywhere.
fn combine_orders(shape: &Shape, b: &mut Builder<'_>, ghost: Slot, sides: &[Side]) -> bool {
    let procs = b.procs;
    let env = Env { shape, procs, vars: &[] };
    let bounds = |lower: bool| {
        sides.iter().filter_map(move |s| match *s {
            Side::Lt(x, y) if lower && y == ghost => Some((x, true)),
            Side::Le(x, y) if lower && y == ghost => Some((x, false)),
            Side::Lt(x, y) if !lower && x == ghost => Some((y, true)),
            Side::Le(x, y) if !lower && x == ghost => Some((y, false)),
            _ => None,
        })
    };
    for (low, s) in bounds(true) {
        for (high, t) in bounds(false) {
            // A process cannot be met by an outside value, so it bounds strictly.
            let strict = s || t || low.is_process() || high.is_process();
            if !b.require_reduced(&env.less(&Value::Slot(low), &Value::Slot(high), strict)) {
                return false;
            }
        }
    }
    true
}

/// Projects away each numeric constant that is known to be positive (or negative); false when the cube is
/// plainly empty.
pub fn eliminate_constants(shape: &Shape, b: &mut Builder<'_>) -> Result<bool, Halt> {
    loop {
        let signed = b.sides().iter().find_map(|s| match s {
            Side::Linear { form, bound, .. } if form.len() == 1 && shape.is_constant(form[0].0) => {
                let c = bound.number();
                let positive = match bound {
                    Bound::Gt(_) | Bound::Ge(_) => c.signum() >= 0,
                    Bound::Lt(_) | Bound::Le(_) => c.signum() <= 0,
                    Bound::Eq(_) | Bound::Ne(_) => false,
                };
                positive.then_some(form[0].0)
            }
            _ => None,
        });
        let Some(constant) = signed else { return Ok(true) };
        let sides = b.take_sides(constant);
        shape.interrupt.poll()?;
        if !eliminate_number(b, constant, sides, shape.kind(constant) == Kind::Int)? {
            return Ok(false);
        }
    }
}

type Expression = (Vec<(Slot, Rational)>, Rational);

/// Fourier-Motzkin on one number; false when plainly empty.
fn eliminate_number(b: &mut Builder<'_>, ghost: Slot, sides: Vec<Side>, integer: bool) -> Result<bool, Halt> {
    // Each constraint as `ghost relation expression`.
    let mut lower: Vec<(Expression, bool)> = Vec::new();
    let mut upper: Vec<(Expression, bool)> = Vec::new();
    let mut equal: Option<Expression> = None;
    let mut all: Vec<(Expression, Bound)> = Vec::new();
    for side in sides {
        let Side::Linear { form, bound, .. } = side else {
            unreachable!("a numeric slot occurs in linear literals only")
        };
        let k = form.iter().find(|t| t.0 == ghost).map_or(Rational::ONE, |t| t.1);
        if integer && k.num().abs() != 1 {
            continue; // dropped: the result is larger
        }
        let mut terms = Vec::new();
        for &(s, c) in form.iter().filter(|t| t.0 != ghost) {
            terms.push((s, c.neg().div(k).ok_or(Overflow)?));
        }
        let e = (terms, bound.number().div(k).ok_or(Overflow)?);
        let flip = k.signum() < 0;
        match bound {
            Bound::Eq(_) => equal = Some(e.clone()),
            Bound::Ne(_) => {}
            Bound::Le(_) | Bound::Lt(_) => {
                let strict = matches!(bound, Bound::Lt(_));
                if flip { lower.push((e.clone(), strict)) } else { upper.push((e.clone(), strict)) }
            }
            Bound::Ge(_) | Bound::Gt(_) => {
                let strict = matches!(bound, Bound::Gt(_));
                if flip { upper.push((e.clone(), strict)) } else { lower.push((e.clone(), strict)) }
            }
        }
        let oriented = if flip {
            match bound {
                Bound::Le(c) => Bound::Ge(c),
                Bound::Lt(c) => Bound::Gt(c),
                Bound::Ge(c) => Bound::Le(c),
                Bound::Gt(c) => Bound::Lt(c),
                other => other,
            }
        } else {
            bound
        };
        all.push((e, oriented));
    }
    if let Some(value) = equal {
        for (e, bound) in all {
            // `value bound e`
            let (relation, negate) = relation_of(bound);
            if !b.require_reduced(&compare(&value, &e, relation, negate, integer)?) {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    for (l, s) in &lower {
        for (u, t) in &upper {
            b.shape.interrupt.poll()?;
            let relation = if *s || *t { Relation::Lt } else { Relation::Le };
            if !b.require_reduced(&compare(l, u, relation, false, integer)?) {
                return Ok(false);
            }
        }
    }
    Ok(true)
}

/// `left - right relation 0`, or `right - left relation 0` when negated.
fn compare(
    left: &Expression,
    right: &Expression,
    relation: Relation,
    negate: bool,
    integer: bool,
) -> Result<Reduced, Halt> {
    let (a, b) = if negate { (right, left) } else { (left, right) };
    let mut terms = a.0.clone();
    terms.extend(b.0.iter().map(|&(s, k)| (s, k.neg())));
    Ok(linear(&terms, a.1.sub(b.1).ok_or(Overflow)?, relation, integer)?)
}
