//! Renaming of processes in a packed state: the bits of several cells move at once.

use crate::ground::{Range, Table};
use crate::state::{Cells, CodeKind, Field, Packing, UNDEF};
use crate::symmetry::refinement::exchange;

/// How the bits of an instance move. A renaming takes each process to one of its sort.
#[derive(Debug)]
pub struct Moves {
    /// Cells about one process each, next to each other in a word.
    records: Vec<Bits>,
    /// Matrices whose rows each lie in a word.
    pub matrices: Vec<Matrix>,
    /// Cells of other arrays, which move one by one.
    rest: Vec<Array>,
    /// Cells that name processes.
    pointers: Vec<Field>,
}

/// Bits of each process that an index may be, as many for each.
#[derive(Debug)]
struct Bits {
    mask: u64,
    of: Range,
    /// Word and shift for each process.
    at: Vec<(u16, u8)>,
}

/// The rows of a matrix.
#[derive(Debug)]
pub struct Matrix {
    pub first: usize,
    rows: Bits,
    /// The processes that a row has cells for.
    columns: Range,
    /// Bits of a cell.
    bits: u32,
    /// A row of cells that have the code that most have.
    usual: u64,
}

/// An array with any number of indices.
#[derive(Debug)]
struct Array {
    table: Table,
    /// The indices of each cell, one after the other.
    indices: Vec<u8>,
    /// The words that have cells of it.
    words: Vec<Word>,
}

/// A word with cells of an array.
#[derive(Debug)]
struct Word {
    at: usize,
    /// The bits of these cells.
    mask: u64,
    /// Those bits where all of the cells have the code that most have.
    usual: u64,
    /// The cell that each of the bits is of.
    cells: [u32; 64],
}

impl Bits {
    #[inline]
    fn get(&self, state: &[u64], p: usize) -> u64 {
        let (word, shift) = self.at[p - self.of.from];
        state[usize::from(word)] >> shift & self.mask
    }

    #[inline]
    fn put(&self, state: &mut [u64], p: usize, bits: u64) {
        let (word, shift) = self.at[p - self.of.from];
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
        row >> self.shift(q) & self.mask()
    }

    const fn shift(&self, q: usize) -> u32 {
        (q - self.columns.from) as u32 * self.bits
    }

    const fn mask(&self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Whether exchanging two processes that no cell names leaves it unchanged.
    fn exchanges(&self, state: &[u64], p: usize, q: usize) -> bool {
        let of_rows = self.rows.of.place(p).is_some();
        let of_columns = self.columns.place(p).is_some();
        let mut aside = 0;
        if of_columns {
            aside = self.mask() << self.shift(p) | self.mask() << self.shift(q);
            let alike = |r: usize| {
                let row = self.unusual(state, r);
                self.cell(row, p) == self.cell(row, q)
            };
            if !self.rows.of.processes().filter(|r| *r != p && *r != q).all(alike) {
                return false;
            }
        }
        if !of_rows {
            return true;
        }
        let (of_p, of_q) = (self.unusual(state, p), self.unusual(state, q));
        let crossed = || self.cell(of_p, p) == self.cell(of_q, q) && self.cell(of_p, q) == self.cell(of_q, p);
        (of_p ^ of_q) & !aside == 0 && (!of_columns || crossed())
    }
}

impl Array {
    /// `code` is the one that most of the cells have.
    fn new(table: &Table, indices: Vec<u8>, fields: &[Field], code: i64) -> Self {
        let mut words: Vec<Word> = Vec::new();
        for (cell, field) in (table.first as u32..).zip(fields) {
            let (at, bits) = (usize::from(field.word), field.mask() << field.shift);
            let known = words.iter().position(|word| word.at == at).unwrap_or_else(|| {
                words.push(Word { at, mask: 0, usual: 0, cells: [0; 64] });
                words.len() - 1
            });
            let word = &mut words[known];
            word.mask |= bits;
            word.usual |= (field.encode(code) & field.mask()) << field.shift;
            word.cells[usize::from(field.shift)..][..usize::from(field.bits)].fill(cell);
        }
        Self { table: table.clone(), indices, words }
    }

    /// Whether each cell with another code than most, of these indices, passes the test.
    fn all_unusual(
        &self,
        packing: &Packing,
        state: &[u64],
        mut test: impl FnMut(usize, &[u8]) -> bool,
    ) -> bool {
        let arity = self.table.ranges.len();
        self.words.iter().all(|word| {
            let mut rest = (state[word.at] ^ word.usual) & word.mask;
            while rest != 0 {
                let cell = word.cells[rest.trailing_zeros() as usize] as usize;
                let field = packing.fields[cell];
                rest &= !(field.mask() << field.shift);
                if !test(cell, &self.indices[(cell - self.table.first) * arity..][..arity]) {
                    return false;
                }
            }
            true
        })
    }
}

impl Moves {
    pub fn new(cells: &Cells, packing: &Packing) -> Self {
        let mut this =
            Self { records: Vec::new(), matrices: Vec::new(), rest: Vec::new(), pointers: Vec::new() };
        for table in &cells.places.tables {
            let first = table.first;
            if table.len() == 0 || packing.fields[first].bits == 0 {
                continue;
            }
            let cell = &cells.cells[first];
            let fields = &packing.fields[first..first + table.len()];
            if cell.kind == CodeKind::Proc {
                this.pointers.extend_from_slice(fields);
            }
            let bits = u32::from(fields[0].bits);
            let usual = if cell.undef { UNDEF } else { 0 };
            let at = |fields: &[Field]| (fields[0].word, fields[0].shift);
            match table.ranges[..] {
                [] => {}
                [of] => this.record(bits, of, fields),
                [of, columns] if fields.chunks(columns.len).all(is_row) => {
                    let rows = Bits {
                        mask: u64::MAX >> (64 - bits * columns.len as u32),
                        of,
                        at: fields.chunks(columns.len).map(at).collect(),
                    };
                    let code = fields[0].encode(usual);
                    let usual = (0..columns.len as u32).fold(0, |row, q| row | code << (q * bits));
                    this.matrices.push(Matrix { first, rows, columns, bits, usual });
                }
                _ => {
                    let cells = &cells.cells[first..first + fields.len()];
                    let indices = cells.iter().flat_map(|cell| cell.index.iter().copied()).collect();
                    this.rest.push(Array::new(table, indices, fields, usual));
                }
            }
        }
        this
    }

    /// Adds an array to a record whose bits end where its own begin, or as one of its own.
    fn record(&mut self, bits: u32, of: Range, fields: &[Field]) {
        let follows = |record: &&mut Bits| {
            let width = u64::BITS - record.mask.leading_zeros();
            let ends = |(at, f): (&(u16, u8), &Field)| {
                (f.word, u32::from(f.shift)) == (at.0, u32::from(at.1) + width)
            };
            record.of == of && record.at.iter().zip(fields).all(ends)
        };
        if let Some(record) = self.records.iter_mut().find(follows) {
            let width = u64::BITS - record.mask.leading_zeros();
            record.mask = u64::MAX >> (64 - width - bits);
        } else {
            let at = fields.iter().map(|f| (f.word, f.shift)).collect();
            self.records.push(Bits { mask: u64::MAX >> (64 - bits), of, at });
        }
    }

    /// Renames the processes of `from`, of which those in `moved` change their names, where `to` has the same contents at
    /// first. Values without names keep theirs. `named` says whether some cell names one of those that move.
    pub fn rename(
        &self,
        perm: &[u8],
        moved: &[u8],
        named: bool,
        packing: &Packing,
        from: &[u64],
        to: &mut [u64],
    ) {
        let renamed = |p: usize| usize::from(perm[p]);
        let moved_in =
            |of: Range| moved.iter().map(|p| usize::from(*p)).filter(move |p| of.place(*p).is_some());
        for record in &self.records {
            for p in moved_in(record.of) {
                record.put(to, renamed(p), record.get(from, p));
            }
        }
        for matrix in &self.matrices {
            let Matrix { rows, columns, .. } = matrix;
            let moving = moved_in(*columns).fold(0, |set, q| set | matrix.mask() << matrix.shift(q));
            for p in rows.of.processes() {
                let row = rows.get(from, p);
                if matrix.unusual(from, p) & moving != 0 {
                    let new = moved_in(*columns)
                        .fold(row & !moving, |new, q| new | matrix.cell(row, q) << matrix.shift(renamed(q)));
                    rows.put(to, renamed(p), new);
                } else if renamed(p) != p {
                    rows.put(to, renamed(p), row);
                }
            }
        }
        for array in &self.rest {
            for word in &array.words {
                to[word.at] = to[word.at] & !word.mask | word.usual;
            }
            array.all_unusual(packing, from, |cell, index| {
                if let Some(new) = array.table.position(index.iter().map(|p| renamed(usize::from(*p)))) {
                    packing.fields[new].put(to, packing.fields[cell].raw(from));
                }
                true
            });
        }
        if !named {
            return;
        }
        for field in &self.pointers {
            let target = field.raw(to) as usize;
            if target < perm.len() && renamed(target) != target {
                field.put(to, u64::from(perm[target]));
            }
        }
    }

    /// Whether exchanging two processes that no cell names leaves the state unchanged.
    pub fn exchanges(&self, packing: &Packing, state: &[u64], p: usize, q: usize) -> bool {
        self.records
            .iter()
            .all(|record| record.of.place(p).is_none() || record.get(state, p) == record.get(state, q))
            && self.matrices.iter().all(|matrix| matrix.exchanges(state, p, q))
            && self.rest.iter().all(|array| {
                array.all_unusual(packing, state, |cell, index| {
                    let index = index.iter().map(|process| exchange(p, q, usize::from(*process)));
                    let new = array.table.position(index);
                    new.is_none_or(|new| packing.fields[new].raw(state) == packing.fields[cell].raw(state))
                })
            })
    }
}

/// Whether these cells follow each other in one word.
fn is_row(fields: &[Field]) -> bool {
    fields.windows(2).all(|w| w[0].word == w[1].word && w[0].shift + w[0].bits == w[1].shift)
}
