//! Ways to define a cell, and the canonical names of nameless values.

use crate::state::cells::{Cells, CodeKind, MAX_CODES};
use crate::state::codes::{Codes, UNDEF};
use cubicle_lang::model::classes::Distinctness;

impl Cells {
    /// Brings nameless codes into canonical form: numbered by first occurrence in order of the cells,
    /// or densely within each gap.
    pub fn normalize(&self, state: &mut (impl Codes + ?Sized)) {
        for class in self.classes.iter().filter(|c| c.nameless > 0) {
            match class.names {
                Distinctness::Single | Distinctness::Gaps => {}
                Distinctness::Partition => {
                    let mut map = [0i64; MAX_CODES + 1];
                    let mut next = class.base + 1;
                    for &c in &class.cells {
                        let code = state.code(c);
                        if code >= class.base {
                            let new = &mut map[code as usize];
                            if *new == 0 {
                                *new = next;
                                next += 1;
                            }
                            let new = *new - 1;
                            if new != code {
                                state.set_code(c, new);
                            }
                        }
                    }
                }
                Distinctness::Ordered => {
                    let mut used = 0u128;
                    for &c in &class.cells {
                        if state.code(c) >= class.base {
                            used |= 1 << (state.code(c) - class.base);
                        }
                    }
                    for &c in &class.cells {
                        if state.code(c) >= class.base {
                            let outside = state.code(c) - class.base;
                            let first = outside / class.per_gap * class.per_gap;
                            let below = used >> first & ((1 << (outside - first)) - 1);
                            state.set_code(c, class.base + first + i64::from(below.count_ones()));
                        }
                    }
                }
            }
        }
    }

    /// Calls `f` with `state` once for each way to choose the value of `cell`, up to the names of
    /// nameless values. `allowed` restricts the codes of a finite cell. Numbers are sampled.
    pub fn choices(&self, state: &[i64], cell: usize, allowed: u128, mut f: impl FnMut(Vec<i64>)) {
        let info = &self.cells[cell];
        let class = &self.classes[info.class];
        let mut set = |code: i64| {
            let mut next = state.to_vec();
            next[cell] = code;
            f(next);
        };
        match info.kind {
            CodeKind::Int | CodeKind::Real => {
                for sample in &self.samples {
                    if let Some(n) = self.scaled(info.kind, *sample) {
                        set(n);
                    }
                }
                return;
            }
            CodeKind::Enum => {
                (0..info.codes as i64).filter(|c| allowed >> c & 1 == 1).for_each(set);
                return;
            }
            CodeKind::Proc => (0..class.base).filter(|c| allowed >> c & 1 == 1).for_each(&mut set),
            CodeKind::Abstract => {}
        }
        let others = || class.cells.iter().filter(|c| **c != cell).map(|c| state[*c]);
        match class.names {
            Distinctness::Single | Distinctness::Gaps => {
                (class.base..info.codes as i64).filter(|c| allowed >> c & 1 == 1).for_each(set);
            }
            Distinctness::Partition => {
                if allowed >> class.base == 0 {
                    return;
                }
                let used = others().filter(|c| *c >= class.base).fold(0u128, |u, c| u | 1 << c);
                let fresh =
                    (class.base..=info.codes as i64).find(|c| used >> c & 1 == 0).expect("some name is free");
                (class.base..info.codes as i64)
                    .filter(|c| allowed >> c & 1 == 1 && (used >> c & 1 == 1 || *c == fresh))
                    .for_each(set);
            }
            Distinctness::Ordered => {
                for gap in 0..=self.procs as i64 {
                    let first = class.base + gap * class.per_gap;
                    if allowed >> first & 1 == 0 {
                        continue;
                    }
                    let in_gap = first..first + class.per_gap;
                    let mut used: Vec<i64> = others().filter(|c| in_gap.contains(c)).collect();
                    used.sort_unstable();
                    used.dedup();
                    // Values above are moved up by one to make room; there are at most
                    // `per_gap` cells, so the last rank stays in the gap.
                    for rank in 0..=used.len() {
                        let mut next = state.to_vec();
                        let mut dense = next.clone();
                        dense[cell] = UNDEF;
                        self.normalize(dense.as_mut_slice());
                        next.clone_from(&dense);
                        for &c in &class.cells {
                            if c != cell && in_gap.contains(&next[c]) && next[c] >= first + rank as i64 {
                                next[c] += 1;
                            }
                        }
                        next[cell] = first + rank as i64;
                        f(next);
                    }
                    for rank in 0..used.len() {
                        let mut next = state.to_vec();
                        next[cell] = UNDEF;
                        self.normalize(next.as_mut_slice());
                        next[cell] = first + rank as i64;
                        f(next);
                    }
                }
            }
        }
    }

    /// Whether writing to the cell can put nameless codes out of canonical form.
    pub fn may_rename(&self, cell: usize) -> bool {
        matches!(self.classes[self.cells[cell].class].names, Distinctness::Partition | Distinctness::Ordered)
            && matches!(self.cells[cell].kind, CodeKind::Proc | CodeKind::Abstract)
    }
}
