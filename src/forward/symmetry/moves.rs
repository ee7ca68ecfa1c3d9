//! Renaming of processes in a packed state: the bits of several cells move at once.

use crate::state::cells::{Cells, CodeKind};
use crate::state::codes::UNDEF;
use crate::state::packing::{Field, Packing};

/// How the bits of an instance move.
#[derive(Debug)]
pub struct Moves {
    procs: usize,
    /// Cells about one process each, next to each other in a word.
    records: Vec<Bits>,
    /// Matrices whose rows each lie in a word.
    pub matrices: Vec<Matrix>,
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
pub struct Matrix {
    /// Its first cell.
    pub first: usize,
    rows: Bits,
    /// Bits of a cell.
    bits: u32,
    /// A row of cells that have the code that most have.
    usual: u64,
}

/// An array with any number of indices.
#[derive(Debug)]
struct Array {
    first: usize,
    arity: usize,
    /// The indices of each cell, one after the other.
    indices: Vec<u8>,
}

impl Bits {
    #[inline]
    fn get(&self, state: &[u64], p: usize) -> u64 {
        let (word, shift) = self.at[p];
        state[usize::from(word)] >> shift & self.mask
    }

    #[inline]
    fn put(&self, state: &mut [u64], p: usize, bits: u64) {
        let (word, shift) = self.at[p];
        let word = &mut state[usize::from(word)];
        *word = *word & !(self.mask << shift) | bits << shift;
    }
}

impl Matrix {
    /// Which bits of the row of a process differ from those of the code that most cells have.
    #[inline]
    pub fn unusual(&self, state: &[u64], p: usize) -> u64 {
        self.rows.get(state, p) ^ self.usual
    }

    /// The bits of the cell for another process in a row.
    #[inline]
    pub fn cell(&self, row: u64, q: usize) -> u64 {
        row >> (q as u32 * self.bits) & u64::MAX >> (64 - self.bits)
    }

    /// Whether exchanging two processes that no cell names leaves it unchanged.
    fn exchanges(&self, n: usize, state: &[u64], p: usize, q: usize) -> bool {
        let (of_p, of_q) = (self.unusual(state, p), self.unusual(state, q));
        let exchanged = self.cell(of_p, p) == self.cell(of_q, q) && self.cell(of_p, q) == self.cell(of_q, p);
        let here = |at: usize| (u64::MAX >> (64 - self.bits)) << (at as u32 * self.bits);
        exchanged
            && (of_p ^ of_q) & !(here(p) | here(q)) == 0
            && (0..n).filter(|r| *r != p && *r != q).all(|r| {
                let row = self.unusual(state, r);
                self.cell(row, p) == self.cell(row, q)
            })
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
                    let code = fields[0].encode(if cell.undef { UNDEF } else { 0 });
                    let usual = (0..n as u32).fold(0, |row, q| row | code << (q * bits));
                    this.matrices.push(Matrix { first, rows, bits, usual });
                }
                _ => {
                    let cells = &cells.cells[first..first + fields.len()];
                    let indices = cells.iter().flat_map(|cell| cell.index.iter().copied()).collect();
                    this.rest.push(Array { first, arity, indices });
                }
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
    /// first. Values without names keep theirs. `named` says whether some cell names one of those that move.
    pub fn rename(
        &self,
        perm: &[u8],
        (moved, named): (&[u8], bool),
        packing: &Packing,
        from: &[u64],
        to: &mut [u64],
    ) {
        let n = self.procs;
        let renamed = |p: usize| usize::from(perm[p]);
        for record in &self.records {
            for p in moved.iter().map(|p| usize::from(*p)) {
                record.put(to, renamed(p), record.get(from, p));
            }
        }
        for matrix in &self.matrices {
            let Matrix { rows, bits, .. } = matrix;
            let place = |q: usize| q as u32 * bits;
            let cell = u64::MAX >> (64 - bits);
            let moving = moved.iter().fold(0, |set, q| set | cell << place(usize::from(*q)));
            for p in 0..n {
                let row = rows.get(from, p);
                if matrix.unusual(from, p) & moving != 0 {
                    let moves = moved.iter().map(|q| usize::from(*q));
                    let new = moves
                        .fold(row & !moving, |new, q| new | (row >> place(q) & cell) << place(renamed(q)));
                    rows.put(to, renamed(p), new);
                } else if renamed(p) != p {
                    rows.put(to, renamed(p), row);
                }
            }
        }
        for Array { first, arity, indices } in &self.rest {
            for (at, index) in indices.chunks_exact(*arity).enumerate() {
                let new = index.iter().fold(0, |new, p| new * n + renamed(usize::from(*p)));
                if new != at {
                    packing.fields[first + new].put(to, packing.fields[first + at].raw(from));
                }
            }
        }
        if !named {
            return;
        }
        for field in &self.pointers {
            let target = field.raw(to) as usize;
            if target < n && renamed(target) != target {
                field.put(to, u64::from(perm[target]));
            }
        }
    }

    /// Whether exchanging two processes that no cell names leaves the state unchanged.
    pub fn exchanges(&self, packing: &Packing, state: &[u64], p: usize, q: usize) -> bool {
        let exchanged = |process: u8| match usize::from(process) {
            process if process == p => q,
            process if process == q => p,
            process => process,
        };
        self.records.iter().all(|record| record.get(state, p) == record.get(state, q))
            && self.matrices.iter().all(|matrix| matrix.exchanges(self.procs, state, p, q))
            && self.rest.iter().all(|Array { first, arity, indices }| {
                indices.chunks_exact(*arity).enumerate().all(|(at, index)| {
                    let new = index.iter().fold(0, |new, p| new * self.procs + exchanged(*p));
                    new <= at
                        || packing.fields[first + new].raw(state) == packing.fields[first + at].raw(state)
                })
            })
    }
}

/// Whether these cells follow each other in one word.
fn is_row(fields: &[Field]) -> bool {
    fields.windows(2).all(|w| w[0].word == w[1].word && w[0].shift + w[0].bits == w[1].shift)
}
