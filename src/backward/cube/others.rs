//! What no other process does: conjunctions of literals about the processes that a cube names and one further process.
//!
//! In a cube of n processes, process number n stands for any process that the cube does not name. No such process satisfies a conjunction of
//! the list; so `forall_other q. S[q] = Idle` is the conjunction `S[q] <> Idle`.

use super::cell::{CubeCell, OTHER};
use super::context::{CellKind, CubeContext};
use super::cube::{Cube, Excluded};
use super::literal::{CubeLiteral, Relational};

/// Most conjunctions of a cube, and most literals of each: fewer are kept, and the cube is larger. By estimate.
const MOST_EXCLUDED: usize = 16;
const MOST_LITERALS: usize = 6;

/// Whether a cell is this process, or a cell at it.
pub fn is_about(context: &CubeContext, cell: CubeCell, process: u8) -> bool {
    cell.as_process() == Some(process) || context.indices(cell).any(|index| index == process)
}

/// The normal form of what no other process does in a cube, without what the cube says itself.
pub fn narrow_others(context: &CubeContext, cube: &Cube, all: Vec<Excluded>) -> Box<[Excluded]> {
    let mut kept: Vec<Excluded> = Vec::with_capacity(all.len());
    for excluded in all {
        let Some(literals) = narrowed(context, cube, &excluded) else { continue };
        if literals.len() <= MOST_LITERALS {
            kept.push(literals.into());
        }
    }
    while let Some(((first, second), both)) = joined(&kept) {
        kept.swap_remove(second);
        match narrowed(context, cube, &both) {
            Some(literals) => kept[first] = literals.into(),
            None => drop(kept.swap_remove(first)),
        }
    }
    let weaker = |weak: &Excluded, strong: &Excluded| {
        weak.iter().all(|literal| strong.iter().any(|it| it.implies(literal)))
    };
    let mut out: Vec<Excluded> = Vec::with_capacity(kept.len());
    kept.sort_unstable_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    kept.dedup();
    for at in 0..kept.len() {
        let is_implied = (0..kept.len())
            .any(|by| by != at && weaker(&kept[by], &kept[at]) && (by < at || !weaker(&kept[at], &kept[by])));
        if !is_implied {
            out.push(kept[at].clone());
        }
    }
    out.truncate(MOST_EXCLUDED);
    out.into()
}

/// The literals that the cube leaves open; `None` where it contradicts one of them, or they contradict each other.
fn narrowed(context: &CubeContext, cube: &Cube, excluded: &[CubeLiteral]) -> Option<Vec<CubeLiteral>> {
    let other = cube.procs;
    let mut literals: Vec<CubeLiteral> = Vec::with_capacity(excluded.len());
    for literal in excluded {
        match literal {
            CubeLiteral::Mask(cell, mask) => {
                let full = context.full(*cell, other + 1);
                let said = match cube.mask(*cell) {
                    Some(held) => with_other(context, *cell, held, other),
                    None => full,
                };
                let mask = mask & full;
                if mask & said == 0 {
                    return None;
                }
                if said & !mask == 0 {
                    continue;
                }
                let known = literals.iter_mut().find_map(|it| match it {
                    CubeLiteral::Mask(same, held) if same == cell => Some(held),
                    _ => None,
                });
                match known {
                    Some(held) if *held & mask == 0 => return None,
                    Some(held) => *held &= mask,
                    None => literals.push(CubeLiteral::Mask(*cell, mask)),
                }
            }
            CubeLiteral::Relational(relational) => {
                if cube.relational.iter().any(|it| it.excludes(relational)) {
                    return None;
                }
                let is_known = |it: &Relational| it.implies(relational);
                if !cube.relational.iter().any(is_known) && !literals.contains(literal) {
                    literals.push(literal.clone());
                }
            }
        }
    }
    literals.sort_unstable();
    Some(literals)
}

/// A mask of a cube, where a further process is named.
pub fn with_other(context: &CubeContext, cell: CubeCell, mask: u64, other: u8) -> u64 {
    if context.kind(cell) == CellKind::Proc && mask & OTHER != 0 { mask | 1 << other } else { mask }
}

/// Two conjunctions that differ in one mask are one with both.
fn joined(all: &[Excluded]) -> Option<((usize, usize), Excluded)> {
    for (i, a) in all.iter().enumerate() {
        for (j, b) in all.iter().enumerate().skip(i + 1).filter(|it| it.1.len() == a.len()) {
            let mut differ = a.iter().zip(b).enumerate().filter(|(_, (x, y))| x != y);
            if let (Some((at, pair)), None) = (differ.next(), differ.next())
                && let (CubeLiteral::Mask(s, m), CubeLiteral::Mask(t, n)) = pair
                && s == t
            {
                let mut both = a.clone();
                both[at] = CubeLiteral::Mask(*s, m | n);
                return Some(((i, j), both));
            }
        }
    }
    None
}
