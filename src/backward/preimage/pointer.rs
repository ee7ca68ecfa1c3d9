//! Names the processes that pointers hold in the cubes of a pre-image, where cubes say what all other processes do.
//!
//! A global or a cell of which a cube says that it holds none of the named processes holds another process, of which what is said of the others holds, or
//! none at all. A cube that says neither is split into the two, so that what it says of the others meets what it says of the pointer. So are bad
//! states about numbers alone.

use super::choices::multiply;
use super::pre::Pre;
use crate::cube::{
    CellKind, Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Excluded, Halt, OTHER, low, widened,
};
use crate::tuning::{MOST_NAMED_BESIDE_OTHERS, MOST_POINTERS_OF_NUMBERS};

/// Splits the cubes `from..` by the processes that their pointers hold; the union stays the same.
pub fn name_pointers(context: &CubeContext, out: &mut Vec<Pre>, from: usize) -> Result<(), Halt> {
    if out[from..].iter().all(|pre| pre.cube.others.is_empty()) {
        return Ok(());
    }
    for pre in out.split_off(from) {
        // Each cell once, so that this ends.
        let cells: Vec<CubeCell> = pre.cube.masks.iter().map(|it| it.0).collect();
        let mut cases = vec![pre];
        for cell in cells.into_iter().filter(|cell| context.kind(*cell) == CellKind::Proc) {
            let mut next = Vec::with_capacity(cases.len());
            for case in cases {
                split(context, cell, case, &mut next)?;
            }
            cases = next;
        }
        out.append(&mut cases);
    }
    Ok(())
}

fn split(context: &CubeContext, cell: CubeCell, pre: Pre, out: &mut Vec<Pre>) -> Result<(), Halt> {
    if is_open(context, &pre.cube, cell) {
        out.extend(by_holder(context, &pre.cube, cell)?.into_iter().map(|cube| pre.with_cube(cube)));
    } else {
        out.push(pre);
    }
    Ok(())
}

/// A cube by what a pointer holds: one of the named processes, no process, or a further one.
fn by_holder(context: &CubeContext, cube: &Cube, cell: CubeCell) -> Result<Vec<Cube>, Halt> {
    context.interrupt.poll()?;
    let mut cases = Vec::new();
    let named = cube.mask(cell).unwrap_or(u64::MAX) & low(cube.procs);
    for (part, is_none) in [(named, false), (OTHER, true)] {
        let mut b = CubeBuilder::from_cube(context, cube);
        if part == 0 || !b.restrict(cell, part) {
            continue;
        }
        if is_none {
            b.exclude([CubeLiteral::Mask(cell, 1 << cube.procs)].into());
        }
        cases.extend(b.finish()?);
    }
    if usize::from(cube.procs) >= context.max_procs {
        return Ok(cases);
    }
    let mut wider = widened(context, cube)?;
    if wider.cube.restrict(cell, 1 << cube.procs) {
        let choices = wider.choices.iter().map(|any| any.iter().collect()).collect();
        multiply(wider.cube, choices, &mut |case| {
            cases.extend(case.finish()?);
            Ok(())
        })?;
    }
    Ok(cases)
}

/// The cases of a cube that names no process, by the processes that globals hold: what such a cube says of numbers is about all processes, and in which
/// of the counts that equations give a pointer's process is may be all that excludes it.
pub fn by_holders(context: &CubeContext, cube: Cube) -> Result<Vec<Cube>, Halt> {
    let mut cases = vec![cube];
    if cases[0].procs > 0 {
        return Ok(cases);
    }
    for cell in context.pointers().take(MOST_POINTERS_OF_NUMBERS) {
        let split: Result<Vec<_>, Halt> = cases.iter().map(|case| by_holder(context, case, cell)).collect();
        cases = split?.concat();
    }
    Ok(cases)
}

/// Whether a cube with something to say about others leaves open whether a pointer holds a process that is not named, or none.
fn is_open(context: &CubeContext, cube: &Cube, cell: CubeCell) -> bool {
    let may_hold = cube.mask(cell).is_some_and(|mask| mask & OTHER != 0);
    if !may_hold
        || cube.others.is_empty()
        || context.full(cell, cube.procs) == OTHER
        || cube.most_of_a_sort(context) >= MOST_NAMED_BESIDE_OTHERS
        || usize::from(cube.procs) >= context.max_procs
    {
        return false;
    }
    // Where it is said of processes of other sorts, a name for the process tells nothing of it.
    if let Some(sort) = context.pointed_sort(cell) {
        let is_of_sort = |it: &Excluded| {
            it.iter().all(|it| !matches!(it, CubeLiteral::Mask(of, mask) if context.is_sort(*of) && of.index(0) == cube.procs && mask >> sort & 1 == 0))
        };
        if !cube.others.iter().any(is_of_sort) {
            return false;
        }
    }
    // What is said of the others was simplified: it may say so by more than one literal of the cell, or that there are no others.
    let of_cell = |it: &CubeLiteral| matches!(it, CubeLiteral::Mask(same, mask) if *same == cell && mask >> cube.procs & 1 == 1);
    !cube.others.iter().any(|it| it.iter().all(of_cell))
}
