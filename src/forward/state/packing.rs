//! Packed states: which bits of which word hold which cell.
//!
//! The cells of process i (those whose first index is i) form a *lane*. Lanes are identical up to their
//! position where arrays have cells for all processes, and a lane that fits in a word never straddles two, so that renaming processes means moving
//! lanes. Of wider lanes, rows of matrices stay together where they fit in a word. Globals fill the remaining space.

use crate::state::cells::{Cells, CodeKind};
use crate::state::codes::{Codes, UNDEF};

/// Bits of one cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Field {
    pub word: u16,
    pub shift: u8,
    pub bits: u8,
    /// Subtracted from what is stored.
    pub bias: i64,
    /// Stored value of an undefined cell; above every other.
    pub undef: u64,
}

impl Field {
    /// Its bits, from bit 0 on.
    #[inline]
    pub const fn mask(self) -> u64 {
        if self.bits == 0 { 0 } else { u64::MAX >> (64 - self.bits) }
    }

    /// The stored bits of the field in `state`.
    #[inline]
    pub fn raw(self, state: &[u64]) -> u64 {
        (state[self.word as usize] >> self.shift) & self.mask()
    }

    /// The code, or [`UNDEF`].
    #[inline]
    pub fn get(self, state: &[u64]) -> i64 {
        let raw = self.raw(state);
        if raw == self.undef { UNDEF } else { raw.cast_signed().wrapping_sub(self.bias) }
    }

    /// The stored bits for `code`.
    #[inline]
    pub fn encode(self, code: i64) -> u64 {
        if code == UNDEF { self.undef } else { code.wrapping_add(self.bias).cast_unsigned() }
    }

    /// Stores a code that fits.
    #[inline]
    pub fn set(self, state: &mut [u64], code: i64) {
        let raw = self.encode(code);
        debug_assert!(raw <= self.mask(), "{code} does not fit its field");
        self.put(state, raw);
    }

    /// Replaces the stored bits of the field.
    #[inline]
    pub fn put(self, state: &mut [u64], raw: u64) {
        let word = &mut state[self.word as usize];
        *word = *word & !(self.mask() << self.shift) | raw << self.shift;
    }

    #[inline]
    pub fn fits(self, n: i64) -> bool {
        n.checked_add(self.bias).is_some_and(|raw| raw >= 0 && raw.cast_unsigned() < self.undef)
    }
}

/// A packed state, seen as codes.
#[derive(Clone)]
pub struct Packed<'a, S> {
    pub fields: &'a [Field],
    pub state: S,
}

impl<S: AsRef<[u64]> + AsMut<[u64]>> Codes for Packed<'_, S> {
    #[inline]
    fn code(&self, cell: usize) -> i64 {
        self.fields[cell].get(self.state.as_ref())
    }

    #[inline]
    fn set_code(&mut self, cell: usize, code: i64) {
        self.fields[cell].set(self.state.as_mut(), code);
    }
}

/// The positions of lanes, when each fits in a word.
#[derive(Clone, Debug)]
pub struct LanePlaces {
    pub bits: u8,
    /// Word and shift of each.
    pub at: Vec<(u16, u8)>,
}

#[derive(Clone, Debug)]
pub struct Packing {
    pub fields: Vec<Field>,
    /// Words of a state; at least 1.
    pub words: usize,
    /// Lanes, when they fit in words and have at least one bit.
    pub lanes: Option<LanePlaces>,
}

/// Bounds of stored integers, when narrower than the default 32 bits.
pub type Bounds = Option<(i64, i64)>;

impl Packing {
    /// Packs the cells. `wide` numbers take 64 bits.
    pub fn new(cells: &Cells, bounds: Bounds, wide: bool) -> Self {
        let mut fields: Vec<Field> = (0..cells.len()).map(|c| field(cells, c, bounds, wide)).collect();
        let lane_of = |c: usize| cells.cells[c].index.first().copied();
        let procs = cells.procs;
        let lane_cells: Vec<Vec<usize>> =
            (0..procs).map(|p| (0..cells.len()).filter(|&c| lane_of(c) == Some(p as u8)).collect()).collect();
        let globals: Vec<usize> = (0..cells.len()).filter(|&c| lane_of(c).is_none()).collect();
        let lane_bits: usize = lane_cells.first().map_or(0, |cells| width(&fields, cells));
        let mut used: Vec<u8> = Vec::new();
        let mut lanes = None;
        if lane_bits > 0 && lane_bits <= 64 && cells.places.are_of_all_processes() {
            let at = lane_cells.iter().map(|lane| put_together(&mut fields, lane, &mut used)).collect();
            lanes = Some(LanePlaces { bits: lane_bits as u8, at });
        } else {
            let units: Vec<_> = lane_cells.iter().flat_map(|of| units(cells, &fields, of)).collect();
            for unit in units {
                put_together(&mut fields, &unit, &mut used);
            }
        }
        // Wide fields first: that wastes less space.
        let mut order = globals;
        order.sort_by_key(|&c| std::cmp::Reverse(fields[c].bits));
        for c in order {
            put_together(&mut fields, &[c], &mut used);
        }
        Self { fields, words: used.len().max(1), lanes }
    }

    /// For each word, the bits that belong to some field.
    pub fn used(&self) -> Vec<u64> {
        let mut used = vec![0; self.words];
        for field in &self.fields {
            used[usize::from(field.word)] |= field.mask() << field.shift;
        }
        used
    }

    pub fn codes(&self, state: &[u64]) -> Vec<i64> {
        self.fields.iter().map(|f| f.get(state)).collect()
    }

    pub fn unpack(&self, state: &[u64], out: &mut Vec<i64>) {
        out.clear();
        out.extend(self.fields.iter().map(|f| f.get(state)));
    }

    /// Packs a state whose numbers all fit; `None` otherwise.
    pub fn pack(&self, codes: &[i64], out: &mut [u64]) -> Option<()> {
        out.fill(0);
        for (field, &code) in self.fields.iter().zip(codes) {
            if code != UNDEF && !field.fits(code) {
                return None;
            }
            field.set(out, code);
        }
        Some(())
    }
}

/// Splits the cells of a process into parts that fit in a word and are moved together when processes are renamed: rows of
/// matrices, and cells about the process alone.
fn units(cells: &Cells, fields: &[Field], of_process: &[usize]) -> Vec<Vec<usize>> {
    let mut units: Vec<Vec<usize>> = Vec::new();
    let stored = of_process.iter().filter(|c| fields[**c].bits > 0);
    let (alone, rows): (Vec<usize>, Vec<usize>) = stored.partition(|c| cells.cells[**c].index.len() == 1);
    for (together, of_part) in [(true, alone), (false, rows)] {
        let mut bits = usize::from(u8::MAX);
        let mut last = None;
        for c in of_part {
            let row = cells.cells[c].var;
            bits += usize::from(fields[c].bits);
            if bits > 64 || !together && last != Some(row) {
                units.push(Vec::new());
                bits = usize::from(fields[c].bits);
            }
            last = Some(row);
            units.last_mut().expect("one was begun").push(c);
        }
    }
    units
}

fn width(fields: &[Field], cells: &[usize]) -> usize {
    cells.iter().map(|&c| usize::from(fields[c].bits)).sum()
}

/// Puts cells next to each other into one word; returns where they begin.
fn put_together(fields: &mut [Field], cells: &[usize], used: &mut Vec<u8>) -> (u16, u8) {
    let (word, first) = place(used, width(fields, cells) as u8);
    let mut shift = first;
    for &c in cells {
        fields[c].word = word;
        fields[c].shift = if fields[c].bits == 0 { 0 } else { shift };
        shift += fields[c].bits;
    }
    (word, first)
}

/// Finds room for `bits` bits in one word.
fn place(used: &mut Vec<u8>, bits: u8) -> (u16, u8) {
    if bits == 0 {
        return (0, 0);
    }
    let word = used.iter().position(|u| u + bits <= 64).unwrap_or_else(|| {
        used.push(0);
        used.len() - 1
    });
    let shift = used[word];
    used[word] += bits;
    (word as u16, shift)
}

fn field(cells: &Cells, c: usize, bounds: Bounds, wide: bool) -> Field {
    let cell = &cells.cells[c];
    if cell.counts.is_some() {
        // Never undefined, and always 0.
        return Field { undef: 1, ..Field::default() };
    }
    match cell.kind {
        CodeKind::Enum | CodeKind::Proc | CodeKind::Abstract => {
            let codes = (cell.codes + usize::from(cell.undef)).max(1);
            Field {
                bits: (usize::BITS - (codes - 1).leading_zeros()) as u8,
                undef: cell.codes as u64,
                ..Field::default()
            }
        }
        CodeKind::Int | CodeKind::Real => match bounds.filter(|_| cell.kind == CodeKind::Int) {
            Some((low, high)) => {
                let undef = low.abs_diff(high) + 1;
                let bits = (64 - undef.leading_zeros()) as u8;
                Field { bits, bias: low.wrapping_neg(), undef, ..Field::default() }
            }
            None if wide => {
                Field { bits: 64, bias: i64::MAX / 2, undef: i64::MAX.cast_unsigned(), ..Field::default() }
            }
            None => Field { bits: 32, bias: 1 << 31, undef: u64::from(u32::MAX), ..Field::default() },
        },
    }
}
