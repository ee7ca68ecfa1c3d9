//! Initial states by orbit: which of the ways to define some of the cells differ by the names of processes only.
//!
//! The states of init are enumerated cell by cell. Where init is one conjunction, a renaming that keeps it and takes one partly
//! defined state to another takes the states that complete the first to those that complete the second: one of the two is
//! enough, and the first one is kept. A free matrix of `n` processes then has a few thousand partly defined states instead of
//! `2 ^ (n * n)` states.

use std::collections::HashSet;

use crate::ground::InitDisjunct;
use crate::state::{Cells, CodeKind, UNDEF};
use crate::symmetry::refinement::{exchange, least, mix, order_sorts, refine, rename};
use crate::tuning::{MAX_ORBIT_BYTES, PLAIN_CHOICES};

/// Colours of the processes such that init allows the same values of each cell after renamings that keep them; `None` when there
/// are none that do so. Processes of one colour differ in nothing that init fixes about each of them, such as their sort: where the
/// processes are divided among sorts, one division stands for all.
fn colours(cells: &Cells, fixed: usize, init: &InitDisjunct) -> Option<Vec<u64>> {
    let mut colours: Vec<u64> = (1..=cells.procs).map(|p| if p <= fixed { p as u64 } else { 0 }).collect();
    for (cell, set) in cells.cells.iter().zip(&init.sets) {
        if let ([p], CodeKind::Enum) = (cell.index.as_slice(), cell.kind) {
            let colour = &mut colours[usize::from(*p)];
            *colour = mix(mix(mix(*colour, u64::from(cell.var.0)), *set as u64), (*set >> 64) as u64);
        }
    }
    let exchange_keeps = |p: usize, q: usize| {
        cells.cells.iter().zip(&init.sets).all(|(cell, &set)| {
            let index = cell.index.iter().map(|process| exchange(p, q, usize::from(*process)));
            let image = match cell.kind {
                CodeKind::Proc if (set >> p ^ set >> q) & 1 == 1 => set ^ (1 << p | 1 << q),
                _ => set,
            };
            cells.places.of(cell.var).position(index).is_some_and(|at| init.sets[at] == image)
        })
    };
    let kept = (fixed..cells.procs).all(|q| {
        let before = (fixed..q).rev().find(|p| colours[*p] == colours[q]);
        before.is_none_or(|p| exchange_keeps(p, q))
    });
    kept.then_some(colours)
}

/// The partly defined states met so far, up to renaming.
#[derive(Debug)]
pub struct Orbits<'a> {
    cells: &'a Cells,
    /// Processes below this number keep their places.
    fixed: usize,
    /// The sorts of processes, where they are known.
    sorts: &'a [u8],
    /// Only renamings that keep these count.
    colours: Vec<u64>,
    met: HashSet<Box<[u8]>>,
    bytes: usize,
    /// States looked at; the first ones are not worth their canonical form.
    looked: usize,
}

impl<'a> Orbits<'a> {
    /// For the states of `init`, which is all of init. `None` when it treats the processes in too many ways.
    pub fn new(cells: &'a Cells, fixed: usize, sorts: &'a [u8], init: &InitDisjunct) -> Option<Self> {
        let colours = colours(cells, fixed, init)?;
        Some(Self { cells, fixed, sorts, colours, met: HashSet::new(), bytes: 0, looked: 0 })
    }

    /// Whether no renaming of this partly defined state is known to have been met; it is from now on.
    pub fn is_new(&mut self, codes: &[i64]) -> bool {
        self.looked += 1;
        if self.looked <= PLAIN_CHOICES {
            return true;
        }
        let mut colours = self.colours.clone();
        refine(self.cells, codes, &mut colours);
        order_sorts(self.sorts, &mut colours);
        let (canonical, ..) =
            least(self.fixed, &colours, codes, |perm, out| rename(self.cells, perm, codes, out));
        let mut key = Vec::with_capacity(canonical.len());
        for (cell, code) in self.cells.cells.iter().zip(canonical) {
            if cell.codes > 0 {
                key.push(if code == UNDEF { u8::MAX } else { code as u8 });
            } else {
                key.extend(code.to_le_bytes());
            }
        }
        if self.bytes > MAX_ORBIT_BYTES {
            return !self.met.contains(key.as_slice());
        }
        self.bytes += key.len();
        self.met.insert(key.into())
    }
}
