//! Elimination of the values that `?` chose: `exists g. cube` without g.
//!
//! An equality substitutes g away. Otherwise a finite domain is split, and on an infinite domain
//! disequalities vanish and bounds are combined pairwise (Fourier and Motzkin). Exact except where bounds
//! and disequalities meet on integers or a non-unit coefficient occurs; there the result is larger, never
//! smaller.

use crate::cube::{
    Bound, CellKind, CellValue, CubeBuilder, CubeCell, CubeContext, Halt, Instantiation, OTHER, Overflow,
    Relational,
};
use crate::theory::project;

/// Appends to `out` builders whose union is `b` with every ghost projected away.
pub fn eliminate_ghosts<'a>(
    context: &'a CubeContext,
    mut b: CubeBuilder<'a>,
    out: &mut Vec<CubeBuilder<'a>>,
) -> Result<(), Halt> {
    context.interrupt.poll()?;
    let ghost = b.relational().iter().flat_map(Relational::cells).find(|s| s.is_ghost());
    let Some(ghost) = ghost else {
        b.drop_ghost_masks();
        out.push(b);
        return Ok(());
    };
    let relational = b.take_relational(ghost);
    let kind = context.kind(ghost);
    match kind {
        CellKind::Int | CellKind::Real => {
            if eliminate_number(&mut b, ghost, &relational, kind == CellKind::Int)? {
                eliminate_ghosts(context, b, out)?;
            }
            Ok(())
        }
        CellKind::Enum(_) | CellKind::Proc | CellKind::Abstract => {
            eliminate_value(context, b, ghost, &relational, out)
        }
    }
}

fn eliminate_value<'a>(
    context: &'a CubeContext,
    mut b: CubeBuilder<'a>,
    ghost: CubeCell,
    relational: &[Relational],
    out: &mut Vec<CubeBuilder<'a>>,
) -> Result<(), Halt> {
    let full = context.full(ghost, b.procs);
    let mask = b.take_mask(ghost).unwrap_or(full);
    let equal = relational.iter().find_map(|s| match s {
        Relational::Eq(x, y) if *x == ghost => Some(*y),
        Relational::Eq(x, y) if *y == ghost => Some(*x),
        _ => None,
    });
    if let Some(same) = equal {
        if mask != full && !b.restrict(same, mask) {
            return Ok(());
        }
        if substitute(context, &mut b, ghost, &CellValue::Cell(same), relational)? {
            eliminate_ghosts(context, b, out)?;
        }
        return Ok(());
    }
    let kind = context.kind(ghost);
    // Of an infinite domain, only disequalities are left.
    let values = match kind {
        CellKind::Enum(_) => 64,
        CellKind::Proc => b.procs,
        CellKind::Abstract | CellKind::Int | CellKind::Real => return eliminate_ghosts(context, b, out),
    };
    for v in (0..values).filter(|v| mask >> v & 1 == 1) {
        let value = match kind {
            CellKind::Proc => CellValue::Cell(CubeCell::process(v)),
            _ => CellValue::Constructor(v),
        };
        let mut next = b.clone();
        if substitute(context, &mut next, ghost, &value, relational)? {
            eliminate_ghosts(context, next, out)?;
        }
    }
    if kind == CellKind::Proc && mask & OTHER != 0 && combine_orders(context, &mut b, ghost, relational) {
        eliminate_ghosts(context, b, out)?;
    }
    Ok(())
}

/// Requires these literals with `ghost` replaced by `value`; false when that is plainly empty.
fn substitute(
    context: &CubeContext,
    b: &mut CubeBuilder<'_>,
    ghost: CubeCell,
    value: &CellValue,
    relational: &[Relational],
) -> Result<bool, Overflow> {
    let procs = b.procs;
    let env = Instantiation { context, procs, vars: &[] };
    let of = |s: CubeCell| if s == ghost { value.clone() } else { CellValue::Cell(s) };
    for relational in relational {
        if !b.require_reduced(&env.substituted(relational, &of)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The ghost is an outside value: every lower bound must lie below every upper bound; the order has
/// room for outside values everywhere.
fn combine_orders(
    context: &CubeContext,
    b: &mut CubeBuilder<'_>,
    ghost: CubeCell,
    relational: &[Relational],
) -> bool {
    let procs = b.procs;
    let env = Instantiation { context, procs, vars: &[] };
    let bounds = |lower: bool| {
        relational.iter().filter_map(move |s| match *s {
            Relational::Lt(x, y) if lower && y == ghost => Some((x, true)),
            Relational::Le(x, y) if lower && y == ghost => Some((x, false)),
            Relational::Lt(x, y) if !lower && x == ghost => Some((y, true)),
            Relational::Le(x, y) if !lower && x == ghost => Some((y, false)),
            _ => None,
        })
    };
    for (low, s) in bounds(true) {
        for (high, t) in bounds(false) {
            // A process cannot be met by an outside value, so it bounds strictly.
            let strict = s || t || low.is_process() || high.is_process();
            if !b.require_reduced(&env.less(&CellValue::Cell(low), &CellValue::Cell(high), strict)) {
                return false;
            }
        }
    }
    true
}

/// Projects away each numeric constant that is known to be positive (or negative); false when the cube is
/// plainly empty.
pub fn eliminate_constants(context: &CubeContext, b: &mut CubeBuilder<'_>) -> Result<bool, Halt> {
    loop {
        let signed = b.relational().iter().find_map(|s| match s {
            Relational::Linear { form, bound, .. } if form.len() == 1 && context.is_constant(form[0].0) => {
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
        let relational = b.take_relational(constant);
        context.interrupt.poll()?;
        if !eliminate_number(b, constant, &relational, context.kind(constant) == CellKind::Int)? {
            return Ok(false);
        }
    }
}

/// Requires the consequences of the literals about one number that do not mention it; false when the cube is plainly empty.
fn eliminate_number(
    b: &mut CubeBuilder<'_>,
    number: CubeCell,
    about: &[Relational],
    integer: bool,
) -> Result<bool, Halt> {
    project(about, number, integer, &mut |reduced| {
        b.context.interrupt.poll()?;
        Ok(b.require_reduced(reduced))
    })
}
