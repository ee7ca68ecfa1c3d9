//! Cubes as model literals, as solver formulas and as text.

use super::cell::{OTHER, Slot, low};
use super::context::{Kind, Shape};
use super::cube::Cube;
use super::linear::relation_of;
use super::literal::{Ground, Side};
use crate::model::{Cell, Linear, Literal, ProcRef, Rational, Relation, Term};
use crate::smt::Formula;

/// How processes of a cube appear in the model's terms.
pub type Naming<'n> = &'n dyn Fn(u8) -> ProcRef;

pub fn cell(shape: &Shape, slot: Slot, name: Naming<'_>) -> Cell {
    Cell { var: slot.var(), index: shape.indices(slot).map(name).collect() }
}

fn term(shape: &Shape, slot: Slot, name: Naming<'_>) -> Term {
    match slot.as_process() {
        Some(p) => Term::Proc(name(p)),
        None => Term::Cell(cell(shape, slot, name)),
    }
}

/// A side literal in the model's terms.
pub fn side_literal(shape: &Shape, side: &Side, name: Naming<'_>) -> Literal {
    let t = |s: Slot| term(shape, s, name);
    match side {
        Side::Eq(a, b) => Literal::Eq { left: t(*a), right: t(*b), negated: false },
        Side::Ne(a, b) => Literal::Eq { left: t(*a), right: t(*b), negated: true },
        Side::Lt(a, b) => Literal::Less { left: t(*a), right: t(*b), strict: true },
        Side::Le(a, b) => Literal::Less { left: t(*a), right: t(*b), strict: false },
        Side::Linear { integer, form, bound } => {
            let (relation, negate) = relation_of(*bound);
            let sign = |k: Rational| if negate { k.neg() } else { k };
            let mut terms: Vec<(Cell, Rational)> =
                form.iter().map(|&(s, k)| (cell(shape, s, name), sign(k))).collect();
            terms.sort_by(|a, b| a.0.cmp(&b.0));
            let constant = sign(bound.number().neg());
            assert!(
                relation != Relation::Lt || !integer,
                "`linear` and `negate` make strict bounds of reals only"
            );
            Literal::Linear { expr: Linear { terms, constant }, relation, integer: *integer }
        }
    }
}

/// A ground literal as a formula over the cube's processes (`ProcRef::Var(p)` is process p).
pub fn formula(shape: &Shape, procs: u8, g: &Ground) -> Formula {
    let name: Naming<'_> = &ProcRef::Var;
    match g {
        Ground::Side(s) => Formula::Literal(side_literal(shape, s, name)),
        Ground::Mask(slot, mask) => mask_formula(shape, procs, *slot, *mask),
    }
}

fn mask_formula(shape: &Shape, procs: u8, slot: Slot, mask: u64) -> Formula {
    let name: Naming<'_> = &ProcRef::Var;
    if shape.kind(slot) != Kind::Proc {
        return Formula::Literal(Literal::In { cell: cell(shape, slot, name), values: mask });
    }
    let is = |p: u8, negated: bool| {
        Formula::Literal(Literal::Eq {
            left: Term::Cell(cell(shape, slot, name)),
            right: Term::Proc(ProcRef::Var(p)),
            negated,
        })
    };
    if mask & OTHER == 0 {
        Formula::Any((0..procs).filter(|p| mask >> p & 1 == 1).map(|p| is(p, false)).collect())
    } else {
        Formula::All((0..procs).filter(|p| mask >> p & 1 == 0).map(|p| is(p, true)).collect())
    }
}

/// All literals of a cube as formulas.
pub fn formulas(shape: &Shape, cube: &Cube) -> Vec<Formula> {
    cube.literals().map(|g| formula(shape, cube.procs, &g)).collect()
}

/// The cube for an oracle: number of processes beside the rigid ones, and literals. `None` when a mask
/// is no conjunction of literals.
pub fn oracle_literals(shape: &Shape, cube: &Cube) -> Option<(u8, Vec<Literal>)> {
    let rigid = shape.rigid;
    let name = move |p: u8| if p < rigid { ProcRef::Const(p) } else { ProcRef::Var(p - rigid) };
    let mut out = Vec::with_capacity(cube.len());
    for g in cube.literals() {
        match g {
            Ground::Side(s) => out.push(side_literal(shape, &s, &name)),
            Ground::Mask(slot, mask) if shape.kind(slot) == Kind::Proc => {
                let allowed = mask & low(cube.procs);
                let eq = |p: u8, negated| Literal::Eq {
                    left: Term::Cell(cell(shape, slot, &name)),
                    right: Term::Proc(name(p)),
                    negated,
                };
                if mask & OTHER != 0 {
                    out.extend((0..cube.procs).filter(|p| mask >> p & 1 == 0).map(|p| eq(p, true)));
                } else if allowed.is_power_of_two() {
                    out.push(eq(allowed.trailing_zeros() as u8, false));
                } else {
                    return None;
                }
            }
            Ground::Mask(slot, mask) => {
                out.push(Literal::In { cell: cell(shape, slot, &name), values: mask });
            }
        }
    }
    Some((cube.procs - rigid, out))
}
