//! Initial states by orbit: which of the ways to define some of the cells differ by the names of processes only.
//!
//! The states of init are enumerated cell by cell. Where init is one conjunction, as it is where the symmetry of the
//! system keeps it, a renaming that takes one partly defined state to another takes the states that complete the first to
//! those that complete the second: one of the two is enough, and the first one is kept. A free matrix of `n` processes
//! then has a few thousand partly defined states instead of `2 ^ (n * n)` states.

use std::collections::HashSet;

use crate::state::cells::Cells;
use crate::state::codes::UNDEF;
use crate::symmetry::refinement::settle;
use crate::tuning::{MAX_ORBIT_BYTES, PLAIN_CHOICES};

/// The partly defined states met so far, up to renaming.
#[derive(Debug)]
pub struct Orbits<'a> {
    cells: &'a Cells,
    /// Processes below this number keep their places.
    fixed: usize,
    met: HashSet<Box<[u8]>>,
    bytes: usize,
    /// States looked at; the first ones are not worth their canonical form.
    looked: usize,
}

impl<'a> Orbits<'a> {
    /// None are met so far.
    pub fn new(cells: &'a Cells, fixed: usize) -> Self {
        Self { cells, fixed, met: HashSet::new(), bytes: 0, looked: 0 }
    }

    /// Whether no renaming of this partly defined state is known to have been met; it is from now on.
    pub fn is_new(&mut self, codes: &[i64]) -> bool {
        self.looked += 1;
        if self.looked <= PLAIN_CHOICES {
            return true;
        }
        let mut colours =
            (1..=self.cells.procs).map(|p| if p <= self.fixed { p as u64 } else { 0 }).collect();
        let (canonical, ..) = settle(self.cells, self.fixed, codes, &mut colours);
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
