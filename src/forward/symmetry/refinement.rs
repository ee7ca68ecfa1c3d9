//! The canonical form by colour refinement, which works for every state.
//!
//! Colours of processes are refined from the contents of each cell about them, and the ties that remain are
//! settled by trying their permutations, except for processes whose exchange changes nothing.

use crate::state::cells::{Cells, CodeKind};
use crate::state::codes::UNDEF;
use crate::tuning::MAX_TRIED;

/// A renaming: `perm[old] = new`.
pub type Renaming = Vec<u8>;

/// A bijective mixing step (the finalizer of splitmix64).
pub const fn mix(h: u64, x: u64) -> u64 {
    let mut z = h.rotate_left(23) ^ x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The general canonical form, where the colours so far leave ties; also returns how many permutations were tried.
pub fn settle(
    cells: &Cells,
    fixed: usize,
    codes: &[i64],
    colours: &mut Vec<u64>,
) -> (Vec<i64>, Renaming, u32) {
    refine(cells, codes, colours);
    let mut order: Vec<u8> = (0..cells.procs as u8).collect();
    order[fixed..].sort_by_key(|p| colours[usize::from(*p)]);
    let mut orders = Orders {
        cells,
        codes,
        order: &order,
        colours,
        fixed,
        twin: twins(cells, fixed, codes, colours),
        taken: vec![false; cells.procs],
        perm: vec![0; cells.procs],
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
fn refine(cells: &Cells, codes: &[i64], colours: &mut [u64]) {
    let procs = cells.procs;
    // Nameless values get colours as well; one row of codes for each class.
    let stride = cells.classes.iter().map(|c| c.nameless + c.base as usize).max().unwrap_or(0) + 1;
    let mut blocks = vec![0u64; stride * cells.classes.len()];
    let mut distinct = 0;
    for _ in 0..=procs {
        let mut seen = vec![0u64; procs];
        let mut block_seen = vec![0u64; blocks.len()];
        for (cell, &code) in cells.cells.iter().zip(codes) {
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
        let mut sorted = colours.to_vec();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() == procs || sorted.len() == distinct && distinct > 1 {
            break;
        }
        distinct = sorted.len();
    }
}

/// For each process, the least one of its colour that can be exchanged with it without any change.
fn twins(cells: &Cells, fixed: usize, codes: &[i64], colours: &[u64]) -> Vec<usize> {
    let procs = cells.procs;
    let mut twin: Vec<usize> = (0..procs).collect();
    let mut out = Vec::new();
    for p in fixed..procs {
        for q in fixed..p {
            if twin[q] == q && colours[p] == colours[q] {
                let mut perm: Renaming = (0..procs as u8).collect();
                perm.swap(p, q);
                rename(cells, &perm, codes, &mut out);
                if out == codes {
                    twin[p] = q;
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
        let to =
            cells.layout.position(cell.var, cell.index.iter().map(|p| usize::from(perm[usize::from(*p)])));
        let points = cell.kind == CodeKind::Proc && code != UNDEF && code < cells.procs as i64;
        out[to] = if points { i64::from(perm[code as usize]) } else { code };
    }
    cells.normalize(out.as_mut_slice());
}

struct Orders<'a> {
    cells: &'a Cells,
    codes: &'a [i64],
    order: &'a [u8],
    colours: &'a [u64],
    fixed: usize,
    twin: Vec<usize>,
    taken: Vec<bool>,
    perm: Renaming,
    /// The codes under the permutation that is tried.
    out: Vec<i64>,
    /// Permutations tried.
    tried: u32,
    best: Option<(Vec<i64>, Renaming)>,
}

impl Orders<'_> {
    /// Gives place `at` to each process of the colour that belongs there.
    fn place(&mut self, at: usize) {
        let procs = self.cells.procs;
        if self.tried >= MAX_TRIED {
            return;
        }
        if at == procs {
            self.tried += 1;
            rename(self.cells, &self.perm, self.codes, &mut self.out);
            if self.best.as_ref().is_none_or(|(best, _)| self.out < *best) {
                self.best = Some((self.out.clone(), self.perm.clone()));
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
