//! The ways in which a visited cube matches a cube under test: its processes are matched block by block.
//!
//! A renaming of the visited cube is an injective map of its processes into those of the tested one,
//! the identity on rigid processes. Only visited cubes with no more processes than the tested one are
//! used: a larger one would assume processes that need not exist.

use smallvec::SmallVec;

use super::table::{Cover, Tested};
use crate::cube::{
    CellKind, Cube, CubeCell, CubeContext, CubeLiteral, Excluded, Halt, OTHER, Overflow, Relational,
    is_about, is_singleton, rename_literal, rename_mask, rename_relational, with_other,
};
use cubicle_lang::model::VarId;

/// A visited cube, prepared for matching.
#[derive(Debug)]
pub struct Pattern {
    pub cube: Cube,
    /// Enum globals: variable and mask.
    globals: Vec<(CubeCell, u64)>,
    /// For each process, its enum cells of one index.
    blocks: Vec<Vec<(VarId, u64)>>,
    /// Globals that hold one given process.
    pointers: Vec<(CubeCell, u8)>,
    /// Everything whose renaming needs several processes, or the whole map.
    rest: Vec<(CubeCell, u64)>,
    /// Processes that are not rigid, most constrained first.
    order: Vec<FreeProcess>,
    /// For each of them, the cells of `rest` whose processes are all assigned with it, those that hold one process with that process. Without
    /// this check, a cube that mentions a matrix or pointers would be compared under all renamings of its processes.
    complete: Vec<Vec<Settled>>,
    /// First the relational literals that mention none of these processes; then, for each process, those whose last process it
    /// is in this order. Empty where there are few maps, since it does not pay there.
    related: Vec<Vec<Relational>>,
}

/// A cell whose renaming is known before the map is complete.
#[derive(Clone, Copy, Debug)]
enum Settled {
    /// An enum cell, and its mask.
    Enum(CubeCell, u64),
    /// A cell that holds a process.
    Pointer(CubeCell, u8),
}

/// Cubes with fewer processes to be matched have few maps, by estimate.
const FEW_PROCESSES: usize = 3;

/// A process of a visited cube among those to be matched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct FreeProcess {
    process: u8,
    /// The last process before it with which it can be exchanged: only maps that take this one to a smaller
    /// process are tried, for the others give the same residues.
    above: Option<u8>,
    /// How many processes after it can be exchanged with it.
    later: u8,
}

/// A summary of a visited cube, compared first with another cube.
#[derive(Clone, Copy, Debug)]
pub struct Digest {
    procs: u8,
    /// See [`Cube::signature`].
    signature: u64,
    /// See [`Cube::features`].
    features: u128,
    /// Features of the enum values that some cell must hold.
    needs: u128,
}

impl Digest {
    pub fn new(context: &CubeContext, cube: &Cube) -> Self {
        let mut needs = 0;
        for &(cell, mask) in &cube.masks {
            if matches!(context.kind(cell), CellKind::Enum(_)) && mask.is_power_of_two() {
                needs |= context.features(cell.var(), mask);
            }
        }
        Self { procs: cube.procs, signature: cube.signature, features: cube.features, needs }
    }

    /// Whether the cube may subsume `n`: all that it constrains is constrained there.
    pub fn may_subsume(&self, n: &Cube) -> bool {
        self.features & !n.features == 0 && self.signature & !n.signature == 0 && self.procs <= n.procs
    }

    pub fn may_be_subsumed(&self, n: &Cube) -> bool {
        n.features & !self.features == 0 && n.signature & !self.signature == 0 && n.procs <= self.procs
    }

    /// Whether the cube may have states in common with one of `procs` processes in which no cell can
    /// hold the values of these features.
    pub fn may_meet(&self, procs: u8, impossible: u128) -> bool {
        self.needs & impossible == 0 && self.procs <= procs
    }
}

impl Pattern {
    pub fn new(context: &CubeContext, cube: Cube) -> Self {
        let (mut globals, mut pointers, mut rest) = (Vec::new(), Vec::new(), Vec::new());
        let mut blocks = vec![Vec::new(); usize::from(cube.procs)];
        for &(cell, mask) in &cube.masks {
            match (context.kind(cell), context.arity(cell.var())) {
                (CellKind::Enum(_), 0) => globals.push((cell, mask)),
                (CellKind::Enum(_), 1) => blocks[usize::from(cell.index(0))].push((cell.var(), mask)),
                (CellKind::Proc, 0) if is_singleton(CellKind::Proc, mask) => {
                    pointers.push((cell, mask.trailing_zeros() as u8));
                }
                _ => rest.push((cell, mask)),
            }
        }
        let mut order: Vec<u8> = (context.rigid..cube.procs).collect();
        order.sort_by_key(|&p| (usize::MAX - blocks[usize::from(p)].len(), p));
        let bound = bound_processes(context, &cube, &pointers, &rest);
        let like = |p: u8, q: u8| {
            (bound >> p | bound >> q) & 1 == 0 && blocks[usize::from(p)] == blocks[usize::from(q)]
        };
        let places = order.iter().enumerate().map(|(i, &process)| FreeProcess {
            process,
            above: order[..i].iter().rev().copied().find(|&q| like(process, q)),
            later: order[i + 1..].iter().filter(|&&q| like(process, q)).count() as u8,
        });
        let order: Vec<FreeProcess> = places.collect();
        let mut complete = vec![Vec::new(); order.len()];
        for &(cell, mask) in &rest {
            let kind = context.kind(cell);
            let (settled, held) = match kind {
                CellKind::Enum(_) if !cell.is_ghost() => (Settled::Enum(cell, mask), None),
                CellKind::Proc if is_singleton(kind, mask) => {
                    let held = mask.trailing_zeros() as u8;
                    (Settled::Pointer(cell, held), Some(held))
                }
                _ => continue,
            };
            let place = |p| order.iter().position(|it| it.process == p);
            if let Some(last) = context.indices(cell).chain(held).filter_map(place).max() {
                complete[last].push(settled);
            }
        }
        let pays = order.len() >= FEW_PROCESSES && !cube.relational.is_empty();
        let mut related = vec![Vec::new(); if pays { order.len() + 1 } else { 0 }];
        for literal in cube.relational.iter().filter(|_| pays) {
            let place = |p| order.iter().position(|it| it.process == p);
            let cells = literal.cells();
            let named = cells.iter().flat_map(|cell| context.indices(*cell).chain(cell.as_process()));
            let last = named.filter_map(place).max();
            related[last.map_or(0, |last| last + 1)].push(literal.clone());
        }
        Self { cube, globals, blocks, pointers, rest, order, complete, related }
    }
}

/// The processes that a cube tells apart by more than their own enum cells.
fn bound_processes(
    context: &CubeContext,
    cube: &Cube,
    pointers: &[(CubeCell, u8)],
    rest: &[(CubeCell, u64)],
) -> u64 {
    let others = cube.others.iter().flatten().flat_map(CubeLiteral::cells);
    let cells = rest.iter().map(|(cell, _)| *cell).chain(cube.relational.iter().flat_map(Relational::cells));
    let cells = cells.chain(others);
    let indices = cells.flat_map(|cell| context.indices(cell).chain(cell.as_process()));
    let named = pointers.iter().map(|(_, p)| *p).chain(indices).fold(0, |bound, p| bound | 1 << p);
    // The mask of a pointer may name any of them.
    let of_others = cube.others.iter().flatten().flat_map(CubeLiteral::cells);
    let mut masked = rest.iter().map(|(cell, _)| *cell).chain(of_others);
    let any = masked.any(|cell| !cell.is_process() && context.kind(cell) == CellKind::Proc);
    if any { u64::MAX } else { named }
}

/// The rest of a renamed visited cube without the literals that hold in the tested cube: the visited
/// cube covers the part of the tested cube where the rest holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Residue {
    /// Places in the dense table, and masks.
    pub masks: SmallVec<[(u32, u64); 4]>,
    pub relational: Vec<Relational>,
}

/// Whether some renaming of `v` is implied by `n` literal by literal.
pub fn subsumes(context: &CubeContext, v: &Pattern, n: &Tested<'_>) -> Result<bool, Halt> {
    if v.cube.procs > n.cube.procs || v.globals.iter().any(|&(s, m)| n.mask(context, s) & !m != 0) {
        return Ok(false);
    }
    Matching { context, v, n, implied: true }
        .run(&mut |m, map| Ok(m.residue(map)?.is_some_and(|r| r.masks.is_empty() && r.relational.is_empty())))
}

/// The residues of all renamings of `v` that are consistent with `n`, `None` for one that turns out not to be when it is
/// complete, until `visit` says stop (true). If `n` is a part of `whole` that is decided further, the residues are those in `whole`.
pub fn residues(
    context: &CubeContext,
    v: &Pattern,
    n: &Tested<'_>,
    whole: Option<&Tested<'_>>,
    visit: &mut dyn FnMut(Option<Residue>) -> bool,
) -> Result<(), Halt> {
    if v.cube.procs > n.cube.procs || v.globals.iter().any(|&(s, m)| n.mask(context, s) & m == 0) {
        return Ok(());
    }
    let residue = &mut |m: &Matching<'_, '_>, map: &[u8]| {
        let residue = m.residue(map)?;
        Ok(visit(match whole.filter(|_| residue.is_some()) {
            Some(n) => (Matching { n, ..*m }).residue(map)?,
            None => residue,
        }))
    };
    Matching { context, v, n, implied: false }.run(residue).map(|_| ())
}

/// Takes a complete map; returns whether to stop.
type Done<'d> = dyn FnMut(&Matching<'_, '_>, &[u8]) -> Result<bool, Halt> + 'd;

struct Matching<'a, 'b> {
    context: &'a CubeContext,
    v: &'a Pattern,
    n: &'a Tested<'b>,
    /// Whether every literal must be implied, rather than consistent.
    implied: bool,
}

/// For each process of the order, the processes of the tested cube that its block fits, as bits.
type Fitting = SmallVec<[u64; 8]>;

impl Matching<'_, '_> {
    /// Calls `done` with each complete map until it returns true (stop); returns whether it did.
    fn run(&self, done: &mut Done<'_>) -> Result<bool, Halt> {
        let mut map = vec![u8::MAX; usize::from(self.v.cube.procs)];
        let mut taken = 0u64;
        for p in 0..self.context.rigid {
            if !self.fits(p, p) {
                return Ok(false);
            }
            map[usize::from(p)] = p;
            taken |= 1 << p;
        }
        for &(cell, p) in &self.v.pointers {
            let mask = self.n.mask(self.context, cell);
            if !is_singleton(CellKind::Proc, mask) {
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
        if !self.relates(0, &map)? {
            return Ok(false);
        }
        // A process that fits nowhere is mostly not the first of the order.
        let mut fitting = Fitting::new();
        for &FreeProcess { process: p, .. } in &self.v.order {
            let assigned = map[usize::from(p)] != u8::MAX;
            let free = (0..self.n.cube.procs).filter(|&q| taken >> q & 1 == 0 && self.fits(p, q));
            let all = if assigned { 0 } else { free.fold(0, |all, q| all | 1 << q) };
            if !assigned && all == 0 {
                return Ok(false);
            }
            fitting.push(all);
        }
        self.assign(0, &fitting, &mut map, taken, done)
    }

    fn assign(
        &self,
        at: usize,
        fitting: &Fitting,
        map: &mut [u8],
        taken: u64,
        done: &mut Done<'_>,
    ) -> Result<bool, Halt> {
        // Before that, there are few maps.
        if at > 2 {
            self.context.interrupt.poll()?;
        }
        let Some(&FreeProcess { process: p, above, later }) = self.v.order.get(at) else {
            return done(self, map);
        };
        if map[usize::from(p)] != u8::MAX {
            return Ok(self.agrees(at, map)? && self.assign(at + 1, fitting, map, taken, done)?);
        }
        let first = above.map_or(0, |a| map[usize::from(a)] + 1);
        for q in first..self.n.cube.procs.saturating_sub(later) {
            if (fitting[at] & !taken) >> q & 1 == 1 {
                map[usize::from(p)] = q;
                if self.agrees(at, map)? && self.assign(at + 1, fitting, map, taken | 1 << q, done)? {
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

    /// Whether the cells of several processes fit whose last process to be assigned is the one at this place of the order.
    fn agrees(&self, at: usize, map: &[u8]) -> Result<bool, Overflow> {
        let fit = self.v.complete[at].iter().all(|&settled| {
            let (cell, mask) = match settled {
                Settled::Enum(cell, mask) => (cell, mask),
                Settled::Pointer(cell, held) => (cell, 1 << map[usize::from(held)]),
            };
            let m = self.n.masks[self.n.dense.at(self.context, self.context.rename(cell, map))];
            if self.implied { m & !mask == 0 } else { m & mask != 0 }
        });
        Ok(fit && self.relates(at + 1, map)?)
    }

    /// Whether the relational literals fit that are known once this number of processes of the order is assigned.
    fn relates(&self, assigned: usize, map: &[u8]) -> Result<bool, Overflow> {
        for literal in self.v.related.get(assigned).into_iter().flatten() {
            let cover = self.n.settle(self.context, &rename_relational(self.context, literal, map)?);
            if matches!(cover, Cover::Never) || self.implied && !matches!(cover, Cover::Always) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The part of the renamed visited cube that the tested one does not imply; `None` when they contradict.
    fn residue(&self, map: &[u8]) -> Result<Option<Residue>, Overflow> {
        let mut r = Residue::default();
        let (context, n) = (self.context, self.n);
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
        for &(cell, m) in &self.v.globals {
            if !mask(n.dense.at(context, cell), m) {
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
        for &(cell, p) in &self.v.pointers {
            if !mask(n.dense.at(context, cell), 1 << map[usize::from(p)]) {
                return Ok(None);
            }
        }
        for &(cell, m) in &self.v.rest {
            let at = n.dense.at(context, context.rename(cell, map));
            if !mask(at, rename_mask(context, cell, m, map, target)) {
                return Ok(None);
            }
        }
        for relational in &self.v.cube.relational {
            let renamed = rename_relational(context, relational, map)?;
            match n.settle(context, &renamed) {
                Cover::Always => {}
                Cover::Never => return Ok(None),
                Cover::Open => r.relational.push(renamed),
            }
        }
        for excluded in &self.v.cube.others {
            if !self.denies_generally(excluded, map)? || !self.denies_of_named(excluded, map, &mut r)? {
                return Ok(None);
            }
        }
        Ok(Some(r))
    }

    /// Whether no process that the tested cube does not name has these literals of the visited one.
    fn denies_generally(&self, excluded: &Excluded, map: &[u8]) -> Result<bool, Overflow> {
        let (context, n) = (self.context, self.n);
        let other = n.cube.procs;
        let map = [map, &[other]].concat();
        let mut known: SmallVec<[CubeLiteral; 4]> = SmallVec::new();
        for literal in excluded {
            let renamed = rename_literal(context, literal, &map, other + 1)?;
            match &renamed {
                CubeLiteral::Mask(cell, mask) => {
                    if mask & self.mask_beside(*cell) == 0 {
                        return Ok(true);
                    }
                }
                CubeLiteral::Relational(relational) => {
                    let about = relational.cells().into_iter().any(|cell| is_about(context, cell, other));
                    if !about && matches!(n.settle(context, relational), Cover::Never) {
                        return Ok(true);
                    }
                }
            }
            known.push(renamed);
        }
        let holds = |literal: &CubeLiteral| match literal {
            CubeLiteral::Mask(cell, mask) => {
                let of_cell = |it: &CubeLiteral| match it {
                    CubeLiteral::Mask(same, mask) if same == cell => Some(*mask),
                    _ => None,
                };
                let held = known.iter().find_map(of_cell).unwrap_or(u64::MAX) & self.mask_beside(*cell);
                held & !mask == 0
            }
            CubeLiteral::Relational(_) => known.iter().any(|it| it.implies(literal)),
        };
        Ok(n.cube.others.iter().any(|it| it.iter().all(holds)))
    }

    /// The values of a cell in the tested cube where a further process is named.
    fn mask_beside(&self, cell: CubeCell) -> u64 {
        let (context, other) = (self.context, self.n.cube.procs);
        if is_about(context, cell, other) {
            return context.full(cell, other + 1);
        }
        with_other(context, cell, self.n.mask(context, cell), other)
    }

    /// Whether the processes of the tested cube that are not in the map do not have these literals together, where one literal more holds of it; adds these
    /// to the residue.
    fn denies_of_named(&self, excluded: &Excluded, map: &[u8], r: &mut Residue) -> Result<bool, Overflow> {
        let (context, n) = (self.context, self.n);
        let target = n.cube.procs;
        'process: for process in (0..target).filter(|it| !map.contains(it)) {
            let map = [map, &[process]].concat();
            let mut open: SmallVec<[CubeLiteral; 4]> = SmallVec::new();
            for literal in excluded {
                let renamed = rename_literal(context, literal, &map, target)?;
                let cover = match &renamed {
                    CubeLiteral::Mask(cell, mask) => match n.mask(context, *cell) {
                        held if held & mask == 0 => Cover::Never,
                        held if held & !mask == 0 => Cover::Always,
                        _ => Cover::Open,
                    },
                    CubeLiteral::Relational(relational) => n.settle(context, relational),
                };
                match cover {
                    Cover::Never => continue 'process,
                    Cover::Always => {}
                    Cover::Open => open.push(renamed),
                }
            }
            // Several open literals would make several residues.
            match open.as_slice() {
                [CubeLiteral::Mask(cell, mask)] if !cell.is_process() => {
                    let left = context.full(*cell, target) & !mask;
                    r.masks.push((n.dense.at(context, *cell) as u32, left));
                }
                [CubeLiteral::Relational(relational)] => r.relational.push(relational.negate()?),
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cube::{CubeBuilder, bad_cubes};
    use crate::fixpoint::table::Tables;
    use cubicle_run::Interrupt;

    /// A path through all processes, along a matrix: there is one way to rename it into itself, and the other 5039 are not
    /// completed.
    #[test]
    fn renamings_that_a_cell_of_a_matrix_excludes_are_not_completed() {
        const PROCS: u8 = 7;
        let text = "array M[proc, proc] : bool init (p q) { M[p, q] = False } unsafe (p q) { M[p, q] = True }
            transition t (p q) { M[p, q] := True }";
        let system = cubicle_lang::load(text).expect("a correct model").system;
        let context = CubeContext::new(&system, false, &Interrupt::default());
        let cube = |others: bool| {
            let mut builder = CubeBuilder::new(&context, PROCS);
            for p in 0..PROCS {
                for q in 0..PROCS {
                    let cell = CubeCell::of(VarId(0), [p, q]);
                    if q == p + 1 {
                        assert!(builder.restrict(cell, 0b10));
                    } else if others && p != q {
                        assert!(builder.restrict(cell, 0b01));
                    }
                }
            }
            builder.finish().expect("no numbers").expect("a satisfiable cube")
        };
        let (path, only_path) = (cube(false), cube(true));
        let pattern = Pattern::new(&context, path);
        let mut tables = Tables::default();
        let dense = tables.prepare(&context, PROCS);
        let masks = dense.table(&context, &only_path);
        let tested = Tested { cube: &only_path, dense, masks: &masks };
        assert!(subsumes(&context, &pattern, &tested).expect("no numbers"));
        for implied in [false, true] {
            let mut completed = 0;
            let matching = Matching { context: &context, v: &pattern, n: &tested, implied };
            let stopped = matching.run(&mut |_, map| {
                completed += 1;
                assert!(map.iter().copied().eq(0..PROCS));
                Ok(false)
            });
            assert_eq!((stopped.expect("no numbers"), completed), (false, 1), "implied: {implied}");
        }
    }

    /// Two cubes of four processes that are alike, whose numbers differ: no process has to be renamed to see that.
    #[test]
    fn numbers_that_contradict_end_a_matching_before_renamings() {
        let text = "var N : int array A[proc] : bool init (p) { N = 0 && A[p] = False }
            unsafe (p q r s) { N = 1 && A[p] = True && A[q] = True && A[r] = True && A[s] = True }
            unsafe (p q r s) { N = 2 && A[p] = True && A[q] = True && A[r] = True && A[s] = True }
            transition t (p) { A[p] := True; N := N + 1 }";
        let system = cubicle_lang::load(text).expect("a correct model").system;
        let context = CubeContext::new(&system, false, &Interrupt::default());
        let cube = |bad: usize| bad_cubes(&context, &system.bad[bad]).expect("small").remove(0);
        let (one, two) = (Pattern::new(&context, cube(0)), cube(1));
        let mut tables = Tables::default();
        let dense = tables.prepare(&context, two.procs);
        let masks = dense.table(&context, &two);
        let tested = Tested { cube: &two, dense, masks: &masks };
        residues(&context, &one, &tested, None, &mut |_| panic!("a renaming")).expect("small numbers");
    }
}
