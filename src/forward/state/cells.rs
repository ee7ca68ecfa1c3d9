//! The cells of an instance and the codes of their values, unpacked.
//!
//! A state is a slice with one `i64` for each cell. A finite cell holds a *code*:
//!
//! * enum: rank of the constructor among those that the cell's class can hold;
//! * proc: `0..k` for the processes, then the codes of outside values;
//! * abstract: the codes of nameless values, from 0;
//! * number: the number itself, times [`Cells::scale`] for reals;
//!
//! or `UNDEF`: any value of its domain, not chosen yet because no step has read it.
//!
//! The cells of counts follow from the others. They are not stored: their code is always 0, and means nothing.

use smallvec::SmallVec;

use crate::error::Unbuildable;
use crate::ground::{GroundCount, InitDisjunct, Lit, Places};
use cubicle_lang::model::classes::{Classes, Distinctness};
use cubicle_lang::model::semantics::{PROC_STRIDE, Point, Value};
use cubicle_lang::model::{Rational, System, Term, Transition, Type, VarId};

/// Codes of one finite cell are below this.
pub const MAX_CODES: usize = 120;

/// The kind of values that the codes of a cell stand for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CodeKind {
    /// Constructors.
    Enum,
    /// Processes and outside values.
    Proc,
    /// Nameless values.
    Abstract,
    Int,
    /// Reals, scaled.
    Real,
}

#[derive(Clone, Debug)]
pub struct CellShape {
    pub var: VarId,
    pub index: SmallVec<[u8; 2]>,
    pub kind: CodeKind,
    pub class: usize,
    /// Number of codes of a finite cell.
    pub codes: usize,
    pub undef: bool,
    /// The codes of a finite cell that `UNDEF` stands for, outside values among them.
    pub open: u128,
    /// For a cell of a count: the cells that its value follows from.
    pub counts: Option<Box<[usize]>>,
}

#[derive(Clone, Debug)]
pub struct Class {
    pub names: Distinctness,
    /// Constructors in order of their codes, for enum classes.
    pub constructors: Vec<u8>,
    pub cells: Vec<usize>,
    /// First code of a nameless value: the number of processes, or 0 for abstract types.
    pub base: i64,
    /// Number of codes of nameless values.
    pub nameless: usize,
    /// For [`Distinctness::Ordered`]: codes for each gap.
    pub per_gap: i64,
}

#[derive(Clone, Debug)]
#[expect(clippy::struct_field_names, reason = "cells are what it has")]
pub struct Cells {
    pub procs: usize,
    pub places: Places,
    pub cells: Vec<CellShape>,
    pub classes: Vec<Class>,
    /// Factor by which reals are stored.
    pub scale: i64,
    /// Numbers that stand for all when an undefined number is read (scaled by use).
    pub samples: Vec<Rational>,
    /// Whether a proc cell that is undefined may turn out to hold an outside value.
    pub outside: bool,
}

impl Cells {
    /// Lays out the codes. `counts` are the cells of counts; `undefined` says whether finite cells may stay undefined.
    pub fn new(
        system: &System,
        places: Places,
        disjuncts: &[InitDisjunct],
        full: &[u128],
        counts: &[GroundCount],
        undefined: bool,
    ) -> Result<Self, Unbuildable> {
        let procs = places.procs;
        let Classes { of, names } = Classes::new(system);
        let class = |names| {
            let (constructors, cells) = (Vec::new(), Vec::new());
            Class { names, constructors, cells, base: 0, nameless: 0, per_gap: 1 }
        };
        let mut classes: Vec<Class> = names.into_iter().map(class).collect();
        let mut cells = Vec::with_capacity(places.len());
        for (v, var) in system.vars.iter().enumerate() {
            let kind = match var.ty {
                Type::Enum(_) => CodeKind::Enum,
                Type::Proc => CodeKind::Proc,
                Type::Abstract(_) => CodeKind::Abstract,
                Type::Int => CodeKind::Int,
                Type::Real => CodeKind::Real,
            };
            for index in places.tables[v].tuples() {
                let (var, class) = (VarId(v as u16), of[v]);
                classes[class].cells.push(cells.len());
                let index = index.into_iter().map(|i| i as u8).collect();
                cells.push(CellShape {
                    var,
                    index,
                    kind,
                    class,
                    codes: 0,
                    undef: false,
                    open: 0,
                    counts: None,
                });
            }
        }
        for count in counts {
            cells[count.cell].counts = Some(count.reads().into());
        }
        let mut this = Self { procs, places, cells, classes, scale: 1, samples: Vec::new(), outside: true };
        this.nameless_codes(system)?;
        this.constructor_codes(system, &of, disjuncts);
        for (cell, values) in full.iter().enumerate() {
            let is_proc = this.cells[cell].kind == CodeKind::Proc;
            this.cells[cell].open = if is_proc { this.codes_of(cell, *values) } else { this.all_codes(cell) };
        }
        this.undefined_cells(system, disjuncts, full, undefined);
        (this.scale, this.samples) = crate::state::numbers::scale_and_samples(system)?;
        Ok(this)
    }

    fn nameless_codes(&mut self, system: &System) -> Result<(), Unbuildable> {
        let procs = self.procs;
        for (v, var) in system.vars.iter().enumerate() {
            let Some(cell) = self.cells.iter().find(|c| usize::from(c.var.0) == v) else { continue };
            let class = &mut self.classes[cell.class];
            class.base = match var.ty {
                Type::Proc => procs as i64,
                Type::Abstract(_) => 0,
                _ => continue,
            };
            let n = class.cells.len();
            (class.nameless, class.per_gap) = match class.names {
                Distinctness::Single => (1, 1),
                Distinctness::Partition => (n, 1),
                Distinctness::Gaps => (procs + 1, 1),
                Distinctness::Ordered => ((procs + 1) * n, n as i64),
            };
        }
        for cell in &mut self.cells {
            let class = &self.classes[cell.class];
            if matches!(cell.kind, CodeKind::Proc | CodeKind::Abstract) {
                cell.codes = class.base as usize + class.nameless;
            }
            if cell.codes > MAX_CODES {
                return Err(Unbuildable::TooLarge);
            }
        }
        Ok(())
    }

    /// The constructors of a class: those that initial states allow and transitions assign.
    fn constructor_codes(&mut self, system: &System, of: &[usize], disjuncts: &[InitDisjunct]) {
        let mut sets = vec![0u128; self.classes.len()];
        for disjunct in disjuncts {
            for (cell, set) in self.cells.iter().zip(&disjunct.sets) {
                if cell.kind == CodeKind::Enum {
                    sets[cell.class] |= set;
                }
            }
        }
        for (var, value) in system.transitions.iter().flat_map(Transition::values) {
            if let Term::Constructor(c) = value {
                sets[of[usize::from(var.0)]] |= 1 << c;
            }
        }
        for var in system.transitions.iter().flat_map(Transition::open) {
            if let Type::Enum(e) = system.var(var).ty {
                sets[of[usize::from(var.0)]] |= u128::from(system.enumeration(e).all());
            }
        }
        for (class, set) in self.classes.iter_mut().zip(&sets) {
            class.constructors = (0..64).filter(|c| set >> c & 1 == 1).collect();
        }
        for cell in &mut self.cells {
            if cell.kind == CodeKind::Enum {
                cell.codes = self.classes[cell.class].constructors.len();
            }
        }
    }

    /// The variables that can be undefined.
    fn undefined_cells(
        &mut self,
        system: &System,
        disjuncts: &[InitDisjunct],
        full: &[u128],
        undefined: bool,
    ) {
        let mut vars = vec![false; system.vars.len()];
        for disjunct in disjuncts {
            for c in self.free_cells(disjunct, full, undefined) {
                vars[usize::from(self.cells[c].var.0)] = true;
            }
        }
        for var in system.transitions.iter().flat_map(Transition::open) {
            vars[usize::from(var.0)] |= undefined || system.var(var).ty.is_numeric();
        }
        for cell in &mut self.cells {
            cell.undef = vars[usize::from(cell.var.0)];
        }
    }

    pub fn let_undefined(&mut self, open: impl Iterator<Item = usize>) {
        let vars: Vec<VarId> = open.map(|c| self.cells[c].var).collect();
        self.cells.iter_mut().for_each(|cell| cell.undef |= vars.contains(&cell.var));
    }

    /// The cells that stay undefined in the initial states of `disjunct`.
    pub fn free_cells(&self, disjunct: &InitDisjunct, full: &[u128], undefined: bool) -> Vec<usize> {
        let mut related = vec![false; self.cells.len()];
        for lit in &disjunct.rest {
            self.read(lit, |c| related[c] = true);
        }
        (0..self.cells.len())
            .filter(|&c| {
                let cell = &self.cells[c];
                !related[c]
                    && cell.counts.is_none()
                    && match cell.kind {
                        CodeKind::Int | CodeKind::Real => true,
                        CodeKind::Enum | CodeKind::Proc => {
                            undefined && disjunct.sets[c] == full[c] && cell.codes > 1
                        }
                        CodeKind::Abstract => undefined && cell.codes > 1,
                    }
            })
            .collect()
    }

    /// Calls `f` on every stored cell that a literal reads, itself or through a count.
    pub fn read(&self, lit: &Lit, mut f: impl FnMut(usize)) {
        lit.cells(|c| match &self.cells[c].counts {
            None => f(c),
            Some(counted) => counted.iter().copied().for_each(&mut f),
        });
    }

    pub fn len(&self) -> usize {
        self.cells.len()
    }

    pub fn all_codes(&self, cell: usize) -> u128 {
        (1u128 << self.cells[cell].codes) - 1
    }

    /// The codes that a finite cell stands for when it is undefined.
    pub fn open_codes(&self, cell: usize) -> u128 {
        if self.outside { self.cells[cell].open } else { self.inside_codes(cell) }
    }

    /// The first of them; 0 for a number.
    pub fn first_open_code(&self, cell: usize) -> i64 {
        let CellShape { codes, open, .. } = self.cells[cell];
        if codes == 0 { 0 } else { i64::from(open.trailing_zeros()) }
    }

    /// The same codes without outside values, if any others are left.
    pub fn inside_codes(&self, cell: usize) -> u128 {
        let CellShape { kind, open, .. } = self.cells[cell];
        let inside = if kind == CodeKind::Proc { open & self.processes() } else { open };
        if inside == 0 { open } else { inside }
    }

    pub const fn processes(&self) -> u128 {
        (1 << self.procs) - 1
    }

    /// The codes that a set of values (as in [`crate::ground::formula::Lit::In`]) stands for.
    pub fn codes_of(&self, cell: usize, values: u128) -> u128 {
        let info = &self.cells[cell];
        let class = &self.classes[info.class];
        match info.kind {
            CodeKind::Enum => class
                .constructors
                .iter()
                .enumerate()
                .filter(|(_, c)| values >> **c & 1 == 1)
                .fold(0, |set, (rank, _)| set | 1 << rank),
            CodeKind::Proc => {
                let outside = if values >> self.procs & 1 == 1 { self.all_codes(cell) } else { 0 };
                values & self.processes() | outside & !self.processes()
            }
            CodeKind::Abstract | CodeKind::Int | CodeKind::Real => {
                unreachable!("value sets are of enum or proc type")
            }
        }
    }

    /// The code of a constructor, which must be one that the cell can hold.
    pub fn constructor_code(&self, cell: usize, constructor: u8) -> i64 {
        self.classes[self.cells[cell].class]
            .constructors
            .binary_search(&constructor)
            .expect("a class holds every constructor assigned to it") as i64
    }

    /// The place of a proc code in the process order, among codes of one class: processes at odd
    /// positions, gaps at even ones, then the rank within the gap.
    pub fn place(&self, cell: usize, code: i64) -> (i64, i64) {
        let class = &self.classes[self.cells[cell].class];
        let outside = code - class.base;
        if outside < 0 { (2 * code + 1, 0) } else { (2 * (outside / class.per_gap), outside % class.per_gap) }
    }

    /// Lets undefined numbers stand for the integers of a small range.
    pub fn sample_range(&mut self, low: i64, high: i64) {
        if low <= high && low.abs_diff(high) < 1000 {
            self.samples = (low..=high).map(Rational::integer).collect();
        } else {
            self.samples.retain(|n| Rational::integer(low) <= *n && *n <= Rational::integer(high));
        }
    }

    /// A number as stored in cells of this kind; `None` when it is not a multiple of `1 / scale` or leaves
    /// the range.
    pub fn scaled(&self, kind: CodeKind, n: Rational) -> Option<i64> {
        let factor = if kind == CodeKind::Real { self.scale } else { 1 };
        let n = n.mul(Rational::integer(factor))?;
        n.is_integer().then_some(n.num())
    }

    /// The concrete value of a code. Nameless values get the name `name`, or one from the code.
    pub fn value(&self, cell: usize, code: i64, name: Option<i64>) -> Value {
        let info = &self.cells[cell];
        let class = &self.classes[info.class];
        match info.kind {
            CodeKind::Enum => Value::Constructor(class.constructors[code as usize]),
            CodeKind::Abstract => Value::Abstract(name.unwrap_or(code) as u32),
            CodeKind::Int => Value::Number(Rational::integer(code)),
            CodeKind::Real => Value::Number(
                Rational::new(i128::from(code), i128::from(self.scale)).expect("a reduced 64-bit fraction"),
            ),
            CodeKind::Proc if code < class.base => Value::Proc(Point::process(code as usize)),
            CodeKind::Proc => {
                let gap = match class.names {
                    Distinctness::Gaps | Distinctness::Ordered => (code - class.base) / class.per_gap,
                    Distinctness::Single | Distinctness::Partition => self.procs as i64,
                };
                let name = name.unwrap_or(code);
                Value::Proc(Point((gap - 1) * PROC_STRIDE + 1 + name))
            }
        }
    }
}
