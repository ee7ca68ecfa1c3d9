//! Cubes: conjunctions of ground literals over distinct processes, in a normal form.
//!
//! A cube `exists distinct #1..#n. l1 && .. && lm && forall_other q. o1 && .. && ok` is stored as one value mask for each constrained cell,
//! a short list of relational literals, and what no other process does: process number n of a cube of n stands there for any process that the cube does not name, and no
//! such process satisfies a conjunction of the list (`forall_other q. S[q] = Idle` is the conjunction `S[q] <> Idle`). Disequalities, bool complements and exhaustion of enums are exact
//! in the masks.

use super::cell::{CubeCell, OTHER, low};
use super::context::{CellKind, CubeContext};
use super::literal::{CubeLiteral, Relational};

/// Literals that no process has together, besides those that the cube names: sorted, none implied by the cube.
pub type Excluded = Box<[CubeLiteral]>;

/// A cube in normal form: masks and relational literals sorted, no mask full or empty, no
/// relational literal decided by the masks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cube {
    /// Number of processes, rigid ones included and first.
    pub procs: u8,
    /// Constrained cells and the values they may hold.
    pub masks: Box<[(CubeCell, u64)]>,
    /// Everything else about them.
    pub relational: Box<[Relational]>,
    /// What no other process does. A process that no literal mentions is still named: it is not one of the others.
    pub others: Box<[Excluded]>,
    /// Bit `v mod 64` is set when variable v occurs.
    pub signature: u64,
    /// The [features](CubeContext::features) of the enum values that some cell excludes: what subsumes a cube has
    /// no others.
    pub features: u128,
}

impl Cube {
    /// The mask of a cell, when constrained.
    pub fn mask(&self, cell: CubeCell) -> Option<u64> {
        self.masks.binary_search_by_key(&cell, |m| m.0).ok().map(|i| self.masks[i].1)
    }

    /// The values that a cell may hold.
    pub fn held(&self, context: &CubeContext, cell: CubeCell) -> u64 {
        self.mask(cell).unwrap_or_else(|| context.full(cell, self.procs))
    }

    /// The sorts that it says its processes are of; `None` where it does not say which one.
    pub fn sorts(&self, context: &CubeContext) -> Vec<Option<u8>> {
        let said = |process| self.mask(context.sort_of(process)?).filter(|it| it.is_power_of_two());
        (0..self.procs).map(|process| said(process).map(|it| it.trailing_zeros() as u8)).collect()
    }

    /// The most processes of one sort, or of unknown sorts, that it names; rigid ones do not count.
    pub fn most_of_a_sort(&self, context: &CubeContext) -> usize {
        let sorts = self.sorts(context).split_off(usize::from(context.rigid));
        let of_sort = |sort| sorts.iter().filter(|it| *it == sort).count();
        sorts.iter().map(of_sort).max().unwrap_or(0)
    }

    /// Number of literals.
    pub fn len(&self) -> usize {
        self.masks.len() + self.relational.len()
    }

    /// All literals, masks first.
    pub fn literals(&self) -> impl Iterator<Item = CubeLiteral> + '_ {
        self.masks
            .iter()
            .map(|&(s, m)| CubeLiteral::Mask(s, m))
            .chain(self.relational.iter().map(|s| CubeLiteral::Relational(s.clone())))
    }

    /// Processes that occur in a literal, as bits; rigid ones always count, and all where something is said of the others.
    pub fn occurring(&self, context: &CubeContext) -> u64 {
        if !self.others.is_empty() {
            return low(self.procs);
        }
        let mut used = low(context.rigid);
        for &(cell, mask) in self.masks.iter().filter(|it| !context.is_sort(it.0)) {
            for p in context.indices(cell) {
                used |= 1 << p;
            }
            if context.kind(cell) == CellKind::Proc {
                used |= occurring_in_mask(mask, self.procs);
            }
        }
        for relational in &self.relational {
            for cell in relational.cells() {
                if let Some(p) = cell.as_process() {
                    used |= 1 << p;
                }
                for p in context.indices(cell) {
                    used |= 1 << p;
                }
            }
        }
        used
    }
}

/// The processes that a proc mask tells apart from the rest: those it allows when "other" is excluded,
/// those it excludes when "other" is allowed.
pub fn occurring_in_mask(mask: u64, procs: u8) -> u64 {
    if mask & OTHER == 0 { mask } else { !mask & low(procs) }
}

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
