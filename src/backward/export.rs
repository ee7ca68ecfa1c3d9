//! Cubes as model literals, as solver formulas and as text.

use super::cube::Cube;
use super::ground::{Bound, Ground, Side};
use super::slot::{Kind, OTHER, Shape, Slot, low};
use crate::model::{Cell, Conj, Linear, Literal, ProcRef, Rational, Relation, System, Term, VarId};
use crate::smt::Formula;
use crate::verdict::Forbidden;

/// How processes of a cube appear in the model's terms.
pub type Naming<'n> = &'n dyn Fn(u8) -> ProcRef;

fn cell(shape: &Shape, slot: Slot, name: Naming<'_>) -> Cell {
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
            let (relation, negate) = super::ground::relation_of(*bound);
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

/// What a finished run has shown unreachable: first what the shape of the system says by itself (values that
/// a cell never holds, globals that never hold a process), then the visited cubes.
pub fn invariant<'c>(
    system: &System,
    shape: &Shape,
    visited: impl Iterator<Item = &'c Cube>,
) -> Vec<Forbidden> {
    let mut out = Vec::new();
    for (v, var) in system.vars.iter().enumerate() {
        let Kind::Enum(range) = shape.kind(Slot::cell(VarId(v as u16), [])) else { continue };
        let crate::model::Type::Enum(id) = var.ty else { continue };
        let never = system.enumeration(id).all() & !range;
        if never == 0 {
            continue;
        }
        for index in index_patterns(var.arity()) {
            let params = index.iter().max().map_or(0, |p| p + 1);
            let index = index.into_iter().map(ProcRef::Var).collect();
            let cell = Cell { var: VarId(v as u16), index };
            out.push(Forbidden { params, cube: vec![Literal::In { cell, values: never }] });
        }
    }
    for global in shape.outside_globals() {
        let left = Term::Cell(cell(shape, global, &ProcRef::Var));
        let right = Term::Proc(ProcRef::Var(0));
        out.push(Forbidden { params: 1, cube: vec![Literal::Eq { left, right, negated: false }] });
    }
    for cube in visited {
        out.extend(
            forbidden(shape, cube)
                .into_iter()
                .map(|literals| Forbidden { params: cube.procs - shape.rigid, cube: literals }),
        );
    }
    out
}

/// The ways in which `arity` indices can coincide: `[0, 0]` and `[0, 1]` for two.
fn index_patterns(arity: usize) -> Vec<Vec<u8>> {
    (0..arity).fold(vec![Vec::new()], |shorter, _| {
        let longer = shorter.into_iter().flat_map(|pattern: Vec<u8>| {
            let fresh = pattern.iter().max().map_or(0, |p| p + 1);
            (0..=fresh).map(move |p| {
                let mut longer = pattern.clone();
                longer.push(p);
                longer
            })
        });
        longer.collect()
    })
}

/// The cube as conjunctions of literals over its processes that are not rigid, which differ from the rigid
/// ones: several where a proc cell holds one of several processes.
fn forbidden(shape: &Shape, cube: &Cube) -> Vec<Conj> {
    let rigid = shape.rigid;
    let name = move |p: u8| if p < rigid { ProcRef::Const(p) } else { ProcRef::Var(p - rigid) };
    let equal = |left: Term, p: u8, negated| Literal::Eq { left, right: Term::Proc(name(p)), negated };
    let mut out: Vec<Conj> = vec![Vec::with_capacity(cube.len())];
    let add = |out: &mut Vec<Conj>, literal: Literal| {
        for conj in out.iter_mut() {
            conj.push(literal.clone());
        }
    };
    for p in rigid..cube.procs {
        for q in 0..rigid {
            add(&mut out, equal(Term::Proc(name(p)), q, true));
        }
    }
    for g in cube.literals() {
        match g {
            Ground::Side(s) => add(&mut out, side_literal(shape, &s, &name)),
            Ground::Mask(slot, mask) if shape.kind(slot) == Kind::Proc => {
                let left = Term::Cell(cell(shape, slot, &name));
                if mask & OTHER != 0 {
                    for p in (0..cube.procs).filter(|p| mask >> p & 1 == 0) {
                        add(&mut out, equal(left.clone(), p, true));
                    }
                } else {
                    let one = |conj: Conj| {
                        let left = left.clone();
                        let held = (0..cube.procs).filter(move |p| mask >> p & 1 == 1);
                        held.map(move |p| {
                            let mut conj = conj.clone();
                            conj.push(equal(left.clone(), p, false));
                            conj
                        })
                    };
                    out = out.into_iter().flat_map(one).collect();
                }
            }
            Ground::Mask(slot, values) => {
                add(&mut out, Literal::In { cell: cell(shape, slot, &name), values });
            }
        }
    }
    out
}

/// One line for each literal, as `S[#1] = Crit` or `Turn <> #2`.
pub fn text(system: &System, shape: &Shape, cube: &Cube) -> Vec<String> {
    cube.literals().map(|g| literal_text(system, shape, cube.procs, &g)).collect()
}

fn slot_text(system: &System, shape: &Shape, slot: Slot) -> String {
    if let Some(p) = slot.as_process() {
        return format!("#{}", p + 1);
    }
    let name = &system.var(slot.var()).name;
    let index: Vec<String> = shape.indices(slot).map(|p| format!("#{}", p + 1)).collect();
    if index.is_empty() { name.clone() } else { format!("{name}[{}]", index.join(", ")) }
}

fn literal_text(system: &System, shape: &Shape, procs: u8, g: &Ground) -> String {
    let s = |slot: Slot| slot_text(system, shape, slot);
    match g {
        Ground::Mask(slot, mask) => {
            let full = shape.full(*slot, procs);
            let values = |mask: u64| -> Vec<String> {
                (0..64).filter(|b| mask >> b & 1 == 1).map(|b| value_text(system, *slot, b)).collect()
            };
            let (allowed, excluded) = (values(*mask), values(full & !mask));
            if allowed.len() == 1 && mask & OTHER == 0 {
                format!("{} = {}", s(*slot), allowed[0])
            } else if excluded.len() == 1 && full & !mask & OTHER == 0 {
                format!("{} <> {}", s(*slot), excluded[0])
            } else if mask & OTHER != 0 && shape.kind(*slot) == Kind::Proc {
                let all: Vec<String> = excluded.iter().map(|v| format!("{} <> {v}", s(*slot))).collect();
                all.join(" && ")
            } else {
                format!("{} in {{{}}}", s(*slot), allowed.join(", "))
            }
        }
        Ground::Side(side) => match side {
            Side::Eq(a, b) => format!("{} = {}", s(*a), s(*b)),
            Side::Ne(a, b) => format!("{} <> {}", s(*a), s(*b)),
            Side::Lt(a, b) => format!("{} < {}", s(*a), s(*b)),
            Side::Le(a, b) => format!("{} <= {}", s(*a), s(*b)),
            Side::Linear { form, bound, .. } => linear_text(form, *bound, &s),
        },
    }
}

fn value_text(system: &System, slot: Slot, bit: u8) -> String {
    match system.var(slot.var()).ty {
        crate::model::Type::Enum(e) => system.enumeration(e).constructors[usize::from(bit)].clone(),
        _ => format!("#{}", bit + 1),
    }
}

/// Positive terms on the left, negative ones on the right: `N[#1] + 2 <= M`.
fn linear_text(form: &[(Slot, Rational)], bound: Bound, s: &dyn Fn(Slot) -> String) -> String {
    let side = |positive: bool| -> Vec<String> {
        form.iter()
            .filter(|t| (t.1.signum() > 0) == positive)
            .map(|&(slot, k)| {
                let k = if positive { k } else { k.neg() };
                if k == Rational::ONE { s(slot) } else { format!("{k} * {}", s(slot)) }
            })
            .collect()
    };
    let (mut left, mut right) = (side(true), side(false));
    let c = bound.number();
    if right.is_empty() || c.signum() > 0 {
        if !c.is_zero() || right.is_empty() {
            right.push(c.to_string());
        }
    } else if !c.is_zero() {
        left.push(c.neg().to_string());
    }
    let op = match bound {
        Bound::Le(_) => "<=",
        Bound::Lt(_) => "<",
        Bound::Ge(_) => ">=",
        Bound::Gt(_) => ">",
        Bound::Eq(_) => "=",
        Bound::Ne(_) => "<>",
    };
    format!("{} {op} {}", left.join(" + "), right.join(" + "))
}
