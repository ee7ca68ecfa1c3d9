//! Names the processes that pointers hold in the cubes of a pre-image, where cubes say what all other processes do.
//!
//! A global or a cell of which a cube says that it holds none of the named processes holds another process, of which what is said of the others holds, or
//! none at all. A cube that says neither is split into the two, so that what it says of the others meets what it says of the pointer.

use super::choices::multiply;
use super::pre::Pre;
use crate::cube::{
    CellKind, Cube, CubeBuilder, CubeCell, CubeContext, CubeLiteral, Halt, OTHER, low, widened,
};
use crate::tuning::MOST_NAMED_BESIDE_OTHERS;

/// Splits the cubes `from..` by the processes that their pointers hold; the union stays the same.
pub fn name_pointers(context: &CubeContext, out: &mut Vec<Pre>, from: usize) -> Result<(), Halt> {
    let mut at = from;
    while at < out.len() {
        let Some((cell, mask)) = open_pointer(context, &out[at].cube) else {
            at += 1;
            continue;
        };
        context.interrupt.poll()?;
        let pre = out.remove(at);
        let cube = &pre.cube;
        let named = mask & low(cube.procs);
        for (part, is_none) in [(named, false), (OTHER, true)] {
            let mut b = CubeBuilder::from_cube(context, cube);
            if part == 0 || !b.restrict(cell, part) {
                continue;
            }
            if is_none {
                b.exclude([CubeLiteral::Mask(cell, 1 << cube.procs)].into());
            }
            out.extend(b.finish()?.map(|cube| Pre { cube, ..pre.clone() }));
        }
        let mut wider = widened(context, cube)?;
        if wider.cube.restrict(cell, 1 << cube.procs) {
            let choices = wider.choices.iter().map(|any| any.iter().collect()).collect();
            multiply(wider.cube, choices, &mut |case| {
                let kept = [&pre.kept[..], &[pre.procs]].concat();
                let procs = pre.procs + 1;
                out.extend(case.finish()?.map(|cube| Pre { cube, kept, procs, args: pre.args.clone() }));
                Ok(())
            })?;
        }
    }
    Ok(())
}

/// A pointer of which a cube with something to say about others says that it may hold a process that is not named, and the values that it may hold.
fn open_pointer(context: &CubeContext, cube: &Cube) -> Option<(CubeCell, u64)> {
    if cube.others.is_empty()
        || cube.most_of_a_sort(context) >= MOST_NAMED_BESIDE_OTHERS
        || usize::from(cube.procs) >= context.max_procs
    {
        return None;
    }
    // What is said of the others was simplified: it may say so by more than one literal of the cell, or that there are no others.
    let holds_none = |cell: CubeCell| {
        let of_cell = |it: &CubeLiteral| matches!(it, CubeLiteral::Mask(same, mask) if *same == cell && mask >> cube.procs & 1 == 1);
        cube.others.iter().any(|it| it.iter().all(of_cell))
    };
    cube.masks.iter().copied().find(|&(cell, mask)| {
        let may_hold = context.kind(cell) == CellKind::Proc && context.full(cell, cube.procs) != OTHER;
        may_hold && mask & OTHER != 0 && !holds_none(cell)
    })
}
