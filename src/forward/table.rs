//! Which ground transitions a state does not refute, by table look-up.
//!
//! Neighbouring fields form groups of few bits; for each value of a group a bit set says which guards
//! that value does not refute. The guards that a state does not refute are the intersection over the
//! groups. A second table says which of them look at an undefined cell of the group.

use super::cells::Cells;
use super::layout::{Field, Packing};
use super::machine::Guard;

/// No group is wider.
const MAX_GROUP_BITS: u8 = 9;
/// All rows together should stay within this many words, so that they stay in cache.
const MAX_ROW_WORDS: usize = 1 << 15;

#[derive(Clone, Debug)]
struct Group {
    word: usize,
    shift: u8,
    mask: u64,
    /// One bit set for each value of the group.
    rows: Vec<u64>,
    /// Likewise: guards that read an undefined cell of the group. Empty when no cell can be undefined.
    undefined: Vec<u64>,
}

/// A number cell that can be undefined, and the guards that read it.
#[derive(Clone, Debug)]
struct Wide {
    field: Field,
    readers: Vec<u64>,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Table {
    /// Words of a bit set of guards.
    pub words: usize,
    /// All guards.
    all: Vec<u64>,
    groups: Vec<Group>,
    wide: Vec<Wide>,
    /// Guards with tests beyond value sets.
    pub tested: Vec<u64>,
}

fn set_bit(bits: &mut [u64], i: usize) {
    bits[i / 64] |= 1 << (i % 64);
}

impl Table {
    /// Builds the table of these guards.
    pub fn new(cells: &Cells, packing: &Packing, guards: &[&Guard]) -> Self {
        let words = guards.len().div_ceil(64);
        let mut all = vec![0; words];
        let mut tested = vec![0; words];
        for (i, guard) in guards.iter().enumerate() {
            set_bit(&mut all, i);
            if !guard.tests.is_empty() {
                set_bit(&mut tested, i);
            }
        }
        // For each cell: guards with a value set, guards that look at it in other ways.
        let mut constrained: Vec<Vec<(usize, u128)>> = vec![Vec::new(); cells.len()];
        let mut readers: Vec<Vec<usize>> = vec![Vec::new(); cells.len()];
        for (i, guard) in guards.iter().enumerate() {
            for (cell, codes) in &guard.sets {
                constrained[*cell].push((i, *codes));
            }
            for cell in &guard.reads {
                readers[*cell].push(i);
            }
        }
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
        let mut groups = Vec::new();
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
            groups.push(build_group(cells, packing, group, words, &all, &constrained, &readers));
        }
        Self { words, all, groups, wide, tested }
    }

    /// Puts the guards that `state` does not refute into `out`, and those among them (and perhaps
    /// others) that look at an undefined cell into `undefined`. Says whether the latter is not empty.
    #[inline]
    pub fn look(&self, state: &[u64], out: &mut [u64], undefined: &mut [u64]) -> bool {
        out.copy_from_slice(&self.all);
        let mut any = false;
        for group in &self.groups {
            let at = ((state[group.word] >> group.shift) & group.mask) as usize * self.words;
            let row = &group.rows[at..at + self.words];
            for (o, r) in out.iter_mut().zip(row) {
                *o &= r;
            }
            if !group.undefined.is_empty() {
                if !any {
                    undefined.fill(0);
                    any = true;
                }
                for (o, r) in undefined.iter_mut().zip(&group.undefined[at..at + self.words]) {
                    *o |= r;
                }
            }
        }
        for wide in &self.wide {
            if wide.field.raw(state) == wide.field.undef {
                if !any {
                    undefined.fill(0);
                    any = true;
                }
                for (o, r) in undefined.iter_mut().zip(&wide.readers) {
                    *o |= r;
                }
            }
        }
        any && out.iter().zip(undefined.iter()).any(|(o, u)| o & u != 0)
    }
}

fn build_group(
    cells: &Cells,
    packing: &Packing,
    group: &[usize],
    words: usize,
    all: &[u64],
    constrained: &[Vec<(usize, u128)>],
    readers: &[Vec<usize>],
) -> Group {
    let first = packing.fields[group[0]];
    let last = packing.fields[group[group.len() - 1]];
    let bits = last.shift + last.bits - first.shift;
    let size = 1usize << bits;
    let can_be_undefined = group.iter().any(|c| cells.cells[*c].undef);
    let mut rows = all.repeat(size);
    let mut undefined = if can_be_undefined { vec![0; size * words] } else { Vec::new() };
    for &c in group {
        let field = packing.fields[c];
        for value in 0..size as u64 {
            let raw = value >> (field.shift - first.shift) & field.mask();
            let at = value as usize * words;
            if cells.cells[c].undef && raw == field.undef {
                for i in readers[c].iter().copied().chain(constrained[c].iter().map(|(i, _)| *i)) {
                    set_bit(&mut undefined[at..at + words], i);
                }
            } else {
                for (i, codes) in &constrained[c] {
                    if raw >= 128 || codes >> raw & 1 == 0 {
                        rows[at + i / 64] &= !(1 << (i % 64));
                    }
                }
            }
        }
    }
    Group { word: usize::from(first.word), shift: first.shift, mask: (1 << bits) - 1, rows, undefined }
}
