//! The canonical form of any state: processes in the order of what cells tell about them.
//!
//! Three comparisons, each of more data than the one before, until all processes differ or equal ones can be exchanged
//! without any change: what a process has and which cells point at it; its rows and columns; what the processes
//! related to it look like (`refinement`). The first one suffices for most states.

use std::cell::RefCell;
use std::sync::Arc;

use smallvec::SmallVec;

use crate::ground::Range;
use crate::state::{Cells, Packed, Packing};
use crate::symmetry::hints::{Hints, Shape, Table};
use crate::symmetry::refinement::{Renaming, exchange, least, mix, order_sorts, refine};

/// The data about an instance that the canonical form needs.
#[derive(Clone, Debug)]
pub struct General {
    /// Processes below this number keep their places.
    pub fixed: usize,
    /// Of which sort each process is, where that is the same in all states: those of one sort have the same places in each state. Empty
    /// where it is not known.
    sorts: Arc<[u8]>,
    shape: Arc<Shape>,
}

/// A state, its packing, and how many cells name each process.
#[derive(Clone, Copy)]
struct Seen<'s> {
    packing: &'s Packing,
    state: &'s [u64],
    named: &'s [u32],
}

/// Reused buffers.
#[derive(Default)]
struct Scratch {
    /// Of the state whose processes were compared last: mostly, states that come from it by a step follow.
    before: Hints,
    hints: Hints,
    codes: Vec<i64>,
    colours: Vec<u64>,
    order: Vec<u8>,
    perm: Renaming,
    moved: Vec<u8>,
    out: Vec<u64>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl General {
    /// For an instance of which the first processes keep their places, with processes of these sorts, if they are known.
    pub fn new(fixed: usize, sorts: &[u8], cells: &Cells, packing: &Packing) -> Self {
        Self { fixed, sorts: sorts.into(), shape: Arc::new(Shape::new(fixed, cells, packing)) }
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

    /// Bit i: exchanging the processes i and i + 1 is known to change nothing.
    pub fn equal_neighbours(&self, packing: &Packing, state: &[u64]) -> usize {
        let procs = self.shape.procs;
        SCRATCH.with_borrow_mut(|Scratch { before, .. }| {
            before.follow(&self.shape, packing, state);
            let seen = Seen { packing, state, named: &before.named };
            let equal = |p: &usize| self.are_of_one_sort(*p, p + 1) && self.exchanges(seen, *p, p + 1);
            (self.fixed..procs - 1).filter(equal).fold(0, |set, p| set | 1 << p)
        })
    }

    /// Whether exchanging two processes changes nothing in a state, which need not follow the one before.
    pub fn leave_unchanged(&self, packing: &Packing, state: &[u64], p: usize, q: usize) -> bool {
        self.are_of_one_sort(p, q) && self.shape.tables.iter().all(|table| swaps(table, packing, state, p, q))
    }

    fn are_of_one_sort(&self, p: usize, q: usize) -> bool {
        self.sorts.get(p) == self.sorts.get(q)
    }

    fn settle(&self, scratch: &mut Scratch, cells: &Cells, packing: &Packing, state: &mut [u64]) -> u32 {
        let Scratch { before, hints, codes, colours, order, perm, moved, out } = scratch;
        let procs = self.shape.procs;
        hints.follow_nearest(before, &self.shape, packing, state);
        colours.clear();
        let first = |(p, alone): (usize, &u64)| mix(if p < self.fixed { p as u64 + 1 } else { 0 }, *alone);
        colours.extend(hints.alone.iter().enumerate().map(first));
        order_sorts(&self.sorts, colours);
        order.clear();
        order.extend(0..procs as u8);
        let mut settled = sort(&mut order[self.fixed..], colours);
        if !settled {
            for (colour, pairs) in colours.iter_mut().zip(&hints.pairs) {
                *colour = mix(*colour, *pairs);
            }
            order_sorts(&self.sorts, colours);
            let seen = Seen { packing, state, named: &hints.named };
            let mut twins: Renaming = (0..procs as u8).collect();
            settled = sort(&mut order[self.fixed..], colours)
                || self.alike(seen, order, colours, &mut twins)
                || self.relate(seen, order, colours, &mut twins);
        }
        if !settled {
            if self.shape.wide || hints.nameless > 0 {
                packing.unpack(state, codes);
                refine(cells, codes, colours);
                order_sorts(&self.sorts, colours);
            }
            let (best, renaming, tried) = least(self.fixed, colours, state, |perm, out| {
                moved.clear();
                moved.extend((0..procs as u8).filter(|p| perm[usize::from(*p)] != *p));
                out.clear();
                out.extend_from_slice(state);
                self.shape.moves.rename(perm, moved, hints.name(moved), packing, state, out);
                if hints.unnamed > 0 {
                    cells.normalize(&mut Packed { fields: &packing.fields, state: out });
                }
            });
            *perm = renaming;
            state.copy_from_slice(&best);
            return tried;
        }
        perm.clear();
        perm.resize(procs, 0);
        moved.clear();
        for (new, old) in order.iter().enumerate() {
            perm[usize::from(*old)] = new as u8;
            if usize::from(*old) != new {
                moved.push(*old);
            }
        }
        if !moved.is_empty() {
            out.clear();
            out.extend_from_slice(state);
            self.shape.moves.rename(perm, moved, hints.name(moved), packing, out, state);
        }
        if hints.unnamed > 0 {
            cells.normalize(&mut Packed { fields: &packing.fields, state });
        }
        0
    }

    /// Adds what is known of related processes to the colours of those that tie, as long as that tells some apart; whether the
    /// processes are settled then. Those that can be exchanged are related to the others in the same way.
    fn relate(&self, seen: Seen<'_>, order: &mut [u8], colours: &mut [u64], twins: &mut [u8]) -> bool {
        let Seen { packing, state, .. } = seen;
        let mut before = usize::MAX;
        let mut more: SmallVec<[u64; 16]> = SmallVec::from_slice(colours);
        loop {
            let mut known = 0;
            let colour = |p: u8| colours[usize::from(p)];
            let mut last = None;
            let mut rest = order[self.fixed..].iter().copied().peekable();
            while let Some(p) = rest.next() {
                let tie = last.filter(|last| colour(*last) == colour(p));
                known += usize::from(tie.is_some());
                more[usize::from(p)] = match tie {
                    Some(twin) if twins[usize::from(p)] == twin => more[usize::from(twin)],
                    None if rest.peek().is_none_or(|next| colour(*next) != colour(p)) => colour(p),
                    _ => mix(colour(p), self.shape.related(packing, state, usize::from(p), colours)),
                };
                last = Some(p);
            }
            if known == before {
                return false;
            }
            before = known;
            colours.copy_from_slice(&more);
            order_sorts(&self.sorts, colours);
            if sort(&mut order[self.fixed..], colours) || self.alike(seen, order, colours, twins) {
                return true;
            }
        }
    }

    /// Whether processes of one colour, in this order, can all be exchanged without any change. `twins` has for each process
    /// one that is known to be exchangeable with it, or itself.
    fn alike(&self, seen: Seen<'_>, order: &[u8], colours: &[u64], twins: &mut [u8]) -> bool {
        let mut alike = true;
        for w in order[self.fixed..].windows(2) {
            let (p, q) = (usize::from(w[0]), usize::from(w[1]));
            if colours[p] == colours[q] && twins[q] != w[0] {
                let exchanged = self.exchanges(seen, p, q);
                twins[q] = if exchanged { w[0] } else { w[1] };
                alike &= exchanged;
            }
        }
        alike
    }

    /// Whether exchanging two processes leaves the state unchanged.
    fn exchanges(&self, seen: Seen<'_>, p: usize, q: usize) -> bool {
        let Seen { packing, state, named } = seen;
        if named[p] == 0 && named[q] == 0 {
            return self.shape.moves.exchanges(packing, state, p, q);
        }
        self.shape.tables.iter().all(|table| swaps(table, packing, state, p, q))
    }
}

/// Whether exchanging two processes leaves the cells of a table unchanged.
fn swaps(table: &Table, packing: &Packing, state: &[u64], p: usize, q: usize) -> bool {
    let (a, b) = (p as i64, q as i64);
    let image = |code: i64| match code {
        _ if !table.pointers => code,
        _ if code == a => b,
        _ if code == b => a,
        _ => code,
    };
    let code = |cell: usize| packing.fields[cell].get(state);
    let same = |x: usize, y: usize| image(code(x)) == code(y);
    let both = |x: usize, y: usize| same(x, y) && same(y, x);
    let others = |of: Range| of.processes().filter(move |r| *r != p && *r != q);
    match table.cells.ranges[..] {
        [] => same(table.cells.first, table.cells.first),
        [of] => {
            let at = |r: usize| table.alone(r);
            (of.place(p).is_none() || both(at(p), at(q)))
                && (!table.pointers || others(of).all(|r| same(at(r), at(r))))
        }
        [rows, columns] => {
            let at = |x: usize, y: usize| table.pair(x, y);
            let (is_row, is_column) = (rows.place(p).is_some(), columns.place(p).is_some());
            (!is_row || !is_column || both(at(p, p), at(q, q)) && both(at(p, q), at(q, p)))
                && (!is_row || others(columns).all(|r| both(at(p, r), at(q, r))))
                && (!is_column || others(rows).all(|r| both(at(r, p), at(r, q))))
                && (!table.pointers
                    || others(rows).all(|r| others(columns).all(|s| same(at(r, s), at(r, s)))))
        }
        _ => table.cells.tuples().zip(table.cells.first..).all(|(index, at)| {
            let new = table.cells.position(index.into_iter().map(|process| exchange(p, q, process)));
            new.is_none_or(|new| same(at, new))
        }),
    }
}

/// Sorts processes by their colours, keeping the order of those of one colour; whether all colours differ.
fn sort(order: &mut [u8], colours: &[u64]) -> bool {
    let colour = |p: u8| colours[usize::from(p)];
    let mut differ = true;
    for i in 1..order.len() {
        let p = order[i];
        let mut j = i;
        while j > 0 && colour(order[j - 1]) > colour(p) {
            order[j] = order[j - 1];
            j -= 1;
        }
        differ &= j == 0 || colour(order[j - 1]) != colour(p);
        order[j] = p;
    }
    differ
}
