//! The canonical form by colour refinement, which works for every state.
//!
//! Colours of processes are refined from the contents of each cell about them, and the ties that remain are
//! settled by trying their permutations, except for processes whose exchange changes nothing.

use smallvec::{SmallVec, smallvec};

use crate::state::{CellShape, Cells, CodeKind, UNDEF};
use crate::tuning::MAX_TRIED;
use cubicle_lang::list::sorted;

/// A renaming: `perm[old] = new`.
pub type Renaming = SmallVec<[u8; 16]>;

/// A bijective mixing step (the finalizer of splitmix64).
#[inline]
pub const fn mix(h: u64, x: u64) -> u64 {
    let mut z = h.rotate_left(23) ^ x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub const fn exchange(p: usize, q: usize, process: usize) -> usize {
    match process {
        _ if process == p => q,
        _ if process == q => p,
        _ => process,
    }
}

/// Bits of a colour for the sort of a process: an enumeration has at most 64 values.
const SORT_BITS: u32 = 6;

/// Puts the sorts of processes, where they are known, into their colours, as what they are ordered by first: processes of one sort have the same
/// places in each state.
pub fn order_sorts(sorts: &[u8], colours: &mut [u64]) {
    for (colour, sort) in colours.iter_mut().zip(sorts) {
        *colour = *colour & (u64::MAX >> SORT_BITS) | u64::from(*sort) << (u64::BITS - SORT_BITS);
    }
}

/// The least of a state's renamings in which processes come in the order of their colours; also returns how many permutations
/// were tried. `rename` puts a renaming of `state` into a vector.
pub fn least<T: Clone + Ord>(
    fixed: usize,
    colours: &[u64],
    state: &[T],
    mut rename: impl FnMut(&[u8], &mut Vec<T>),
) -> (Vec<T>, Renaming, u32) {
    let procs = colours.len();
    let mut order: Renaming = (0..procs as u8).collect();
    order[fixed..].sort_by_key(|p| colours[usize::from(*p)]);
    let twin = twins(fixed, colours, state, &mut rename);
    let taken = smallvec![false; procs];
    let perm = smallvec![0; procs];
    let mut orders = Orders {
        rename,
        order: &order,
        colours,
        fixed,
        twin,
        taken,
        perm,
        out: Vec::new(),
        tried: 0,
        best: None,
    };
    orders.place(0);
    let tried = orders.tried;
    let (best, perm) = orders.best.expect("there is at least the identity");
    (best, perm, tried)
}

/// Refines colours of processes, which are invariant under renaming, as far as possible.
pub fn refine(cells: &Cells, codes: &[i64], colours: &mut [u64]) {
    let procs = cells.procs;
    // Nameless values get colours as well; one row of codes for each class.
    let stride = cells.classes.iter().map(|c| c.nameless + c.base as usize).max().unwrap_or(0) + 1;
    let mut blocks = vec![0u64; stride * cells.classes.len()];
    let mut distinct = 0;
    // The cells with the code that most have follow from those with another one, as far as colours tell cells apart.
    let is_usual = |(cell, code): &(&CellShape, &i64)| {
        let named = matches!(cell.kind, CodeKind::Proc | CodeKind::Abstract);
        if cell.undef { **code == UNDEF } else { **code == 0 && !named }
    };
    let unusual: SmallVec<[(&CellShape, i64); 64]> = (cells.cells.iter().zip(codes))
        .filter(|it| !is_usual(it))
        .map(|(cell, code)| (cell, *code))
        .collect();
    for _ in 0..=procs {
        let mut seen = vec![0u64; procs];
        let mut block_seen = vec![0u64; blocks.len()];
        for &(cell, code) in &unusual {
            let mut h = mix(u64::from(cell.var.0), 1);
            for (at, p) in cell.index.iter().enumerate() {
                h = mix(h, colours[usize::from(*p)]);
                for (before, q) in cell.index[..at].iter().enumerate() {
                    if p == q {
                        h = mix(h, (before * 16 + at) as u64);
                    }
                }
            }
            let nameless = matches!(cell.kind, CodeKind::Proc | CodeKind::Abstract)
                && code != UNDEF
                && code >= cells.classes[cell.class].base;
            let block = cell.class * stride + if nameless { code as usize } else { 0 };
            let points = cell.kind == CodeKind::Proc && code != UNDEF && !nameless;
            if points {
                h = mix(h, colours[code as usize]);
                for (at, p) in cell.index.iter().enumerate() {
                    if i64::from(*p) == code {
                        h = mix(h, 1000 + at as u64);
                    }
                }
            } else if nameless {
                h = mix(h, blocks[block]);
            } else {
                h = mix(h, code.cast_unsigned());
            }
            for (at, p) in cell.index.iter().enumerate() {
                let seen = &mut seen[usize::from(*p)];
                *seen = seen.wrapping_add(mix(h, 2000 + at as u64));
            }
            if points {
                let seen = &mut seen[code as usize];
                *seen = seen.wrapping_add(mix(h, 3000));
            } else if nameless {
                block_seen[block] = block_seen[block].wrapping_add(mix(h, 4000));
            }
        }
        for (colour, seen) in colours.iter_mut().zip(&seen) {
            *colour = mix(*colour, *seen);
        }
        for (colour, seen) in blocks.iter_mut().zip(&block_seen) {
            *colour = mix(*colour, *seen);
        }
        let sorted = sorted(colours.iter().copied());
        if sorted.len() == procs || sorted.len() == distinct && distinct > 1 {
            break;
        }
        distinct = sorted.len();
    }
}

/// For each process, the least one of its colour that can be exchanged with it without any change.
fn twins<T: Ord>(
    fixed: usize,
    colours: &[u64],
    state: &[T],
    rename: &mut impl FnMut(&[u8], &mut Vec<T>),
) -> SmallVec<[u8; 16]> {
    let procs = colours.len();
    let mut twin: SmallVec<[u8; 16]> = (0..procs as u8).collect();
    let mut perm = twin.clone();
    let mut out = Vec::new();
    for p in fixed..procs {
        for q in fixed..p {
            if usize::from(twin[q]) == q && colours[p] == colours[q] {
                perm.swap(p, q);
                rename(&perm, &mut out);
                perm.swap(p, q);
                if out == state {
                    twin[p] = q as u8;
                    break;
                }
            }
        }
    }
    twin
}

/// Renames processes and brings nameless codes into canonical form.
pub fn rename(cells: &Cells, perm: &[u8], codes: &[i64], out: &mut Vec<i64>) {
    out.clear();
    out.resize(codes.len(), 0);
    for (cell, &code) in cells.cells.iter().zip(codes) {
        let index = cell.index.iter().map(|p| usize::from(perm[usize::from(*p)]));
        let to =
            cells.places.of(cell.var).position(index).expect("processes of one sort have the same cells");
        let points = cell.kind == CodeKind::Proc && code != UNDEF && code < cells.procs as i64;
        out[to] = if points { i64::from(perm[code as usize]) } else { code };
    }
    cells.normalize(out);
}

struct Orders<'a, T, F> {
    rename: F,
    order: &'a [u8],
    colours: &'a [u64],
    fixed: usize,
    twin: SmallVec<[u8; 16]>,
    taken: SmallVec<[bool; 16]>,
    perm: Renaming,
    /// The state under the permutation that is tried.
    out: Vec<T>,
    tried: u32,
    best: Option<(Vec<T>, Renaming)>,
}

impl<T: Clone + Ord, F: FnMut(&[u8], &mut Vec<T>)> Orders<'_, T, F> {
    /// Gives place `at` to each process of the colour that belongs there.
    fn place(&mut self, at: usize) {
        let procs = self.colours.len();
        if self.tried >= MAX_TRIED {
            return;
        }
        if at == procs {
            self.tried += 1;
            (self.rename)(&self.perm, &mut self.out);
            match &mut self.best {
                None => self.best = Some((self.out.clone(), self.perm.clone())),
                Some((best, perm)) if self.out < *best => {
                    std::mem::swap(best, &mut self.out);
                    perm.clone_from(&self.perm);
                }
                Some(_) => {}
            }
            return;
        }
        if at < self.fixed {
            self.perm[at] = at as u8;
            self.place(at + 1);
            return;
        }
        let colour = self.colours[usize::from(self.order[at])];
        for p in self.fixed..procs {
            if self.taken[p] || self.colours[p] != colour {
                continue;
            }
            // Twins go in order: any other order gives the same state.
            let twin_waits = (self.fixed..p).any(|q| !self.taken[q] && self.twin[q] == self.twin[p]);
            if twin_waits {
                continue;
            }
            self.taken[p] = true;
            self.perm[p] = at as u8;
            self.place(at + 1);
            self.taken[p] = false;
        }
    }
}
