//! What the cells of a state tell about each process, kept up to date from one state to the next.
//!
//! A step changes few of the many cells, and the states that a search looks at one after the other mostly come from one
//! state by one step each. What is known of a process is a sum over cells, so only cells that differ from those of the state
//! before are looked at.

use std::sync::Arc;

use crate::ground::{Range, places};
use crate::state::{Cells, CodeKind, Packing, UNDEF};
use crate::symmetry::moves::Moves;
use crate::symmetry::refinement::mix;
use cubicle_lang::model::classes::Distinctness;

/// What a pointer says, besides the process that it names.
const ITSELF: u64 = 1 << 32;
const ANOTHER: u64 = 2 << 32;
const NAMELESS: u64 = 3 << 32;
const POINTED_AT: u64 = 4 << 32;
const FIXED: u64 = 5 << 32;
const NAMED: u64 = 6 << 32;

/// The cells of an instance, as renaming sees them.
#[derive(Debug)]
pub struct Shape {
    pub procs: usize,
    /// Processes below this number keep their places.
    fixed: usize,
    pub tables: Vec<Table>,
    cells: Vec<Place>,
    /// Of each cell with more than two indices: these, each with what the place that it has among them adds to what the cell says.
    many: Vec<Box<[(u8, u64)]>>,
    pub moves: Moves,
    /// For each bit of a packed state, the cell that has it.
    cell_at: Vec<u32>,
    /// Whether some array has more than two indices.
    pub wide: bool,
}

/// The cells of a variable.
#[derive(Clone, Debug)]
pub struct Table {
    pub cells: places::Table,
    pub pointers: bool,
    /// Codes from here on are values without names.
    base: i64,
    /// Whether a renaming may renumber these.
    renumbers: bool,
    /// The code that most cells have: those that have it need not be told of.
    usual: i64,
    salt: u64,
    /// Its place among [`Moves::matrices`].
    matrix: Option<usize>,
}

impl Table {
    /// The cell of a process that its index may be.
    #[inline]
    pub fn alone(&self, p: usize) -> usize {
        self.cells.first + p - self.cells.ranges[0].from
    }

    /// The cell of two processes that its indices may be.
    #[inline]
    pub fn pair(&self, p: usize, q: usize) -> usize {
        let [rows, columns] = [self.cells.ranges[0], self.cells.ranges[1]];
        self.cells.first + (p - rows.from) * columns.len + q - columns.from
    }
}

/// Where a cell is.
#[derive(Clone, Copy, Debug)]
struct Place {
    table: u16,
    tells: Tells,
    /// The processes that it is about.
    p: u8,
    q: u8,
}

/// About what a cell tells something.
#[derive(Clone, Copy, Debug)]
enum Tells {
    Nothing,
    /// The process that it names.
    Named,
    /// One process, and the one that it names.
    Alone,
    /// Two processes, and the one that it names.
    Pair,
    /// More than two processes, and the one that it names.
    Many,
}

impl Shape {
    /// For an instance of which the first processes keep their places.
    pub fn new(fixed: usize, cells: &Cells, packing: &Packing) -> Self {
        let mut tables: Vec<Table> = Vec::new();
        let mut places = Vec::with_capacity(cells.len());
        let mut many = Vec::with_capacity(cells.len());
        let mut cell_at = vec![0; 64 * packing.words];
        let moves = Moves::new(cells, packing);
        for (at, (cell, field)) in cells.cells.iter().zip(&packing.fields).enumerate() {
            if at == 0 || cells.cells[at - 1].var != cell.var {
                let nameless = matches!(cell.kind, CodeKind::Proc | CodeKind::Abstract);
                let class = &cells.classes[cell.class];
                tables.push(Table {
                    cells: cells.places.of(cell.var).clone(),
                    pointers: cell.kind == CodeKind::Proc,
                    base: if nameless { class.base } else { i64::MAX },
                    renumbers: nameless
                        && class.nameless > 0
                        && matches!(class.names, Distinctness::Partition | Distinctness::Ordered),
                    usual: if cell.undef { UNDEF } else { 0 },
                    salt: mix(u64::from(cell.var.0), 1),
                    matrix: moves.matrices.iter().position(|matrix| matrix.first == at),
                });
            }
            let (tells, p, q) = match cell.index.as_slice() {
                [] if cell.kind == CodeKind::Proc => (Tells::Named, 0, 0),
                [p] => (Tells::Alone, *p, *p),
                [p, q] if p == q => (Tells::Alone, *p, *p),
                [p, q] => (Tells::Pair, *p, *q),
                [] => (Tells::Nothing, 0, 0),
                _ => (Tells::Many, 0, 0),
            };
            many.push(if let Tells::Many = tells { with_places(&cell.index) } else { Box::default() });
            places.push(Place { table: tables.len() as u16 - 1, tells, p, q });
            let bit = 64 * usize::from(field.word) + usize::from(field.shift);
            cell_at[bit..bit + usize::from(field.bits)].fill(at as u32);
        }
        let wide = tables.iter().any(|table| table.cells.ranges.len() > 2);
        Self { procs: cells.procs, fixed, tables, cells: places, many, moves, cell_at, wide }
    }

    #[inline]
    fn process(&self, code: i64) -> Option<usize> {
        (code != UNDEF && code < self.procs as i64).then_some(code as usize)
    }

    /// Adds `times` what a cell tells to what is known of its processes and of the one that it names.
    #[inline]
    fn tell(&self, table: &Table, p: usize, q: usize, code: i64, times: u64, known: &mut [u64]) {
        let mut add = |p: usize, told: u64| known[p] = known[p].wrapping_add(told.wrapping_mul(times));
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
            add(target, mix(table.salt, POINTED_AT + said));
        } else if code != UNDEF && code >= table.base {
            said = NAMELESS;
        }
        let said = mix(table.salt, said);
        add(p, said);
        if p != q {
            add(q, said.rotate_left(32).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        }
    }

    /// Adds `times` what a cell with more than two indices tells to what is known of its processes and of the one that it names.
    fn tell_many(&self, table: &Table, cell: usize, code: i64, times: u64, known: &mut [u64]) {
        let mut add = |p: usize, told: u64| known[p] = known[p].wrapping_add(told.wrapping_mul(times));
        let target = if table.pointers { self.process(code) } else { None };
        for (p, place) in &self.many[cell] {
            let p = usize::from(*p);
            let said = match target {
                Some(target) if target == p => ITSELF,
                Some(target) if target < self.fixed => FIXED + target as u64,
                Some(_) => ANOTHER,
                None if code != UNDEF && code >= table.base => NAMELESS,
                None => code.cast_unsigned(),
            };
            add(p, mix(table.salt, mix(said, *place)));
            if let Some(target) = target {
                add(target, mix(table.salt, mix(POINTED_AT, *place)));
            }
        }
    }

    /// What the cells of a process tell about how processes of these colours are related to it.
    pub fn related(&self, packing: &Packing, state: &[u64], p: usize, colours: &[u64]) -> u64 {
        let mut told = 0u64;
        let mut tell =
            |salt: u64, said: u64, colour: u64| told = told.wrapping_add(mix(mix(salt, said), colour));
        for table in &self.tables {
            let code = |cell: usize| packing.fields[cell].get(state);
            let names = |code: i64| if table.pointers { self.process(code) } else { None };
            let others = |range: Range| range.processes().filter(|r| *r != p);
            match table.cells.ranges[..] {
                [of] if table.base < i64::MAX => {
                    let own = of.place(p).map(|place| code(table.cells.first + place));
                    if let Some(target) = own.and_then(names).filter(|target| *target != p) {
                        tell(table.salt, NAMED, colours[target]);
                    }
                    for r in others(of) {
                        let other = code(table.alone(r));
                        if names(other) == Some(p) {
                            tell(table.salt, POINTED_AT, colours[r]);
                        }
                        if other >= table.base && own == Some(other) {
                            tell(table.salt, NAMELESS, colours[r]);
                        }
                    }
                }
                [rows, columns] => {
                    let said = |code: i64, r: usize| match names(code) {
                        Some(target) if target == p => ITSELF,
                        Some(target) if target == r => ITSELF + 1,
                        Some(target) => colours[target],
                        None if code >= table.base => NAMELESS,
                        None => code.cast_unsigned(),
                    };
                    let matrix = table.matrix.filter(|_| !table.pointers).map(|at| &self.moves.matrices[at]);
                    let row = |of: usize| matrix.map(|matrix| matrix.unusual(state, of));
                    let unusual = |of: usize, row: Option<u64>, at: usize| match (matrix, row) {
                        (Some(matrix), Some(row)) => matrix.cell(row, at) != 0,
                        _ => table.pointers || code(table.pair(of, at)) != table.usual,
                    };
                    if rows.place(p).is_some() {
                        let own = row(p);
                        for r in others(columns).filter(|r| unusual(p, own, *r)) {
                            tell(table.salt, said(code(table.pair(p, r)), r), colours[r]);
                        }
                    }
                    if columns.place(p).is_some() {
                        for r in others(rows).filter(|r| unusual(*r, row(*r), p)) {
                            tell(!table.salt, said(code(table.pair(r, p)), r), colours[r]);
                        }
                    }
                    for r in rows.processes().filter(|_| table.pointers) {
                        for q in columns.processes().filter(|q| names(code(table.pair(r, *q))) == Some(p)) {
                            tell(table.salt, mix(POINTED_AT, colours[r]), colours[q]);
                        }
                    }
                }
                _ => {}
            }
        }
        told
    }
}

/// What the cells of the state that was looked at last tell.
#[derive(Default)]
pub struct Hints {
    shape: Option<Arc<Shape>>,
    state: Vec<u64>,
    /// For each process, what cells tell that are about it alone...
    pub alone: Vec<u64>,
    /// ...those about it and another one...
    pub pairs: Vec<u64>,
    /// ...and how many cells name it.
    pub named: Vec<u32>,
    /// Cells with values without names...
    pub nameless: u32,
    /// ...and those that a renaming may renumber.
    pub unnamed: u32,
}

impl Hints {
    pub fn follow(&mut self, shape: &Arc<Shape>, packing: &Packing, state: &[u64]) {
        if !self.are_of(shape) {
            self.begin(shape, packing, state);
            return;
        }
        for (w, &word) in state.iter().enumerate() {
            let before = self.state[w];
            let mut rest = word ^ before;
            if rest == 0 {
                continue;
            }
            while rest != 0 {
                let cell = shape.cell_at[64 * w + rest.trailing_zeros() as usize] as usize;
                let field = packing.fields[cell];
                rest &= !(field.mask() << field.shift);
                self.count(shape, cell, field.get(&self.state), u64::MAX);
                self.count(shape, cell, field.get(state), 1);
            }
            self.state[w] = word;
        }
    }

    /// Like [`follow`](Self::follow), from the state of `other` where that differs less.
    pub fn follow_nearest(&mut self, other: &Self, shape: &Arc<Shape>, packing: &Packing, state: &[u64]) {
        let bits = |known: &[u64]| known.iter().zip(state).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
        if other.are_of(shape) && !(self.are_of(shape) && bits(&self.state) <= bits(&other.state)) {
            self.shape.clone_from(&other.shape);
            self.state.clone_from(&other.state);
            self.alone.clone_from(&other.alone);
            self.pairs.clone_from(&other.pairs);
            self.named.clone_from(&other.named);
            (self.nameless, self.unnamed) = (other.nameless, other.unnamed);
        }
        self.follow(shape, packing, state);
    }

    /// Whether some cell names one of these processes.
    pub fn name(&self, processes: &[u8]) -> bool {
        processes.iter().any(|p| self.named[usize::from(*p)] > 0)
    }

    fn are_of(&self, shape: &Arc<Shape>) -> bool {
        self.shape.as_ref().is_some_and(|known| Arc::ptr_eq(known, shape))
    }

    fn begin(&mut self, shape: &Arc<Shape>, packing: &Packing, state: &[u64]) {
        self.state = state.to_vec();
        self.alone = vec![0; shape.procs];
        self.pairs = vec![0; shape.procs];
        self.named = vec![0; shape.procs];
        (self.nameless, self.unnamed) = (0, 0);
        for (cell, field) in packing.fields.iter().enumerate() {
            self.count(shape, cell, field.get(state), 1);
        }
        self.shape = Some(Arc::clone(shape));
    }

    /// Counts `times` what a cell tells with this code.
    #[inline]
    fn count(&mut self, shape: &Shape, cell: usize, code: i64, times: u64) {
        let Place { table, tells, p, q } = shape.cells[cell];
        let table = &shape.tables[usize::from(table)];
        let (p, q) = (usize::from(p), usize::from(q));
        if table.pointers
            && let Some(target) = shape.process(code)
        {
            self.named[target] = self.named[target].wrapping_add(times as u32);
            if let Tells::Named = tells {
                let told = mix(table.salt, POINTED_AT).wrapping_mul(times);
                self.alone[target] = self.alone[target].wrapping_add(told);
            }
        }
        match tells {
            Tells::Nothing | Tells::Named => {}
            Tells::Alone => shape.tell(table, p, q, code, times, &mut self.alone),
            Tells::Pair => shape.tell(table, p, q, code, times, &mut self.pairs),
            Tells::Many => shape.tell_many(table, cell, code, times, &mut self.pairs),
        }
        if code >= table.base {
            self.nameless = self.nameless.wrapping_add(times as u32);
            if table.renumbers {
                self.unnamed = self.unnamed.wrapping_add(times as u32);
            }
        }
    }
}

/// Indices, each with what tells its place among them: the number of that place, and which other ones have the same process.
fn with_places(index: &[u8]) -> Box<[(u8, u64)]> {
    let place = |(at, p): (usize, &u8)| {
        let same = index.iter().enumerate().filter(|(_, q)| *q == p);
        (*p, mix(at as u64, same.fold(0, |set, (other, _)| set | 1 << other)))
    };
    index.iter().enumerate().map(place).collect()
}
