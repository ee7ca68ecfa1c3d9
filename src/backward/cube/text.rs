//! Cubes as text.

use super::cell::{OTHER, Slot};
use super::context::{Kind, Shape};
use super::cube::Cube;
use super::literal::{Bound, Ground, Side};
use crate::model::{Rational, System};

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
