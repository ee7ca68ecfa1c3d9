//! Cubes as dense tables: a mask for each cell at each process, full where nothing is said.

use crate::backward::cube::{Cube, Ground, Kind, Reduced, Shape, Side, Slot, is_singleton, less};
use crate::model::VarId;

/// Where the slots of a cube with a given number of processes stand in a dense table.
#[derive(Debug)]
pub struct Dense {
    procs: usize,
    offsets: Vec<u32>,
    full: Vec<u64>,
}

impl Dense {
    /// The table for cubes of `procs` processes. Slots without masks have a place, never used.
    pub fn new(shape: &Shape, procs: u8) -> Self {
        let n = usize::from(procs);
        let mut offsets = Vec::with_capacity(shape.vars());
        let mut full = Vec::new();
        for v in 0..shape.vars() {
            let var = VarId(v as u16);
            offsets.push(full.len() as u32);
            let value = shape.full(Slot::cell(var, []), procs);
            let cells = if value == 0 { 0 } else { n.pow(shape.arity(var) as u32) };
            full.resize(full.len() + cells, value);
        }
        Self { procs: n, offsets, full }
    }

    /// The place of a masked slot.
    pub fn at(&self, shape: &Shape, slot: Slot) -> usize {
        let row = shape.indices(slot).fold(0, |at, p| at * self.procs + usize::from(p));
        self.offsets[slot.var().0 as usize] as usize + row
    }

    /// The place of `var[q]`, an array of one index.
    pub fn at_process(&self, var: VarId, q: u8) -> usize {
        self.offsets[usize::from(var.0)] as usize + usize::from(q)
    }

    /// A cube as a table: its masks, full where unconstrained.
    pub fn table(&self, shape: &Shape, cube: &Cube) -> Box<[u64]> {
        let mut masks: Box<[u64]> = self.full.as_slice().into();
        for &(slot, mask) in &cube.masks {
            masks[self.at(shape, slot)] = mask;
        }
        masks
    }

    /// The slot at each place.
    pub fn slots(&self, shape: &Shape) -> Vec<Slot> {
        let mut out = Vec::with_capacity(self.full.len());
        for v in 0..shape.vars() {
            let var = VarId(v as u16);
            let end = self.offsets.get(v + 1).map_or(self.full.len(), |&o| o as usize);
            let arity = shape.arity(var) as u32;
            for row in 0..end - self.offsets[v] as usize {
                let index = (0..arity).map(|k| (row / self.procs.pow(arity - 1 - k) % self.procs) as u8);
                out.push(Slot::cell(var, index));
            }
        }
        out
    }
}

/// The layouts in use, by number of processes, with the cell at each place.
#[derive(Debug, Default)]
pub struct Tables(Vec<Option<(Dense, Vec<Slot>)>>);

impl Tables {
    /// Makes the layout for cubes of `procs` processes, unless it is there.
    pub fn prepare(&mut self, shape: &Shape, procs: u8) {
        let at = usize::from(procs);
        if self.0.len() <= at {
            self.0.resize_with(at + 1, || None);
        }
        self.0[at].get_or_insert_with(|| {
            let dense = Dense::new(shape, procs);
            let slots = dense.slots(shape);
            (dense, slots)
        });
    }

    /// The layout for cubes of `procs` processes, and the cell at each place.
    pub fn layout(&self, procs: u8) -> &(Dense, Vec<Slot>) {
        self.0[usize::from(procs)].as_ref().expect("prepared for this number of processes")
    }
}

/// The cube under test as a dense table.
#[derive(Debug)]
pub struct View<'a> {
    /// The cube.
    pub cube: &'a Cube,
    /// Its table layout.
    pub dense: &'a Dense,
    /// Its table, by that layout.
    pub masks: &'a [u64],
}

impl View<'_> {
    pub fn mask(&self, shape: &Shape, slot: Slot) -> u64 {
        match slot.as_process() {
            Some(p) => 1 << p,
            None => self.masks[self.dense.at(shape, slot)],
        }
    }

    /// The features of the enum values that no slot of their variable can hold.
    pub fn impossible(&self, shape: &Shape) -> u128 {
        let mut possible = 0;
        let mut all = 0;
        for v in 0..shape.vars() {
            let var = VarId(v as u16);
            if let Kind::Enum(range) = shape.kind(Slot::cell(var, [])) {
                let first = self.dense.offsets[v] as usize;
                let cells = self.dense.procs.pow(shape.arity(var) as u32);
                let held = self.masks[first..first + cells].iter().fold(0, |all, m| all | m);
                all |= shape.features(var, range);
                possible |= shape.features(var, held);
            }
        }
        all & !possible
    }

    /// What the masks and the literals of the cube say about a side literal.
    pub fn settle(&self, shape: &Shape, side: &Side) -> Known {
        let masked = |s: Slot| matches!(shape.kind(s), Kind::Enum(_) | Kind::Proc);
        match *side {
            Side::Eq(a, b) | Side::Ne(a, b) if masked(a) => {
                let (x, y) = (self.mask(shape, a), self.mask(shape, b));
                let equal = matches!(side, Side::Eq(..));
                if x & y == 0 {
                    return if equal { Known::Never } else { Known::Always };
                }
                if x == y && is_singleton(shape.kind(a), x) {
                    return if equal { Known::Always } else { Known::Never };
                }
            }
            Side::Lt(a, b) | Side::Le(a, b) => {
                let resolve = |s: Slot| {
                    let m = self.mask(shape, s);
                    if is_singleton(Kind::Proc, m) { Slot::process(m.trailing_zeros() as u8) } else { s }
                };
                let strict = matches!(side, Side::Lt(..)) || self.mask(shape, a) & self.mask(shape, b) == 0;
                return match less(shape, resolve(a), resolve(b), strict) {
                    Reduced::True => Known::Always,
                    Reduced::False => Known::Never,
                    Reduced::Literal(Ground::Side(s)) => self.among_sides(&s),
                    Reduced::Literal(Ground::Mask(..)) => unreachable!("orders are no masks"),
                };
            }
            _ => {}
        }
        self.among_sides(side)
    }

    fn among_sides(&self, side: &Side) -> Known {
        for s in &self.cube.sides {
            if s.implies(side) {
                return Known::Always;
            }
            if s.excludes(side) {
                return Known::Never;
            }
        }
        Known::Open
    }
}

pub enum Known {
    Always,
    Never,
    Open,
}
