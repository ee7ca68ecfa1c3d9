//! Satisfiability of a cube: finite masks with equality, process order and linear arithmetic.
//!
//! Complete for equality over enums, processes, outside values and abstract types, for the process order
//! (total, with room for outside values everywhere), and for difference constraints and real
//! arithmetic; other integer arithmetic may answer [`Sat::Unknown`] and is Z3's.

use super::arithmetic;
use super::cube::Builder;
use super::ground::{Halt, Side, is_singleton};
use super::slot::{Kind, OTHER, Shape, Slot};

/// Answer of a satisfiability test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sat {
    /// Some state satisfies it.
    Yes,
    /// No state does.
    No,
    /// Not decided here.
    Unknown,
}

/// Splits tried before a test is left to Z3.
const SPLITS: usize = 2_000;

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
            Sat::Yes => arithmetic::satisfiable(b.sides())?,
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

/// Equality and order over processes, outside values and abstract values: strongly connected components
/// of `<=` are equal, and must contain no `<`, no `<>` and no two processes.
fn orders(shape: &Shape, b: &Builder<'_>) -> Sat {
    let mut nodes: Vec<Slot> = Vec::new();
    let mut edges: Vec<(usize, usize, bool)> = Vec::new();
    let mut unequal: Vec<(usize, usize)> = Vec::new();
    for side in b.sides() {
        match *side {
            Side::Eq(x, y) => {
                let (x, y) = (node(&mut nodes, x), node(&mut nodes, y));
                edges.push((x, y, false));
                edges.push((y, x, false));
            }
            Side::Ne(x, y) => unequal.push((node(&mut nodes, x), node(&mut nodes, y))),
            Side::Lt(x, y) => edges.push((node(&mut nodes, x), node(&mut nodes, y), true)),
            Side::Le(x, y) => edges.push((node(&mut nodes, x), node(&mut nodes, y), false)),
            Side::Linear { .. } => {}
        }
    }
    if edges.is_empty() {
        return Sat::Yes;
    }
    if edges.iter().any(|e| e.2) || nodes.iter().any(|s| s.is_process()) {
        for k in 1..shape.rigid {
            let (x, y) = (node(&mut nodes, Slot::process(k - 1)), node(&mut nodes, Slot::process(k)));
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
        nodes[i].is_process() && (0..n).any(|j| j != i && shape.kind(nodes[j]) == Kind::Proc && same(i, j))
    });
    if strict_loop || clash || merged { Sat::No } else { Sat::Yes }
}

fn node(nodes: &mut Vec<Slot>, s: Slot) -> usize {
    nodes.iter().position(|&n| n == s).unwrap_or_else(|| {
        nodes.push(s);
        nodes.len() - 1
    })
}
