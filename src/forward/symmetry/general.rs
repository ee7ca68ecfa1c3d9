//! The canonical form of any state: processes in the order of what cells tell about them.
//!
//! Three comparisons, each of more data than the one before, until all processes differ or equal ones can be exchanged
//! without any change: what a process has and which cells point at it; its rows and columns; what the processes
//! related to it look like (`refinement`). The first one suffices for most states.

use std::cell::RefCell;

use crate::state::cells::{Cells, CodeKind};
use crate::state::codes::UNDEF;
use crate::state::packing::Packing;
use crate::symmetry::refinement::{Renaming, mix, settle};

/// What a pointer says, besides the process that it names.
const ITSELF: u64 = 1 << 32;
const ANOTHER: u64 = 2 << 32;
const NAMELESS: u64 = 3 << 32;
const POINTED_AT: u64 = 4 << 32;
const FIXED: u64 = 5 << 32;

/// The data about an instance that the canonical form needs.
#[derive(Clone, Debug)]
pub struct General {
    /// Processes below this number keep their places.
    pub fixed: usize,
    procs: usize,
    tables: Vec<Table>,
    /// Whether there are values without names, which a renaming may renumber.
    nameless: bool,
    /// Whether some array has more than two indices.
    wide: bool,
}

/// The cells of a variable.
#[derive(Clone, Debug)]
struct Table {
    /// The first cell; the others follow in order of their indices.
    first: usize,
    arity: usize,
    pointers: bool,
    /// Codes from here on are values without names.
    base: i64,
    salt: u64,
}

/// Reused buffers.
#[derive(Default)]
struct Scratch {
    codes: Vec<i64>,
    out: Vec<i64>,
    colours: Vec<u64>,
    seen: Vec<u64>,
    order: Vec<u8>,
    perm: Renaming,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl General {
    /// For an instance of which the first processes keep their places.
    pub fn new(fixed: usize, cells: &Cells) -> Self {
        let mut tables: Vec<Table> = Vec::new();
        let mut wide = false;
        for (at, cell) in cells.cells.iter().enumerate() {
            if at > 0 && cells.cells[at - 1].var == cell.var {
                continue;
            }
            let nameless = matches!(cell.kind, CodeKind::Proc | CodeKind::Abstract);
            wide |= cell.index.len() > 2;
            tables.push(Table {
                first: at,
                arity: cell.index.len(),
                pointers: cell.kind == CodeKind::Proc,
                base: if nameless { cells.classes[cell.class].base } else { i64::MAX },
                salt: mix(u64::from(cell.var.0), 1),
            });
        }
        let nameless = cells.classes.iter().any(|class| class.nameless > 0);
        Self { fixed, procs: cells.procs, tables, nameless, wide }
    }

    /// Replaces `state` by its representative. Returns how many permutations were tried.
    pub fn canonicalize(&self, cells: &Cells, packing: &Packing, state: &mut [u64]) -> u32 {
        SCRATCH.with_borrow_mut(|scratch| self.settle(scratch, cells, packing, state))
    }

    /// Like [`canonicalize`](Self::canonicalize), and also returns the renaming.
    pub fn renaming(&self, cells: &Cells, packing: &Packing, state: &mut [u64]) -> (Renaming, u32) {
        SCRATCH.with_borrow_mut(|scratch| {
            let tried = self.settle(scratch, cells, packing, state);
            (scratch.perm.clone(), tried)
        })
    }

    fn settle(&self, scratch: &mut Scratch, cells: &Cells, packing: &Packing, state: &mut [u64]) -> u32 {
        let Scratch { codes, out, colours, seen, order, perm } = scratch;
        packing.unpack(state, codes);
        colours.clear();
        colours.extend((0..self.procs).map(|p| if p < self.fixed { p as u64 + 1 } else { 0 }));
        self.look(codes, false, seen, colours);
        order.clear();
        order.extend(0..self.procs as u8);
        let sort = |order: &mut Vec<u8>, colours: &[u64]| {
            order[self.fixed..].sort_by_key(|p| colours[usize::from(*p)]);
            order[self.fixed..].windows(2).all(|w| colours[usize::from(w[0])] != colours[usize::from(w[1])])
        };
        let mut settled = sort(order, colours);
        if !settled {
            self.look(codes, true, seen, colours);
            settled = sort(order, colours) || self.alike(codes, order, colours);
        }
        if !settled {
            let (best, renaming, tried) = settle(cells, self.fixed, codes, colours);
            *perm = renaming;
            packing.pack(&best, state).expect("renaming keeps codes in range");
            return tried;
        }
        perm.clear();
        perm.resize(self.procs, 0);
        for (new, old) in order.iter().enumerate() {
            perm[usize::from(*old)] = new as u8;
        }
        let moved = !order.is_sorted();
        if moved {
            self.rename(perm, codes, out);
        } else if self.nameless {
            out.clone_from(codes);
        } else {
            return 0;
        }
        cells.normalize(out.as_mut_slice());
        if out != codes {
            packing.pack(out, state).expect("renaming keeps codes in range");
        }
        0
    }

    /// Adds what cells tell about each process to the colours: cells about it alone, or (`pairs`) about two processes.
    fn look(&self, codes: &[i64], pairs: bool, seen: &mut Vec<u64>, colours: &mut [u64]) {
        let n = self.procs;
        seen.clear();
        seen.resize(n, 0);
        for table in &self.tables {
            match (table.arity, pairs) {
                (0, false) if table.pointers => {
                    if let Some(p) = self.process(codes[table.first]) {
                        seen[p] = seen[p].wrapping_add(mix(table.salt, POINTED_AT));
                    }
                }
                (1, false) => {
                    for (p, &code) in codes[table.first..table.first + n].iter().enumerate() {
                        self.cell(table, (p, p), code, seen);
                    }
                }
                (2, false) => {
                    for p in 0..n {
                        self.cell(table, (p, p), codes[table.first + p * n + p], seen);
                    }
                }
                (2, true) => {
                    for (p, row) in codes[table.first..table.first + n * n].chunks(n).enumerate() {
                        for (q, &code) in row.iter().enumerate().filter(|(q, _)| *q != p) {
                            self.cell(table, (p, q), code, seen);
                        }
                    }
                }
                _ => {}
            }
        }
        for (colour, seen) in colours.iter_mut().zip(seen) {
            *colour = mix(*colour, *seen);
        }
    }

    fn process(&self, code: i64) -> Option<usize> {
        (code != UNDEF && code < self.procs as i64).then_some(code as usize)
    }

    /// Adds what a cell tells to what is seen of its processes and of the one that it names.
    fn cell(&self, table: &Table, (p, q): (usize, usize), code: i64, seen: &mut [u64]) {
        let mut said = code.cast_unsigned();
        if table.pointers
            && let Some(target) = self.process(code)
        {
            said = match target {
                _ if target == p => ITSELF,
                _ if target == q => ITSELF + 1,
                _ if target < self.fixed => FIXED + target as u64,
                _ => ANOTHER,
            };
            seen[target] = seen[target].wrapping_add(mix(table.salt, POINTED_AT + said));
        } else if code != UNDEF && code >= table.base {
            said = NAMELESS;
        }
        let said = mix(table.salt, said);
        seen[p] = seen[p].wrapping_add(said);
        if p != q {
            seen[q] = seen[q].wrapping_add(said.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
    }

    /// Whether processes of one colour, in this order, can all be exchanged without any change.
    fn alike(&self, codes: &[i64], order: &[u8], colours: &[u64]) -> bool {
        !self.wide
            && order[self.fixed..].windows(2).all(|w| {
                let (p, q) = (usize::from(w[0]), usize::from(w[1]));
                colours[p] != colours[q] || self.tables.iter().all(|table| self.swaps(table, codes, p, q))
            })
    }

    /// Whether exchanging two processes leaves the cells of a table unchanged.
    fn swaps(&self, table: &Table, codes: &[i64], p: usize, q: usize) -> bool {
        let n = self.procs;
        let (a, b) = (p as i64, q as i64);
        let image = |code: i64| match code {
            _ if !table.pointers => code,
            _ if code == a => b,
            _ if code == b => a,
            _ => code,
        };
        let same = |x: usize, y: usize| image(codes[table.first + x]) == codes[table.first + y];
        let others = || (0..n).filter(move |r| *r != p && *r != q);
        match table.arity {
            0 => same(0, 0),
            1 => same(p, q) && same(q, p) && (!table.pointers || others().all(|r| same(r, r))),
            _ => {
                let at = |x: usize, y: usize| x * n + y;
                same(at(p, p), at(q, q))
                    && same(at(q, q), at(p, p))
                    && same(at(p, q), at(q, p))
                    && same(at(q, p), at(p, q))
                    && others().all(|r| {
                        same(at(p, r), at(q, r))
                            && same(at(q, r), at(p, r))
                            && same(at(r, p), at(r, q))
                            && same(at(r, q), at(r, p))
                    })
                    && (!table.pointers || others().all(|r| others().all(|s| same(at(r, s), at(r, s)))))
            }
        }
    }

    /// The codes under a renaming; values without names keep theirs.
    fn rename(&self, perm: &[u8], codes: &[i64], out: &mut Vec<i64>) {
        let n = self.procs;
        out.clear();
        out.resize(codes.len(), 0);
        for table in &self.tables {
            let image = |code: i64| match self.process(code) {
                Some(p) if table.pointers => i64::from(perm[p]),
                _ => code,
            };
            let first = table.first;
            let mut indices = 0..n.pow(table.arity as u32);
            match table.arity {
                0 => out[first] = image(codes[first]),
                1 => indices.for_each(|p| out[first + usize::from(perm[p])] = image(codes[first + p])),
                2 => {
                    for (row, p) in perm.iter().enumerate() {
                        let (from, to) = (first + row * n, first + usize::from(*p) * n);
                        for (column, q) in perm.iter().enumerate() {
                            out[to + usize::from(*q)] = image(codes[from + column]);
                        }
                    }
                }
                arity => indices.by_ref().for_each(|at| {
                    let mut to = 0;
                    for place in (0..arity).rev() {
                        let p = at / n.pow(place as u32) % n;
                        to = to * n + usize::from(perm[p]);
                    }
                    out[first + to] = image(codes[first + at]);
                }),
            }
        }
    }
}
