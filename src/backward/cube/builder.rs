//! Cubes under construction: literals are added, narrowed by each other, and brought to the normal form.

use std::collections::BTreeMap;

use super::cell::{CubeCell, OTHER};
use super::context::{CellKind, CubeContext};
use super::cube::{Cube, Excluded, narrow_others};
use super::halt::Halt;
use super::literal::{CubeLiteral, Reduced, Relational, is_singleton, less};

/// A cube under construction.
#[derive(Clone, Debug)]
pub struct CubeBuilder<'a> {
    pub context: &'a CubeContext,
    pub procs: u8,
    masks: Vec<(CubeCell, u64)>,
    /// No two are equal or plainly exclude each other.
    relational: Vec<Relational>,
    /// What no other process does, not in normal form.
    others: Vec<Excluded>,
    /// Whether a relational literal was added since they were last closed under pairwise consequences.
    open: bool,
}

impl<'a> CubeBuilder<'a> {
    /// The cube of all states with `procs` processes.
    pub fn new(context: &'a CubeContext, procs: u8) -> Self {
        let masks = Vec::with_capacity(16);
        Self { context, procs, masks, relational: Vec::new(), others: Vec::new(), open: false }
    }

    /// A builder that starts from literals in normal form.
    pub(super) fn from_parts(
        context: &'a CubeContext,
        procs: u8,
        masks: Vec<(CubeCell, u64)>,
        relational: Vec<Relational>,
    ) -> Self {
        Self { context, procs, masks, relational, others: Vec::new(), open: false }
    }

    pub fn from_cube(context: &'a CubeContext, cube: &Cube) -> Self {
        let (masks, relational) = (cube.masks.to_vec(), cube.relational.to_vec());
        Self { others: cube.others.to_vec(), ..Self::from_parts(context, cube.procs, masks, relational) }
    }

    /// Requires that no other process has all of these literals; in them, `procs` is the other process.
    pub fn exclude(&mut self, literals: Excluded) {
        self.others.push(literals);
    }

    /// Forgets what no other process does, so that the cube becomes larger.
    pub fn forget_others(&mut self) {
        self.others.clear();
    }

    /// The values that a cell may still hold.
    pub fn mask(&self, cell: CubeCell) -> u64 {
        if let Some(p) = cell.as_process() {
            return 1 << p;
        }
        match self.masks.iter().find(|m| m.0 == cell) {
            Some(m) => m.1,
            None => self.context.full(cell, self.procs),
        }
    }

    /// Restricts a cell; false when nothing is left.
    pub fn restrict(&mut self, cell: CubeCell, mask: u64) -> bool {
        if let Some(p) = cell.as_process() {
            return mask >> p & 1 == 1;
        }
        if let Some(m) = self.masks.iter_mut().find(|m| m.0 == cell) {
            m.1 &= mask;
            return m.1 != 0;
        }
        let full = self.context.full(cell, self.procs);
        let mask = mask & full;
        if mask != full {
            self.masks.push((cell, mask));
        }
        mask != 0
    }

    /// Restricts many cells of a cube to which nothing was added yet; each keeps a value.
    pub fn restrict_all(&mut self, masks: &BTreeMap<CubeCell, u64>) {
        let mut own = std::mem::take(&mut self.masks).into_iter().peekable();
        for (&cell, &mask) in masks {
            self.masks.extend(std::iter::from_fn(|| own.next_if(|it| it.0 < cell)));
            let known = own.next_if(|it| it.0 == cell).map_or(u64::MAX, |it| it.1);
            self.masks.push((cell, known & mask));
        }
        self.masks.extend(own);
    }

    /// Adds a relational literal; false when it plainly contradicts another.
    pub fn require_relational(&mut self, relational: &Relational) -> bool {
        for old in &self.relational {
            if old == relational {
                return true;
            }
            if old.excludes(relational) {
                return false;
            }
        }
        self.relational.push(relational.clone());
        self.open = true;
        true
    }

    /// Adds a literal; false when the cube is plainly empty now.
    pub fn require(&mut self, g: &CubeLiteral) -> bool {
        match g {
            CubeLiteral::Mask(s, m) => self.restrict(*s, *m),
            CubeLiteral::Relational(s) => self.require_relational(s),
        }
    }

    /// Adds an instantiated literal; false when the cube is plainly empty now.
    pub fn require_reduced(&mut self, r: &Reduced) -> bool {
        match r {
            Reduced::True => true,
            Reduced::False => false,
            Reduced::Literal(g) => self.require(g),
        }
    }

    /// Adds a conjunction; false when the cube is plainly empty now.
    pub fn require_all(&mut self, conj: &[CubeLiteral]) -> bool {
        conj.iter().all(|g| self.require(g))
    }

    /// Whether each of these literals is plainly part of what is required already.
    pub fn says_all(&self, conj: &[CubeLiteral]) -> bool {
        conj.iter().all(|g| match g {
            CubeLiteral::Mask(cell, mask) => self.mask(*cell) & !mask == 0,
            CubeLiteral::Relational(relational) => self.relational.contains(relational),
        })
    }

    /// Whether a literal plainly contradicts what is required already.
    pub fn excludes(&self, literal: &CubeLiteral) -> bool {
        match literal {
            CubeLiteral::Mask(cell, mask) => self.mask(*cell) & mask == 0,
            CubeLiteral::Relational(relational) => self.relational.iter().any(|it| it.excludes(relational)),
        }
    }

    pub fn relational(&self) -> &[Relational] {
        &self.relational
    }

    /// Removes and returns the relational literals that mention `cell`.
    pub fn take_relational(&mut self, cell: CubeCell) -> Vec<Relational> {
        let (taken, kept) = std::mem::take(&mut self.relational).into_iter().partition(|s| s.mentions(cell));
        self.relational = kept;
        taken
    }

    /// Forgets the mask of `cell`, returning it.
    pub fn take_mask(&mut self, cell: CubeCell) -> Option<u64> {
        let at = self.masks.iter().position(|m| m.0 == cell)?;
        Some(self.masks.swap_remove(at).1)
    }

    /// Forgets the masks of ghosts: each has some value in its mask.
    pub fn drop_ghost_masks(&mut self) {
        self.masks.retain(|m| !m.0.is_ghost());
    }

    /// Simplifies relational literals by the masks, until nothing changes; false when the cube is
    /// found empty. Incomplete: chains of order or arithmetic are left to the theory test.
    pub fn normalise(&mut self) -> Result<bool, Halt> {
        let mut changed = !self.relational.is_empty();
        while changed {
            changed = false;
            let mut at = 0;
            while at < self.relational.len() {
                self.context.interrupt.poll()?;
                match self.settle(at) {
                    Settled::Keep => at += 1,
                    Settled::Narrowed => {
                        changed = true;
                        at += 1;
                    }
                    Settled::Empty => return Ok(false),
                    Settled::Drop => {
                        changed = true;
                        self.relational.remove(at);
                    }
                    Settled::Replace(r) => {
                        changed = true;
                        self.relational.remove(at);
                        if !self.require_reduced(&r) {
                            return Ok(false);
                        }
                    }
                }
            }
        }
        if !std::mem::take(&mut self.open) {
            return Ok(true);
        }
        // An equality made here may settle a mask.
        if self.close_orders() { self.normalise() } else { Ok(true) }
    }

    /// `a <= b` and `b <= a` are `a = b`; `a <= b` and `a <> b` are `a < b`; literals that a stronger one
    /// implies are dropped. Contradictions were caught before. Returns whether an equality was made.
    fn close_orders(&mut self) -> bool {
        let mut equated = false;
        let relational = self.relational.clone();
        let mut i = 0;
        while i < self.relational.len() {
            if let Relational::Le(a, b) = self.relational[i] {
                if relational.contains(&Relational::ne(a, b)) {
                    self.relational[i] = Relational::Lt(a, b);
                } else if relational.contains(&Relational::Le(b, a)) {
                    self.relational[i] = Relational::eq(a, b);
                    equated = true;
                }
            }
            i += 1;
        }
        let all = std::mem::take(&mut self.relational);
        for (i, s) in all.iter().enumerate() {
            let weaker =
                all.iter().enumerate().any(|(j, o)| j != i && o.implies(s) && (!s.implies(o) || j < i));
            if !weaker {
                self.relational.push(s.clone());
            }
        }
        equated
    }

    fn settle(&mut self, at: usize) -> Settled {
        match self.relational[at] {
            Relational::Eq(a, b) => self.settle_eq(a, b),
            Relational::Ne(a, b) => self.settle_ne(a, b),
            Relational::Lt(a, b) => self.settle_less(a, b, true),
            Relational::Le(a, b) => self.settle_less(a, b, false),
            Relational::Linear { .. } => Settled::Keep,
        }
    }

    fn settle_eq(&mut self, a: CubeCell, b: CubeCell) -> Settled {
        let kind = self.context.kind(a);
        if a == b {
            return Settled::Drop;
        }
        if !matches!(kind, CellKind::Enum(_) | CellKind::Proc) {
            return Settled::Keep;
        }
        let (ma, mb) = (self.mask(a), self.mask(b));
        let both = ma & mb;
        if both == 0 {
            return Settled::Empty;
        }
        let narrowed = both != ma || both != mb;
        if narrowed && !(self.restrict(a, both) && self.restrict(b, both)) {
            return Settled::Empty;
        }
        if is_singleton(kind, both) {
            Settled::Drop
        } else if narrowed {
            Settled::Narrowed
        } else {
            Settled::Keep
        }
    }

    fn settle_ne(&mut self, a: CubeCell, b: CubeCell) -> Settled {
        let kind = self.context.kind(a);
        if a == b {
            return Settled::Empty;
        }
        if !matches!(kind, CellKind::Enum(_) | CellKind::Proc) {
            return Settled::Keep;
        }
        let (ma, mb) = (self.mask(a), self.mask(b));
        if ma & mb == 0 {
            return Settled::Drop;
        }
        if is_singleton(kind, ma) {
            return if self.restrict(b, !ma) { Settled::Drop } else { Settled::Empty };
        }
        if is_singleton(kind, mb) {
            return if self.restrict(a, !mb) { Settled::Drop } else { Settled::Empty };
        }
        Settled::Keep
    }

    fn settle_less(&mut self, a: CubeCell, b: CubeCell, strict: bool) -> Settled {
        let resolve = |s: CubeCell, m: u64| {
            if !s.is_process() && is_singleton(CellKind::Proc, m) {
                CubeCell::process(m.trailing_zeros() as u8)
            } else {
                s
            }
        };
        let (x, y) = (resolve(a, self.mask(a)), resolve(b, self.mask(b)));
        let said = if strict { Relational::Lt(a, b) } else { Relational::Le(a, b) };
        let strict = strict || (self.mask(x) & self.mask(y) == 0);
        match less(self.context, x, y, strict) {
            Reduced::Literal(CubeLiteral::Relational(s)) if s == said => Settled::Keep,
            r => Settled::Replace(r),
        }
    }

    /// The finished cube; `None` when it is found empty.
    pub fn finish(mut self) -> Result<Option<Cube>, Halt> {
        if !self.normalise()? {
            return Ok(None);
        }
        Ok(Some(self.into_cube()))
    }

    /// The cube of masks and relational literals that are in normal form already.
    pub(super) fn into_cube(self) -> Cube {
        let (context, procs) = (self.context, self.procs);
        let mut masks = self.masks;
        // `G = H` with an H that never holds a process implies the mask "other" on G; the mask
        // would also name processes that the cube is not about.
        for relational in &self.relational {
            if let Relational::Eq(a, b) = *relational {
                for (g, h) in [(a, b), (b, a)] {
                    if context.kind(g) == CellKind::Proc && context.full(h, procs) == OTHER {
                        masks.retain(|&(s, m)| s != g || m != OTHER);
                    }
                }
            }
        }
        masks.retain(|&(s, m)| m != context.full(s, procs));
        masks.sort_unstable_by_key(|m| m.0);
        let mut relational = self.relational;
        relational.sort_unstable();
        let (mut signature, mut features) = (0, 0);
        for &(s, m) in &masks {
            signature |= 1 << (s.var().0 & 63);
            if let CellKind::Enum(range) = context.kind(s) {
                features |= context.features(s.var(), range & !m);
            }
        }
        for relational in &relational {
            for cell in relational.cells() {
                if !cell.is_process() {
                    signature |= 1 << (cell.var().0 & 63);
                }
            }
        }
        let mut cube = Cube {
            procs,
            masks: masks.into(),
            relational: relational.into(),
            others: Box::default(),
            signature,
            features,
        };
        if !self.others.is_empty() {
            cube.others = narrow_others(context, &cube, self.others);
            for cell in cube.others.iter().flatten().flat_map(CubeLiteral::cells) {
                if !cell.is_process() {
                    cube.signature |= 1 << (cell.var().0 & 63);
                }
            }
        }
        cube
    }
}

enum Settled {
    Keep,
    Drop,
    Empty,
    Narrowed,
    Replace(Reduced),
}
