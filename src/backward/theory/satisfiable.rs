//! Satisfiability of a cube: finite masks with equality, process order and linear arithmetic.
//!
//! Complete for equality over enums, processes, outside values and abstract types, for the process order
//! (total, with room for outside values everywhere), and for difference constraints and real
//! arithmetic; other integer arithmetic may answer [`Sat::Unknown`] and is left to Z3.

use super::feasible;
use super::sat::Sat;
use crate::cube::{CellKind, CubeBuilder, CubeCell, CubeContext, Halt, OTHER, Relational, is_singleton};
use crate::tuning::MAX_SPLITS;
use cubicle_lang::list::place_of;

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

/// Equality and order over processes, outside values and abstract values: strongly connected components
/// of `<=` are equal, and must contain no `<`, no `<>` and no two processes.
pub fn orders(context: &CubeContext, b: &CubeBuilder<'_>) -> Sat {
    let mut nodes: Vec<CubeCell> = Vec::new();
    let mut edges: Vec<(usize, usize, bool)> = Vec::new();
    let mut unequal: Vec<(usize, usize)> = Vec::new();
    for relational in b.relational() {
        match *relational {
            Relational::Eq(x, y) => {
                let (x, y) = (place_of(&mut nodes, x), place_of(&mut nodes, y));
                edges.push((x, y, false));
                edges.push((y, x, false));
            }
            Relational::Ne(x, y) => unequal.push((place_of(&mut nodes, x), place_of(&mut nodes, y))),
            Relational::Lt(x, y) => edges.push((place_of(&mut nodes, x), place_of(&mut nodes, y), true)),
            Relational::Le(x, y) => edges.push((place_of(&mut nodes, x), place_of(&mut nodes, y), false)),
            Relational::Linear { .. } => {}
        }
    }
    if edges.is_empty() {
        return Sat::Yes;
    }
    if edges.iter().any(|e| e.2) || nodes.iter().any(|s| s.is_process()) {
        for k in 1..context.rigid {
            let (x, y) =
                (place_of(&mut nodes, CubeCell::process(k - 1)), place_of(&mut nodes, CubeCell::process(k)));
            edges.push((x, y, true));
        }
    }
    let n = nodes.len();
    // 0: no path, 1: a path of `<=`, 2: a path with a `<`.
    let mut path = vec![0u8; n * n];
    for &(x, y, strict) in &edges {
        let cell = &mut path[x * n + y];
        *cell = (*cell).max(if strict { 2 } else { 1 });
    }
    for k in 0..n {
        for i in 0..n {
            if path[i * n + k] == 0 {
                continue;
            }
            for j in 0..n {
                if path[k * n + j] != 0 {
                    let through = path[i * n + k].max(path[k * n + j]);
                    let cell = &mut path[i * n + j];
                    *cell = (*cell).max(through);
                }
            }
        }
    }
    let same = |i: usize, j: usize| i == j || (path[i * n + j] != 0 && path[j * n + i] != 0);
    let strict_loop = (0..n).any(|i| path[i * n + i] == 2);
    let clash = unequal.iter().any(|&(x, y)| same(x, y));
    // Every non-process node here holds an outside value (or an abstract one), so it equals no process.
    let merged = (0..n).any(|i| {
        nodes[i].is_process()
            && (0..n).any(|j| j != i && context.kind(nodes[j]) == CellKind::Proc && same(i, j))
    });
    if strict_loop || clash || merged { Sat::No } else { Sat::Yes }
}
