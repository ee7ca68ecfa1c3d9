//! Satisfiability of a cube: finite masks with equality, process order and linear arithmetic.
//!
//! Complete for equality over enums, processes, outside values and abstract types, for the process order
//! (total, with room for outside values everywhere), and for difference constraints and real
//! arithmetic; other integer arithmetic may answer [`Sat::Unknown`] and is Z3's.

use super::fourier_motzkin;
use super::orders::orders;
use super::sat::Sat;
use crate::backward::cube::{Builder, Halt, Kind, OTHER, Shape, Side, is_singleton};
use crate::backward::tuning::SPLITS;

/// Whether some state satisfies the cube under construction.
pub fn satisfiable(shape: &Shape, b: &Builder<'_>) -> Result<Sat, Halt> {
    if b.sides().is_empty() {
        return Ok(Sat::Yes);
    }
    let mut splits = SPLITS;
    check(shape, b.clone(), &mut splits)
}

fn check(shape: &Shape, mut b: Builder<'_>, splits: &mut usize) -> Result<Sat, Halt> {
    shape.interrupt.poll()?;
    if !b.normalise()? {
        return Ok(Sat::No);
    }
    // A slot of several values in a literal that links slots: split on it.
    let split = b.sides().iter().filter(|s| !matches!(s, Side::Linear { .. })).find_map(|s| {
        s.slots().into_iter().find(|&slot| {
            !slot.is_process() && {
                let kind = shape.kind(slot);
                let mask = b.mask(slot);
                matches!(kind, Kind::Enum(_) | Kind::Proc) && !is_singleton(kind, mask) && mask != OTHER
            }
        })
    });
    let Some(slot) = split else {
        return Ok(match orders(shape, &b) {
            Sat::Yes => fourier_motzkin::satisfiable(b.sides())?,
            no => no,
        });
    };
    let mut rest = b.mask(slot);
    let mut answer = Sat::No;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest &= !bit;
        if *splits == 0 {
            return Ok(Sat::Unknown);
        }
        *splits -= 1;
        let mut next = b.clone();
        if next.restrict(slot, bit) {
            match check(shape, next, splits)? {
                Sat::Yes => return Ok(Sat::Yes),
                Sat::Unknown => answer = Sat::Unknown,
                Sat::No => {}
            }
        }
    }
    Ok(answer)
}
