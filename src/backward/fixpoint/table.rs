//! Cubes as dense tables: a mask for each cell at each process, full where the cube does not restrict the cell.

use crate::cube::{
    CellKind, Cube, CubeCell, CubeContext, CubeLiteral, Reduced, Relational, is_singleton, less,
};
use cubicle_lang::model::VarId;

/// Where the cells of a cube with a given number of processes stand in a dense table.
#[derive(Debug)]
pub struct Dense {
    procs: usize,
    offsets: Vec<u32>,
    full: Vec<u64>,
}

impl Dense {
    /// The table for cubes of `procs` processes. Slots without masks have a place, never used.
    pub fn new(context: &CubeContext, procs: u8) -> Self {
        let n = usize::from(procs);
        let mut offsets = Vec::with_capacity(context.vars());
        let mut full = Vec::new();
        for v in 0..context.vars() {
            let var = VarId(v as u16);
            offsets.push(full.len() as u32);
            let value = context.full(CubeCell::of(var, []), procs);
            let cells = if value == 0 { 0 } else { n.pow(context.arity(var) as u32) };
            full.resize(full.len() + cells, value);
        }
        Self { procs: n, offsets, full }
    }

    /// The place of a masked cell.
    pub fn at(&self, context: &CubeContext, cell: CubeCell) -> usize {
        let row = context.indices(cell).fold(0, |at, p| at * self.procs + usize::from(p));
        self.offsets[cell.var().0 as usize] as usize + row
    }

    /// The place of `var[q]`, an array of one index.
    pub fn at_process(&self, var: VarId, q: u8) -> usize {
        self.offsets[usize::from(var.0)] as usize + usize::from(q)
    }

    /// A cube as a table: its masks, full where unconstrained.
    pub fn table(&self, context: &CubeContext, cube: &Cube) -> Box<[u64]> {
        let mut masks: Box<[u64]> = self.full.as_slice().into();
        for &(cell, mask) in &cube.masks {
            masks[self.at(context, cell)] = mask;
        }
        masks
    }

    /// The cell at each place.
    pub fn cells(&self, context: &CubeContext) -> Vec<CubeCell> {
        let mut out = Vec::with_capacity(self.full.len());
        for v in 0..context.vars() {
            let var = VarId(v as u16);
            let end = self.offsets.get(v + 1).map_or(self.full.len(), |&o| o as usize);
            let arity = context.arity(var) as u32;
            for row in 0..end - self.offsets[v] as usize {
                let index = (0..arity).map(|k| (row / self.procs.pow(arity - 1 - k) % self.procs) as u8);
                out.push(CubeCell::of(var, index));
            }
        }
        out
    }
}

/// The layouts in use, by number of processes, with the cell at each place.
#[derive(Debug, Default)]
pub struct Tables(Vec<Option<(Dense, Vec<CubeCell>)>>);

impl Tables {
    /// The layout for cubes of `procs` processes, made unless it is there.
    pub fn prepare(&mut self, context: &CubeContext, procs: u8) -> &Dense {
        let at = usize::from(procs);
        if self.0.len() <= at {
            self.0.resize_with(at + 1, || None);
        }
        let (dense, _) = self.0[at].get_or_insert_with(|| {
            let dense = Dense::new(context, procs);
            let cells = dense.cells(context);
            (dense, cells)
        });
        dense
    }

    /// The layout for cubes of `procs` processes, and the cell at each place.
    pub fn layout(&self, procs: u8) -> &(Dense, Vec<CubeCell>) {
        self.0[usize::from(procs)].as_ref().expect("prepared for this number of processes")
    }
}

/// The cube under test as a dense table.
#[derive(Debug)]
pub struct Tested<'a> {
    pub cube: &'a Cube,
    /// Its table layout.
    pub dense: &'a Dense,
    /// Its table, by that layout.
    pub masks: &'a [u64],
}

impl Tested<'_> {
    pub fn mask(&self, context: &CubeContext, cell: CubeCell) -> u64 {
        match cell.as_process() {
            Some(p) => 1 << p,
            None => self.masks[self.dense.at(context, cell)],
        }
    }

    /// The features of the enum values that no cell of their variable can hold.
    pub fn impossible(&self, context: &CubeContext) -> u128 {
        let mut possible = 0;
        let mut all = 0;
        for v in 0..context.vars() {
            let var = VarId(v as u16);
            if let CellKind::Enum(range) = context.kind(CubeCell::of(var, [])) {
                let first = self.dense.offsets[v] as usize;
                let cells = self.dense.procs.pow(context.arity(var) as u32);
                let held = self.masks[first..first + cells].iter().fold(0, |all, m| all | m);
                all |= context.features(var, range);
                possible |= context.features(var, held);
            }
        }
        all & !possible
    }

    /// Whether the masks and the literals of the cube imply or exclude a relational literal.
    pub fn settle(&self, context: &CubeContext, relational: &Relational) -> Cover {
        let masked = |s: CubeCell| matches!(context.kind(s), CellKind::Enum(_) | CellKind::Proc);
        match *relational {
            Relational::Eq(a, b) | Relational::Ne(a, b) if masked(a) => {
                let (x, y) = (self.mask(context, a), self.mask(context, b));
                let equal = matches!(relational, Relational::Eq(..));
                if x & y == 0 {
                    return if equal { Cover::Never } else { Cover::Always };
                }
                if x == y && is_singleton(context.kind(a), x) {
                    return if equal { Cover::Always } else { Cover::Never };
                }
            }
            Relational::Lt(a, b) | Relational::Le(a, b) => {
                let resolve = |s: CubeCell| {
                    let m = self.mask(context, s);
                    if is_singleton(CellKind::Proc, m) {
                        CubeCell::process(m.trailing_zeros() as u8)
                    } else {
                        s
                    }
                };
                let strict = matches!(relational, Relational::Lt(..))
                    || self.mask(context, a) & self.mask(context, b) == 0;
                return match less(context, resolve(a), resolve(b), strict) {
                    Reduced::True => Cover::Always,
                    Reduced::False => Cover::Never,
                    Reduced::Literal(CubeLiteral::Relational(s)) => self.among_relational(&s),
                    Reduced::Literal(CubeLiteral::Mask(..)) => unreachable!("orders are not masks"),
                };
            }
            _ => {}
        }
        self.among_relational(relational)
    }

    fn among_relational(&self, relational: &Relational) -> Cover {
        for s in &self.cube.relational {
            if s.implies(relational) {
                return Cover::Always;
            }
            if s.excludes(relational) {
                return Cover::Never;
            }
        }
        Cover::Open
    }
}

pub enum Cover {
    Always,
    Never,
    Open,
}
