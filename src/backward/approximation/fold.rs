//! Candidates that say of all other processes what a cube says of some that it names.
//!
//! Where the others satisfy O, and a named process has the literals l, the cube is part of the larger one that does not name the process, and in which each other
//! process satisfies O or has the literals l. It stands for any number of such processes: without it, a search names one after the other.

use crate::cube::{
    CellKind, Cube, CubeBuilder, CubeContext, CubeLiteral, Excluded, Halt, Instantiation, OTHER, Reduced, conjoin,
    is_about, rename_literal,
};

/// Most processes of a cube of which all sets are folded; of more, only one each.
const MOST_FOLDED: u8 = 4;

/// The cubes that a cube is part of, those that name fewest processes first.
pub fn folded(context: &CubeContext, cube: &Cube) -> Result<Vec<Cube>, Halt> {
    let free = cube.procs - context.rigid;
    if cube.others.is_empty() || free == 0 {
        return Ok(Vec::new());
    }
    let mut sets: Vec<u64> =
        if free <= MOST_FOLDED { (1..1 << free).collect() } else { (0..free).map(|p| 1 << p).collect() };
    sets.sort_by_key(|set: &u64| (u32::MAX - set.count_ones(), *set));
    let mut out = Vec::new();
    for set in sets {
        let mut larger = Some(cube.clone());
        // From the last one, so that the numbers of the rest stay.
        for process in (0..free).rev().filter(|p| set >> p & 1 == 1) {
            larger = match larger {
                Some(larger) => without(context, &larger, context.rigid + process)?,
                None => None,
            };
        }
        out.extend(larger.filter(|it| !it.others.is_empty()));
    }
    Ok(out)
}

/// A cube that contains this one and does not name the process; `None` where it would be empty.
fn without(context: &CubeContext, cube: &Cube, process: u8) -> Result<Option<Cube>, Halt> {
    let (procs, other) = (cube.procs, cube.procs - 1);
    // The further process of the result has the number of its processes.
    let last = |p: u8| if p > process { p - 1 } else { p };
    let map: Vec<u8> = (0..=procs).map(|p| if p == process { other } else { last(p) }).collect();
    let env = Instantiation { context, procs, vars: &[] };
    let mut b = CubeBuilder::new(context, other);
    let mut of_process: Vec<CubeLiteral> = Vec::new();
    for literal in cube.literals() {
        if literal.cells().into_iter().any(|cell| is_about(context, cell, process)) {
            of_process.push(rename_literal(context, &literal, &map[..usize::from(procs)], procs)?);
            continue;
        }
        match literal {
            CubeLiteral::Mask(cell, mask) if context.kind(cell) == CellKind::Proc => {
                let is_held = mask >> process & 1 == 1;
                let said = if mask & !(1 << process) == 0 {
                    Some(CubeLiteral::Mask(context.rename(cell, &map), 1 << other))
                } else {
                    (!is_held && mask & OTHER != 0)
                        .then(|| CubeLiteral::Mask(context.rename(cell, &map), !(1 << other)))
                };
                of_process.extend(said);
                let named = (0..procs).filter(|p| *p != process && mask >> p & 1 == 1);
                let named = named.fold(0, |all, p| all | 1 << last(p));
                let beside = if is_held { OTHER } else { mask & OTHER };
                if !b.restrict(context.rename(cell, &map), named | beside) {
                    return Ok(None);
                }
            }
            literal => {
                if !b.require(&rename_literal(context, &literal, &map[..usize::from(procs)], procs)?) {
                    return Ok(None);
                }
            }
        }
    }
    for excluded in &cube.others {
        let about = |literal: &CubeLiteral| literal.cells().into_iter().any(|it| is_about(context, it, process));
        if excluded.iter().any(about) {
            continue;
        }
        // Number `procs` was the other process.
        let mut map = map.clone();
        map[usize::from(procs)] = other;
        let mut own: Vec<CubeLiteral> = Vec::with_capacity(excluded.len() + 1);
        for literal in excluded {
            own.push(match literal {
                CubeLiteral::Mask(cell, mask) if context.kind(*cell) == CellKind::Proc => {
                    let named = (0..=procs).filter(|p| *p != process && mask >> p & 1 == 1);
                    let named = named.fold(0, |all, p| all | 1 << map[usize::from(p)]);
                    // The process is one of those that are not named now.
                    let beside = if mask >> process & 1 == 1 { mask & OTHER } else { 0 };
                    CubeLiteral::Mask(context.rename(*cell, &map), named | beside)
                }
                literal => rename_literal(context, literal, &map, procs)?,
            });
        }
        for literal in &of_process {
            let mut both = own.clone();
            match env.negate(literal)? {
                Reduced::True => b.exclude(both.into()),
                Reduced::False => {}
                Reduced::Literal(negated) => {
                    if conjoin(&mut both, &negated) {
                        b.exclude(Excluded::from(both));
                    }
                }
            }
        }
    }
    Ok(b.finish()?)
}
