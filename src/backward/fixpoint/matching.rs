//! Ways in which a visited cube meets a cube under test: matching its processes, block by block.
//!
//! A renaming of the visited cube is an injective map of its processes into those of the tested one,
//! the identity on rigid processes. Only visited cubes with no more processes than the tested one are
//! used: a larger one would assume processes that need not exist.

use smallvec::SmallVec;

use super::table::{Known, View};
use crate::backward::cube::{
    Cube, Halt, Kind, OTHER, Overflow, Shape, Side, Slot, is_singleton, rename_mask, rename_side,
};
use crate::model::VarId;

/// A visited cube, prepared for matching.
#[derive(Debug)]
pub struct Pattern {
    /// The cube.
    pub cube: Cube,
    /// Enum globals: variable and mask.
    globals: Vec<(Slot, u64)>,
    /// For each process, its enum cells of one index.
    blocks: Vec<Vec<(VarId, u64)>>,
    /// Globals that hold one given process.
    pointers: Vec<(Slot, u8)>,
    /// Everything whose renaming needs several processes, or the whole map.
    rest: Vec<(Slot, u64)>,
    /// Processes that are not rigid, most constrained first.
    order: Vec<Place>,
}

/// A process of a visited cube among those to be matched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Place {
    process: u8,
    /// The last process before it with which it can be exchanged: only maps that take this one to a smaller
    /// process are looked at, for the others give the same residues.
    above: Option<u8>,
    /// How many after it can be exchanged with it.
    later: u8,
}

/// What is looked at first when a visited cube is compared with another.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Number of processes.
    procs: u8,
    /// See [`Cube::signature`].
    signature: u64,
    /// See [`Cube::features`].
    features: u128,
    /// Features of the enum values that some slot must hold.
    needs: u128,
}

impl Key {
    /// The key of a cube.
    pub fn new(shape: &Shape, cube: &Cube) -> Self {
        let mut needs = 0;
        for &(slot, mask) in &cube.masks {
            if matches!(shape.kind(slot), Kind::Enum(_)) && mask.is_power_of_two() {
                needs |= shape.features(slot.var(), mask);
            }
        }
        Self { procs: cube.procs, signature: cube.signature, features: cube.features, needs }
    }

    /// Whether the cube may subsume `n`: all that it constrains is constrained there.
    pub fn may_subsume(&self, n: &Cube) -> bool {
        self.features & !n.features == 0 && self.signature & !n.signature == 0 && self.procs <= n.procs
    }

    /// Whether `n` may subsume the cube.
    pub fn may_be_subsumed(&self, n: &Cube) -> bool {
        n.features & !self.features == 0 && n.signature & !self.signature == 0 && n.procs <= self.procs
    }

    /// Whether the cube may have states in common with one of so many processes in which no slot can
    /// hold the values of these features.
    pub fn may_meet(&self, procs: u8, impossible: u128) -> bool {
        self.needs & impossible == 0 && self.procs <= procs
    }
}

impl Pattern {
    /// Prepares a cube.
    pub fn new(shape: &Shape, cube: Cube) -> Self {
        let (mut globals, mut pointers, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let mut blocks = vec![Vec::new(); usize::from(cube.procs)];
        for &(slot, mask) in &cube.masks {
            match (shape.kind(slot), shape.arity(slot.var())) {
                (Kind::Enum(_), 0) => globals.push((slot, mask)),
                (Kind::Enum(_), 1) => blocks[usize::from(slot.index(0))].push((slot.var(), mask)),
                (Kind::Proc, 0) if is_singleton(Kind::Proc, mask) => {
                    pointers.push((slot, mask.trailing_zeros() as u8));
                }
                _ => rest.push((slot, mask)),
            }
        }
        let mut order: Vec<u8> = (shape.rigid..cube.procs).collect();
        order.sort_by_key(|&p| (usize::MAX - blocks[usize::from(p)].len(), p));
        let bound = bound_processes(shape, &cube, &pointers, &rest);
        let like = |p: u8, q: u8| {
            (bound >> p | bound >> q) & 1 == 0 && blocks[usize::from(p)] == blocks[usize::from(q)]
        };
        let places = order.iter().enumerate().map(|(i, &process)| Place {
            process,
            above: order[..i].iter().rev().copied().find(|&q| like(process, q)),
            later: order[i + 1..].iter().filter(|&&q| like(process, q)).count() as u8,
        });
        let order = places.collect();
        Self { cube, globals, blocks, pointers, rest, order }
    }
}

/// The processes that a cube tells apart by more than their own enum cells.
fn bound_processes(shape: &Shape, cube: &Cube, pointers: &[(Slot, u8)], rest: &[(Slot, u64)]) -> u64 {
    let slots = rest.iter().map(|(slot, _)| *slot).chain(cube.sides.iter().flat_map(Side::slots));
    let indices = slots.flat_map(|slot| shape.indices(slot).chain(slot.as_process()));
    let named = pointers.iter().map(|(_, p)| *p).chain(indices).fold(0, |bound, p| bound | 1 << p);
    // The mask of a pointer may name any of them.
    let any = rest.iter().any(|(slot, _)| matches!(shape.kind(*slot), Kind::Proc));
    if any { u64::MAX } else { named }
}

/// What is left of a renamed visited cube when the literals that hold in the tested cube are taken
/// away: it covers the part of the tested cube where these hold.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Residue {
    /// Places in the dense table, and masks.
    pub masks: SmallVec<[(u32, u64); 4]>,
    /// Side literals.
    pub sides: Vec<Side>,
}

/// Whether some renaming of `v` is implied by `n` literal by literal.
pub fn subsumes(shape: &Shape, v: &Pattern, n: &View<'_>) -> Result<bool, Halt> {
    if v.cube.procs > n.cube.procs || v.globals.iter().any(|&(s, m)| n.mask(shape, s) & !m != 0) {
        return Ok(false);
    }
    Matching { shape, v, n, implied: true }
        .run(&mut |m, map| Ok(m.residue(map)?.is_some_and(|r| r.masks.is_empty() && r.sides.is_empty())))
}

/// The residues of all renamings of `v` that are consistent with `n`, until `visit` says stop (true).
pub fn residues(
    shape: &Shape,
    v: &Pattern,
    n: &View<'_>,
    visit: &mut dyn FnMut(Residue) -> bool,
) -> Result<(), Halt> {
    if v.cube.procs > n.cube.procs || v.globals.iter().any(|&(s, m)| n.mask(shape, s) & m == 0) {
        return Ok(());
    }
    Matching { shape, v, n, implied: false }
        .run(&mut |m, map| Ok(m.residue(map)?.is_some_and(&mut *visit)))
        .map(|_| ())
}

/// The residues in `n` of the renamings of `v` that hold in `witness`, a part of `n` that is decided further.
pub fn residues_at(
    shape: &Shape,
    v: &Pattern,
    witness: &View<'_>,
    n: &View<'_>,
    visit: &mut dyn FnMut(Residue),
) -> Result<(), Halt> {
    if v.globals.iter().any(|&(s, m)| witness.mask(shape, s) & m == 0) {
        return Ok(());
    }
    Matching { shape, v, n: witness, implied: false }
        .run(&mut |m, map| {
            if m.residue(map)?.is_some()
                && let Some(r) = (Matching { n, ..*m }).residue(map)?
            {
                visit(r);
            }
            Ok(false)
        })
        .map(|_| ())
}

/// Takes a complete map; says whether to stop.
type Done<'d> = dyn FnMut(&Matching<'_, '_>, &[u8]) -> Result<bool, Halt> + 'd;

struct Matching<'a, 'b> {
    shape: &'a Shape,
    v: &'a Pattern,
    n: &'a View<'b>,
    /// Whether every literal must be implied, rather than consistent.
    implied: bool,
}

impl Matching<'_, '_> {
    /// Calls `done` with each complete map until it says stop; whether it did.
    fn run(&self, done: &mut Done<'_>) -> Result<bool, Halt> {
        let mut map = vec![u8::MAX; usize::from(self.v.cube.procs)];
        let mut taken = 0u64;
        for p in 0..self.shape.rigid {
            if !self.fits(p, p) {
                return Ok(false);
            }
            map[usize::from(p)] = p;
            taken |= 1 << p;
        }
        for &(slot, p) in &self.v.pointers {
            let mask = self.n.mask(self.shape, slot);
            if !is_singleton(Kind::Proc, mask) {
                if self.implied || mask == OTHER {
                    return Ok(false);
                }
                continue;
            }
            let q = mask.trailing_zeros() as u8;
            let old = map[usize::from(p)];
            if old == q {
                continue;
            }
            if old != u8::MAX || taken >> q & 1 == 1 || !self.fits(p, q) {
                return Ok(false);
            }
            map[usize::from(p)] = q;
            taken |= 1 << q;
        }
        self.assign(0, &mut map, taken, done)
    }

    fn assign(&self, at: usize, map: &mut [u8], taken: u64, done: &mut Done<'_>) -> Result<bool, Halt> {
        self.shape.interrupt.poll()?;
        let Some(&Place { process: p, above, later }) = self.v.order.get(at) else {
            return done(self, map);
        };
        if map[usize::from(p)] != u8::MAX {
            return self.assign(at + 1, map, taken, done);
        }
        let first = above.map_or(0, |a| map[usize::from(a)] + 1);
        for q in first..self.n.cube.procs.saturating_sub(later) {
            if taken >> q & 1 == 0 && self.fits(p, q) {
                map[usize::from(p)] = q;
                if self.assign(at + 1, map, taken | 1 << q, done)? {
                    return Ok(true);
                }
                map[usize::from(p)] = u8::MAX;
            }
        }
        Ok(false)
    }

    /// Whether block `p` of the visited cube fits block `q` of the tested one.
    fn fits(&self, p: u8, q: u8) -> bool {
        self.v.blocks[usize::from(p)].iter().all(|&(var, mask)| {
            let m = self.n.masks[self.n.dense.at_process(var, q)];
            if self.implied { m & !mask == 0 } else { m & mask != 0 }
        })
    }

    /// What the tested cube does not imply of the renamed visited one; `None` when they contradict.
    fn residue(&self, map: &[u8]) -> Result<Option<Residue>, Overflow> {
        let mut r = Residue::default();
        let (shape, n) = (self.shape, self.n);
        let target = n.cube.procs;
        let mut mask = |at: usize, m: u64| {
            let have = n.masks[at];
            if have & m == 0 {
                return false;
            }
            if have & !m != 0 {
                r.masks.push((at as u32, m));
            }
            true
        };
        for &(slot, m) in &self.v.globals {
            if !mask(n.dense.at(shape, slot), m) {
                return Ok(None);
            }
        }
        for (p, block) in self.v.blocks.iter().enumerate() {
            for &(var, m) in block {
                if !mask(n.dense.at_process(var, map[p]), m) {
                    return Ok(None);
                }
            }
        }
        for &(slot, p) in &self.v.pointers {
            if !mask(n.dense.at(shape, slot), 1 << map[usize::from(p)]) {
                return Ok(None);
            }
        }
        for &(slot, m) in &self.v.rest {
            let at = n.dense.at(shape, shape.rename(slot, map));
            if !mask(at, rename_mask(shape, slot, m, map, target)) {
                return Ok(None);
            }
        }
        for side in &self.v.cube.sides {
            let renamed = rename_side(shape, side, map)?;
            match n.settle(shape, &renamed) {
                Known::Always => {}
                Known::Never => return Ok(None),
                Known::Open => r.sides.push(renamed),
            }
        }
        Ok(Some(r))
    }
}
