//! Ways to define a cell, and the canonical names of nameless values.

use crate::state::cells::{Cells, Class, CodeKind, MAX_CODES};
use crate::state::codes::{Codes, UNDEF};
use cubicle_lang::model::classes::Distinctness;

impl Cells {
    /// Brings nameless codes into canonical form: numbered by first occurrence in order of the cells,
    /// or densely within each gap.
    pub fn normalize(&self, state: &mut impl Codes) {
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

    /// Calls `f` with each code that an undefined cell may get, up to the names of nameless values, where the others have the codes
    /// `code`. `allowed` restricts the codes of a finite cell. Numbers are sampled. False, without any call, where a choice may
    /// also renumber other cells.
    pub fn codes_for(
        &self,
        code: &dyn Fn(usize) -> i64,
        cell: usize,
        allowed: u128,
        f: &mut dyn FnMut(i64),
    ) -> bool {
        let info = &self.cells[cell];
        let class = &self.classes[info.class];
        let among = |from: i64| (from..info.codes as i64).filter(|c| allowed >> c & 1 == 1);
        match (info.kind, class.names) {
            (CodeKind::Int | CodeKind::Real, _) => {
                self.samples.iter().filter_map(|sample| self.scaled(info.kind, *sample)).for_each(f);
            }
            (CodeKind::Enum, _) | (_, Distinctness::Single | Distinctness::Gaps) => among(0).for_each(f),
            (_, Distinctness::Partition) => {
                let others = class.cells.iter().filter(|c| **c != cell).map(|c| code(*c));
                let used = others.filter(|c| *c >= class.base).fold(0u128, |used, c| used | 1 << c);
                let fresh =
                    (class.base..=info.codes as i64).find(|c| used >> c & 1 == 0).expect("some name is free");
                among(0).filter(|c| *c < class.base || used >> c & 1 == 1 || *c == fresh).for_each(f);
            }
            (_, Distinctness::Ordered) => return false,
        }
        true
    }

    /// The states that choices of the value of `cell` make of `state`, in order; see [`codes_for`](Self::codes_for).
    pub fn choices(&self, state: &[i64], cell: usize, allowed: u128) -> Vec<Vec<i64>> {
        let mut all = Vec::new();
        let mut set = |code: i64| {
            let mut next = state.to_vec();
            next[cell] = code;
            all.push(next);
        };
        if !self.codes_for(&|c| state[c], cell, allowed, &mut set) {
            self.ranked_choices(&state.to_vec(), cell, allowed, &mut |next| all.push(next));
        }
        all
    }

    /// As [`choices`](Self::choices), for an undefined cell of a class of ordered values: others move up where a nameless value comes below them.
    pub fn ranked_choices<C: Codes + Clone>(
        &self,
        state: &C,
        cell: usize,
        allowed: u128,
        f: &mut dyn FnMut(C),
    ) {
        let class = &self.classes[self.cells[cell].class];
        let set = |state: &C, code: i64| {
            let mut next = state.clone();
            next.set_code(cell, code);
            next
        };
        (0..class.base).filter(|c| allowed >> c & 1 == 1).for_each(|code| f(set(state, code)));
        let mut dense = set(state, UNDEF);
        self.normalize(&mut dense);
        for first in (0..=self.procs as i64).map(|gap| class.base + gap * class.per_gap) {
            if allowed >> first & 1 == 0 {
                continue;
            }
            let in_gap = first..first + class.per_gap;
            let codes = class.cells.iter().map(|c| dense.code(*c));
            let free = codes.filter(|code| in_gap.contains(code)).max().map_or(first, |last| last + 1);
            // Values above are moved up by one to make room; there are at most
            // `per_gap` cells, so the last rank stays in the gap.
            for code in first..=free {
                let mut next = set(&dense, code);
                for &c in class.cells.iter().filter(|c| **c != cell) {
                    let other = next.code(c);
                    if in_gap.contains(&other) && other >= code {
                        next.set_code(c, other + 1);
                    }
                }
                f(next);
            }
            (first..free).for_each(|code| f(set(&dense, code)));
        }
    }

    /// The classes whose nameless codes have a canonical form.
    pub fn renumbered(&self) -> impl Iterator<Item = &Class> {
        let renumbers = |names| matches!(names, Distinctness::Partition | Distinctness::Ordered);
        self.classes.iter().filter(move |class| class.nameless > 0 && renumbers(class.names))
    }

    /// Whether writing to the cell can put nameless codes out of canonical form.
    pub fn may_rename(&self, cell: usize) -> bool {
        matches!(self.classes[self.cells[cell].class].names, Distinctness::Partition | Distinctness::Ordered)
            && matches!(self.cells[cell].kind, CodeKind::Proc | CodeKind::Abstract)
    }
}
