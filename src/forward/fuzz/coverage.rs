//! Small-cube coverage: which combinations of few (cell, value) pairs have been seen, up to renaming.
//!
//! The backward search asks an oracle about cubes of few literals, so that is what a walk should
//! cover. Each cell of a state is an *item*: a feature (variable and value) and the process that it
//! belongs to or points at, if any. A combination is a set of features and the pattern of equalities
//! between their processes; it does not depend on the names of the processes.

use crate::program::Program;
use crate::state::{Cells, CodeKind, UNDEF};
use crate::tuning::{MAX_COVERAGE_BITS, MAX_TRIPLE_ITEMS};

#[derive(Clone, Debug)]
pub struct SeenCombinations {
    /// First feature of each variable.
    first: Vec<u32>,
    features: usize,
    triples: bool,
    bits: Vec<u64>,
    pub seen: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct CellItem {
    feature: u32,
    /// The processes that it refers to (modulo 32): the one that has the cell, and the one that it holds.
    about: u32,
    /// Whether the last step changed it.
    changed: bool,
}

impl SeenCombinations {
    pub fn new(program: &Program) -> Self {
        let cells = &program.cells;
        let mut first = Vec::new();
        let mut features = 0;
        let mut items = 0;
        for (at, cell) in cells.cells.iter().enumerate() {
            items += 1;
            if at == 0 || cells.cells[at - 1].var != cell.var {
                while first.len() <= usize::from(cell.var.0) {
                    first.push(features as u32);
                }
                features += values(cells, at);
            }
        }
        let cubes = features.checked_pow(3).and_then(|n| n.checked_mul(8)).unwrap_or(usize::MAX);
        let triples = cubes <= MAX_COVERAGE_BITS && items <= MAX_TRIPLE_ITEMS;
        let squares = features.saturating_mul(features).saturating_mul(2).min(MAX_COVERAGE_BITS);
        let bits = vec![0; if triples { cubes } else { squares }.div_ceil(64)];
        Self { first, features, triples, bits, seen: 0 }
    }

    /// Combinations have smaller numbers than this.
    pub const fn possible(&self) -> usize {
        self.bits.len() * 64
    }

    /// The number of features of a combination.
    pub const fn size(&self) -> usize {
        if self.triples { 3 } else { 2 }
    }

    /// Calls `f` with each combination of `state` that has not been seen, some perhaps twice. All
    /// combinations of `before`, when given, are taken as known, so that only changed ones are examined.
    pub fn unseen(
        &self,
        program: &Program,
        before: Option<&[u64]>,
        state: &[u64],
        items: &mut ItemBuffer,
        mut f: impl FnMut(u32),
    ) {
        let items = &mut items.0;
        items.clear();
        for (cell, field) in program.cells.cells.iter().zip(&program.packing.fields) {
            let code = field.get(state);
            let base = self.first[usize::from(cell.var.0)];
            let mut about = cell.index.first().map_or(0, |p| 1u32 << (p % 32));
            let value = match cell.kind {
                _ if code == UNDEF || cell.counts.is_some() => continue,
                CodeKind::Enum => code as u32,
                CodeKind::Proc if code < program.cells.procs as i64 => {
                    about |= 1 << (code % 32);
                    0
                }
                CodeKind::Proc => 1,
                CodeKind::Abstract => 0,
                CodeKind::Int | CodeKind::Real => magnitude(code),
            };
            let changed = before.is_none_or(|b| field.raw(b) != field.raw(state));
            items.push(CellItem { feature: base + value, about, changed });
        }
        items.sort_unstable();
        let n = self.features;
        let mut look = |at: usize| {
            if self.bits[at / 64] >> (at % 64) & 1 == 0 {
                f(at as u32);
            }
        };
        let meet = |a: &CellItem, b: &CellItem| usize::from(a.about & b.about != 0);
        for (i, c) in items.iter().enumerate().filter(|(_, c)| c.changed) {
            // Combinations with a changed item before `c` have been examined already.
            let (before, after) = (&items[..i], &items[i + 1..]);
            if !self.triples {
                for (a, b) in
                    before.iter().filter(|a| !a.changed).map(|a| (a, c)).chain(after.iter().map(|b| (c, b)))
                {
                    let pair = a.feature as usize * n + b.feature as usize;
                    look((pair * 2 + meet(a, b)) % (self.bits.len() * 64));
                }
                continue;
            }
            let at = |a: &CellItem, b: &CellItem, c: &CellItem| {
                ((a.feature as usize * n + b.feature as usize) * n + c.feature as usize) * 8
            };
            for (x, a) in before.iter().enumerate().filter(|(_, a)| !a.changed) {
                let ac = meet(a, c);
                for b in before[x + 1..].iter().filter(|b| !b.changed) {
                    look(at(a, b, c) + (meet(a, b) << 2 | ac << 1 | meet(b, c)));
                }
                for b in after {
                    look(at(a, c, b) + (ac << 2 | meet(a, b) << 1 | meet(c, b)));
                }
            }
            for (x, a) in after.iter().enumerate() {
                let ca = meet(c, a);
                for b in &after[x + 1..] {
                    look(at(c, a, b) + (ca << 2 | meet(c, b) << 1 | meet(a, b)));
                }
            }
        }
    }

    /// Records a combination; true when it is new.
    pub fn record(&mut self, combination: u32) -> bool {
        let (word, bit) = (combination as usize / 64, 1 << (combination % 64));
        let new = self.bits[word] & bit == 0;
        self.bits[word] |= bit;
        self.seen += usize::from(new);
        new
    }
}

/// Scratch space of [`SeenCombinations::unseen`].
#[derive(Clone, Debug, Default)]
pub struct ItemBuffer(Vec<CellItem>);

/// Number of features of the variable of a cell.
fn values(cells: &Cells, cell: usize) -> usize {
    match cells.cells[cell].kind {
        CodeKind::Enum => cells.cells[cell].codes,
        CodeKind::Proc => 2,
        CodeKind::Abstract => 1,
        CodeKind::Int | CodeKind::Real => 8,
    }
}

/// Numbers fall into few classes: negative, 0, 1, 2, 3, 4-7, 8-15, more.
fn magnitude(n: i64) -> u32 {
    match n {
        i64::MIN..=-1 => 0,
        0..=3 => n as u32 + 1,
        4..=7 => 5,
        8..=15 => 6,
        _ => 7,
    }
}
