//! Renaming of processes in a packed state: the bits of several cells move at once.

use crate::state::cells::{Cells, CodeKind};
use crate::state::packing::{Field, Packing};

/// How the bits of an instance move.
#[derive(Debug)]
pub struct Moves {
    procs: usize,
    /// Cells about one process each, next to each other in a word.
    records: Vec<Bits>,
    /// Matrices whose rows each lie in a word.
    matrices: Vec<Matrix>,
    /// Cells of other arrays, which move one by one.
    rest: Vec<Array>,
    /// Cells that name processes.
    pointers: Vec<Field>,
}

/// Bits of each process, as many for each.
#[derive(Debug)]
struct Bits {
    mask: u64,
    /// Word and shift for each process.
    at: Vec<(u16, u8)>,
}

/// The rows of a matrix.
#[derive(Debug)]
struct Matrix {
    rows: Bits,
    /// Bits of a cell.
    bits: u32,
}

/// An array with any number of indices.
#[derive(Debug)]
struct Array {
    first: usize,
    arity: u32,
}

impl Bits {
    fn get(&self, state: &[u64], p: usize) -> u64 {
        let (word, shift) = self.at[p];
        state[usize::from(word)] >> shift & self.mask
    }

    fn put(&self, state: &mut [u64], p: usize, bits: u64) {
        let (word, shift) = self.at[p];
        let word = &mut state[usize::from(word)];
        *word = *word & !(self.mask << shift) | bits << shift;
    }
}

impl Moves {
    /// Those of an instance.
    pub fn new(cells: &Cells, packing: &Packing) -> Self {
        let n = cells.procs;
        let mut this = Self {
            procs: n,
            records: Vec::new(),
            matrices: Vec::new(),
            rest: Vec::new(),
            pointers: Vec::new(),
        };
        for (first, cell) in cells.cells.iter().enumerate() {
            if first > 0 && cells.cells[first - 1].var == cell.var || packing.fields[first].bits == 0 {
                continue;
            }
            let arity = cell.index.len();
            let fields = &packing.fields[first..first + n.pow(arity as u32)];
            if cell.kind == CodeKind::Proc {
                this.pointers.extend_from_slice(fields);
            }
            let bits = u32::from(fields[0].bits);
            let at = |fields: &[Field]| (fields[0].word, fields[0].shift);
            match arity {
                0 => {}
                1 => this.record(bits, fields),
                2 if fields.chunks(n).all(is_row) => {
                    let rows = Bits {
                        mask: u64::MAX >> (64 - bits * n as u32),
                        at: fields.chunks(n).map(at).collect(),
                    };
                    this.matrices.push(Matrix { rows, bits });
                }
                _ => this.rest.push(Array { first, arity: arity as u32 }),
            }
        }
        this
    }

    /// Adds an array to a record whose bits end where its own begin, or as one of its own.
    fn record(&mut self, bits: u32, fields: &[Field]) {
        let follows = |record: &&mut Bits| {
            let width = u64::BITS - record.mask.leading_zeros();
            record
                .at
                .iter()
                .zip(fields)
                .all(|(at, f)| (f.word, u32::from(f.shift)) == (at.0, u32::from(at.1) + width))
        };
        if let Some(record) = self.records.iter_mut().find(follows) {
            let width = u64::BITS - record.mask.leading_zeros();
            record.mask = u64::MAX >> (64 - width - bits);
        } else {
            let at = fields.iter().map(|f| (f.word, f.shift)).collect();
            self.records.push(Bits { mask: u64::MAX >> (64 - bits), at });
        }
    }

    /// Renames the processes of `from`, of which those in `moved` change their names, where `to` has the same contents at
    /// first. Values without names keep theirs.
    pub fn rename(&self, perm: &[u8], moved: &[u8], packing: &Packing, from: &[u64], to: &mut [u64]) {
        let n = self.procs;
        let renamed = |p: usize| usize::from(perm[p]);
        for record in &self.records {
            for p in moved.iter().map(|p| usize::from(*p)) {
                record.put(to, renamed(p), record.get(from, p));
            }
        }
        for Matrix { rows, bits } in &self.matrices {
            let place = |q: usize| q as u32 * bits;
            let cell = u64::MAX >> (64 - bits);
            let moving = moved.iter().fold(0, |set, q| set | cell << place(usize::from(*q)));
            for p in 0..n {
                let row = rows.get(from, p);
                let mut new = row & !moving;
                if row & moving != 0 {
                    for q in moved.iter().map(|q| usize::from(*q)) {
                        new |= (row >> place(q) & cell) << place(renamed(q));
                    }
                }
                rows.put(to, renamed(p), new);
            }
        }
        for Array { first, arity } in &self.rest {
            for at in 0..n.pow(*arity) {
                let digits = (0..*arity).rev().map(|place| at / n.pow(place) % n);
                let new = digits.fold(0, |new, p| new * n + renamed(p));
                packing.fields[first + new].put(to, packing.fields[first + at].raw(from));
            }
        }
        for field in &self.pointers {
            let named = field.raw(to) as usize;
            if named < n && renamed(named) != named {
                field.put(to, u64::from(perm[named]));
            }
        }
    }
}

/// Whether these cells follow each other in one word.
fn is_row(fields: &[Field]) -> bool {
    fields.windows(2).all(|w| w[0].word == w[1].word && w[0].shift + w[0].bits == w[1].shift)
}
