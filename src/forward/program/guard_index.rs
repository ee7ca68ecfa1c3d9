//! Which ground transitions a state does not refute, by table lookup.
//!
//! Neighbouring fields form groups of few bits; for each value of a group a bit set says which guards
//! that value does not refute. The guards that a state does not refute are the intersection over the
//! groups. A second table says which of them read an undefined cell of the group.

use crate::program::code::Guard;
use crate::state::{Cells, Field, Packing};
use crate::tuning::{MAX_GROUP_BITS, MAX_ROW_WORDS};

#[derive(Clone, Debug)]
struct Group {
    word: usize,
    shift: u8,
    mask: u64,
    /// The first of its rows: for each value of the group, the guards that it does not refute...
    first: usize,
    /// ...and after these, the guards that read an undefined cell of the group, if there can be any.
    can_be_undefined: bool,
}

/// A number cell that can be undefined, and the guards that read it.
#[derive(Clone, Debug)]
struct Wide {
    field: Field,
    readers: Vec<u64>,
}

#[derive(Clone, Debug)]
pub struct GuardIndex {
    /// Words of a bit set of guards.
    pub words: usize,
    all: Vec<u64>,
    groups: Vec<Group>,
    /// Bit sets of guards, one after the other.
    rows: Vec<u64>,
    wide: Vec<Wide>,
    /// Guards with tests beyond value sets.
    pub tested: Vec<u64>,
}

fn set_bit(bits: &mut [u64], i: usize) {
    bits[i / 64] |= 1 << (i % 64);
}

impl GuardIndex {
    pub fn new(cells: &Cells, packing: &Packing, guards: &[&Guard]) -> Self {
        let words = guards.len().div_ceil(64);
        let mut all = vec![0; words];
        let mut tested = vec![0; words];
        let mut constrained: Vec<Vec<(usize, u128)>> = vec![Vec::new(); cells.len()];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
        for (i, guard) in guards.iter().enumerate() {
            set_bit(&mut all, i);
            if !guard.tests.is_empty() {
                set_bit(&mut tested, i);
            }
            guard.sets.iter().for_each(|(cell, codes)| constrained[*cell].push((i, *codes)));
            guard.reads.iter().for_each(|cell| readers[*cell].push(i));
        }
        let looks = Looks { cells, all, constrained, readers };
        let Looks { constrained, readers, .. } = &looks;
        let mut wide = Vec::new();
        let mut members: Vec<usize> = Vec::new();
        for c in 0..cells.len() {
            let cell = &cells.cells[c];
            if cell.codes > 0 {
                if !constrained[c].is_empty() || cell.undef && !readers[c].is_empty() {
                    members.push(c);
                }
            } else if cell.undef && !readers[c].is_empty() {
                let mut bits = vec![0; words];
                readers[c].iter().for_each(|i| set_bit(&mut bits, *i));
                wide.push(Wide { field: packing.fields[c], readers: bits });
            }
        }
        members.sort_by_key(|c| (packing.fields[*c].word, packing.fields[*c].shift));
        let total_bits: usize = members.iter().map(|c| usize::from(packing.fields[*c].bits)).sum();
        let group_bits = (3..=MAX_GROUP_BITS)
            .rev()
            .find(|b| (total_bits / usize::from(*b) + 1) * (words << b) <= MAX_ROW_WORDS)
            .unwrap_or(2);
        let (mut groups, mut rows) = (Vec::new(), Vec::new());
        let mut rest = members.as_slice();
        while let Some(&first) = rest.first() {
            let start = packing.fields[first];
            let n = rest
                .iter()
                .take_while(|c| {
                    let f = packing.fields[**c];
                    f.word == start.word && f.shift + f.bits - start.shift <= group_bits
                })
                .count()
                .max(1);
            let (group, others) = rest.split_at(n);
            rest = others;
            groups.push(looks.group(packing, group, &mut rows));
        }
        Self { words, all: looks.all, groups, rows, wide, tested }
    }

    /// Puts the guards that `state` does not refute into `out`, and those among them (and perhaps
    /// others) that read an undefined cell into `undefined`. Returns whether the latter is not empty.
    #[inline]
    pub fn look(&self, state: &[u64], out: &mut [u64], undefined: &mut [u64]) -> bool {
        // Sets of a constant size stay in registers.
        match self.words {
            1 => self.look_fixed::<1>(state, out, undefined),
            2 => self.look_fixed::<2>(state, out, undefined),
            3 => self.look_fixed::<3>(state, out, undefined),
            4 => self.look_fixed::<4>(state, out, undefined),
            _ => self.look_any(state, out, undefined),
        }
    }

    #[inline]
    fn look_fixed<const N: usize>(&self, state: &[u64], out: &mut [u64], undefined: &mut [u64]) -> bool {
        let mut fit = [0; N];
        fit.copy_from_slice(&self.all);
        let mut open = [0; N];
        let (rows, _) = self.rows.as_chunks::<N>();
        for group in &self.groups {
            let at = ((state[group.word] >> group.shift) & group.mask) as usize;
            let row = rows[group.first + at];
            for i in 0..N {
                fit[i] &= row[i];
            }
            if group.can_be_undefined {
                let row = rows[group.first + group.mask as usize + 1 + at];
                for i in 0..N {
                    open[i] |= row[i];
                }
            }
        }
        for wide in &self.wide {
            if wide.field.raw(state) == wide.field.undef {
                open.iter_mut().zip(&wide.readers).for_each(|(o, r)| *o |= r);
            }
        }
        out.copy_from_slice(&fit);
        undefined.copy_from_slice(&open);
        (0..N).any(|i| fit[i] & open[i] != 0)
    }

    fn look_any(&self, state: &[u64], out: &mut [u64], undefined: &mut [u64]) -> bool {
        out.copy_from_slice(&self.all);
        undefined.fill(0);
        for group in &self.groups {
            let at = ((state[group.word] >> group.shift) & group.mask) as usize;
            for (o, r) in out.iter_mut().zip(self.row(group.first + at)) {
                *o &= r;
            }
            if group.can_be_undefined {
                let row = self.row(group.first + group.mask as usize + 1 + at);
                for (o, r) in undefined.iter_mut().zip(row) {
                    *o |= r;
                }
            }
        }
        for wide in &self.wide {
            if wide.field.raw(state) == wide.field.undef {
                for (o, r) in undefined.iter_mut().zip(&wide.readers) {
                    *o |= r;
                }
            }
        }
        out.iter().zip(undefined.iter()).any(|(o, u)| o & u != 0)
    }

    fn row(&self, i: usize) -> &[u64] {
        &self.rows[i * self.words..(i + 1) * self.words]
    }
}

/// What guards read.
struct Looks<'a> {
    cells: &'a Cells,
    all: Vec<u64>,
    /// For each cell, the guards with a value set for it.
    constrained: Vec<Vec<(usize, u128)>>,
    /// For each cell, the guards that read it in other ways.
    readers: Vec<Vec<usize>>,
}

impl Looks<'_> {
    /// A group of cells, whose rows are added to `table`.
    fn group(&self, packing: &Packing, group: &[usize], table: &mut Vec<u64>) -> Group {
        let words = self.all.len();
        let first = packing.fields[group[0]];
        let last = packing.fields[group[group.len() - 1]];
        let bits = last.shift + last.bits - first.shift;
        let size = 1usize << bits;
        let can_be_undefined = group.iter().any(|c| self.cells.cells[*c].undef);
        let mut rows = self.all.repeat(size);
        let mut undefined = if can_be_undefined { vec![0; size * words] } else { Vec::new() };
        for &c in group {
            let field = packing.fields[c];
            for value in 0..size as u64 {
                let raw = value >> (field.shift - first.shift) & field.mask();
                let at = value as usize * words;
                if self.cells.cells[c].undef && raw == field.undef {
                    for i in
                        self.readers[c].iter().copied().chain(self.constrained[c].iter().map(|(i, _)| *i))
                    {
                        set_bit(&mut undefined[at..at + words], i);
                    }
                } else {
                    for (i, codes) in &self.constrained[c] {
                        if raw >= 128 || codes >> raw & 1 == 0 {
                            rows[at + i / 64] &= !(1 << (i % 64));
                        }
                    }
                }
            }
        }
        let at = table.len() / words.max(1);
        table.append(&mut rows);
        table.append(&mut undefined);
        Group {
            word: usize::from(first.word),
            shift: first.shift,
            mask: (1 << bits) - 1,
            first: at,
            can_be_undefined,
        }
    }
}
