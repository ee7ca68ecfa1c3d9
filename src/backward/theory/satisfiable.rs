//! Satisfiability of a cube: finite masks with equality, process order and linear arithmetic.
//!
//! Complete for equality over enums, processes, outside values and abstract types, for the process order
//! (total, with room for outside values everywhere), and for difference constraints and real
//! arithmetic; other integer arithmetic may answer [`Sat::Unknown`] and is left to Z3.

use super::feasible;
use super::orders::orders;
use super::sat::Sat;
use crate::cube::{CellKind, CubeBuilder, CubeContext, Halt, OTHER, Relational, is_singleton};
use crate::tuning::MAX_SPLITS;

/// Whether some state satisfies the cube under construction.
pub fn satisfiable(context: &CubeContext, b: &CubeBuilder<'_>) -> Result<Sat, Halt> {
    counted(context, b).map(|(answer, _)| answer)
}

/// Like [`satisfiable`], with the approximate number of compared pairs of literals about processes and symbols: each value
/// tried for a cell compares all of them.
pub fn counted(context: &CubeContext, b: &CubeBuilder<'_>) -> Result<(Sat, u64), Halt> {
    if b.relational().is_empty() {
        return Ok((Sat::Yes, 0));
    }
    let literals = b.relational().iter().filter(|it| !matches!(it, Relational::Linear { .. })).count();
    let mut splits = MAX_SPLITS;
    let answer = check(context, b.clone(), &mut splits)?;
    Ok((answer, ((MAX_SPLITS - splits) * literals * literals) as u64))
}

fn check(context: &CubeContext, mut b: CubeBuilder<'_>, splits: &mut usize) -> Result<Sat, Halt> {
    context.interrupt.poll()?;
    if !b.normalise()? {
        return Ok(Sat::No);
    }
    // A cell of several values in a literal that links cells: split on it.
    let split = b.relational().iter().filter(|s| !matches!(s, Relational::Linear { .. })).find_map(|s| {
        s.cells().into_iter().find(|&cell| {
            !cell.is_process() && {
                let kind = context.kind(cell);
                let mask = b.mask(cell);
                matches!(kind, CellKind::Enum(_) | CellKind::Proc)
                    && !is_singleton(kind, mask)
                    && mask != OTHER
            }
        })
    });
    let Some(cell) = split else {
        return Ok(match orders(context, &b) {
            Sat::Yes => feasible::satisfiable(b.relational())?,
            no => no,
        });
    };
    let mut rest = b.mask(cell);
    let mut answer = Sat::No;
    while rest != 0 {
        let bit = rest & rest.wrapping_neg();
        rest &= !bit;
        if *splits == 0 {
            return Ok(Sat::Unknown);
        }
        *splits -= 1;
        let mut next = b.clone();
        if next.restrict(cell, bit) {
            match check(context, next, splits)? {
                Sat::Yes => return Ok(Sat::Yes),
                Sat::Unknown => answer = Sat::Unknown,
                Sat::No => {}
            }
        }
    }
    Ok(answer)
}
