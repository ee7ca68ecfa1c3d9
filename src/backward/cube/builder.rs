//! Cubes: conjunctions of ground literals over distinct processes, in a normal form.
//!
//! A cube `exists distinct #1..#n. l1 && .. && lm` is stored as one value mask for each constrained slot
//! and a short list of side literals. Disequalities, bool complements and exhaustion of enums are exact
//! in the masks.

use super::cell::{OTHER, Slot};
use super::context::{Kind, Shape};
use super::cube::Cube;
use super::halt::Halt;
use super::literal::{Ground, Reduced, Side, is_singleton, less};

/// A cube under construction.
#[derive(Clone, Debug)]
pub struct Builder<'a> {
    /// Facts about the system.
    pub shape: &'a Shape,
    /// Number of processes.
    pub procs: u8,
    masks: Vec<(Slot, u64)>,
    sides: Vec<Side>,
}

impl<'a> Builder<'a> {
    /// The cube of all states with `procs` processes.
    pub fn new(shape: &'a Shape, procs: u8) -> Self {
        Self { shape, procs, masks: Vec::with_capacity(16), sides: Vec::new() }
    }

    /// A builder that starts from literals in normal form.
    pub(super) fn from_parts(shape: &'a Shape, procs: u8, masks: Vec<(Slot, u64)>, sides: Vec<Side>) -> Self {
        Self { shape, procs, masks, sides }
    }

    /// A builder that starts from a cube.
    pub fn from_cube(shape: &'a Shape, cube: &Cube) -> Self {
        Self { shape, procs: cube.procs, masks: cube.masks.to_vec(), sides: cube.sides.to_vec() }
    }

    /// The values that a slot may still hold.
    pub fn mask(&self, slot: Slot) -> u64 {
        if let Some(p) = slot.as_process() {
            return 1 << p;
        }
        match self.masks.iter().find(|m| m.0 == slot) {
            Some(m) => m.1,
            None => self.shape.full(slot, self.procs),
        }
    }

    /// Restricts a slot; false when nothing is left.
    pub fn restrict(&mut self, slot: Slot, mask: u64) -> bool {
        if let Some(p) = slot.as_process() {
            return mask >> p & 1 == 1;
        }
        if let Some(m) = self.masks.iter_mut().find(|m| m.0 == slot) {
            m.1 &= mask;
            return m.1 != 0;
        }
        let full = self.shape.full(slot, self.procs);
        let mask = mask & full;
        if mask != full {
            self.masks.push((slot, mask));
        }
        mask != 0
    }

    /// Adds a side literal; false when it plainly contradicts another.
    pub fn require_side(&mut self, side: &Side) -> bool {
        for old in &self.sides {
            if old == side {
                return true;
            }
            if old.excludes(side) {
                return false;
            }
        }
        self.sides.push(side.clone());
        true
    }

    /// Adds a literal; false when the cube is plainly empty now.
    pub fn require(&mut self, g: &Ground) -> bool {
        match g {
            Ground::Mask(s, m) => self.restrict(*s, *m),
            Ground::Side(s) => self.require_side(s),
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
    pub fn require_all(&mut self, conj: &[Ground]) -> bool {
        conj.iter().all(|g| self.require(g))
    }

    /// Whether each of these literals is plainly part of what is required already.
    pub fn says_all(&self, conj: &[Ground]) -> bool {
        conj.iter().all(|g| match g {
            Ground::Mask(slot, mask) => self.mask(*slot) & !mask == 0,
            Ground::Side(side) => self.sides.contains(side),
        })
    }

    /// The side literals so far.
    pub fn sides(&self) -> &[Side] {
        &self.sides
    }

    /// Takes out the side literals that mention `slot`.
    pub fn take_sides(&mut self, slot: Slot) -> Vec<Side> {
        let (taken, kept) = std::mem::take(&mut self.sides).into_iter().partition(|s| s.mentions(slot));
        self.sides = kept;
        taken
    }

    /// Forgets the mask of `slot`, returning it.
    pub fn take_mask(&mut self, slot: Slot) -> Option<u64> {
        let at = self.masks.iter().position(|m| m.0 == slot)?;
        Some(self.masks.swap_remove(at).1)
    }

    /// Forgets the masks of ghosts: each has some value in its mask.
    pub fn drop_ghost_masks(&mut self) {
        self.masks.retain(|m| !m.0.is_ghost());
    }

    /// Rewrites side literals by what the masks decide, until nothing changes; false when the cube is
    /// found empty. Incomplete: chains of order or arithmetic are left to the theory test.
    pub fn normalise(&mut self) -> Result<bool, Halt> {
        let mut changed = !self.sides.is_empty();
        while changed {
            changed = false;
            let sides = std::mem::take(&mut self.sides);
            for side in sides {
                self.shape.interrupt.poll()?;
                match self.settle(&side)? {
                    Settled::Keep => {
                        if !self.require_side(&side) {
                            return Ok(false);
                        }
                    }
                    Settled::Drop => changed = true,
                    Settled::Empty => return Ok(false),
                    Settled::Replace(r) => {
                        changed = true;
                        if !self.require_reduced(&r) {
                            return Ok(false);
                        }
                    }
                    Settled::Narrowed => {
                        changed = true;
                        if !self.require_side(&side) {
                            return Ok(false);
                        }
                    }
                }
            }
        }
        // An equality made here may settle a mask.
        if self.close_orders() { self.normalise() } else { Ok(true) }
    }

    /// `a <= b` and `b <= a` are `a = b`; `a <= b` and `a <> b` are `a < b`; what another literal says more
    /// strongly goes. Contradictions were caught before. Whether an equality was made.
    fn close_orders(&mut self) -> bool {
        let mut equated = false;
        let sides = self.sides.clone();
        let mut i = 0;
        while i < self.sides.len() {
            if let Side::Le(a, b) = self.sides[i] {
                if sides.contains(&Side::ne(a, b)) {
                    self.sides[i] = Side::Lt(a, b);
                } else if sides.contains(&Side::Le(b, a)) {
                    self.sides[i] = Side::eq(a, b);
                    equated = true;
                }
            }
            i += 1;
        }
        let all = std::mem::take(&mut self.sides);
        for (i, s) in all.iter().enumerate() {
            let weaker =
                all.iter().enumerate().any(|(j, o)| j != i && o.implies(s) && (!s.implies(o) || j < i));
            if !weaker {
                self.sides.push(s.clone());
            }
        }
        equated
    }

    fn settle(&mut self, side: &Side) -> Result<Settled, Halt> {
        Ok(match side {
            Side::Eq(a, b) => self.settle_eq(*a, *b),
            Side::Ne(a, b) => self.settle_ne(*a, *b),
            Side::Lt(a, b) => self.settle_less(*a, *b, true),
            Side::Le(a, b) => self.settle_less(*a, *b, false),
            Side::Linear { .. } => Settled::Keep,
        })
    }

    fn settle_eq(&mut self, a: Slot, b: Slot) -> Settled {
        let kind = self.shape.kind(a);
        if a == b {
            return Settled::Drop;
        }
        if !matches!(kind, Kind::Enum(_) | Kind::Proc) {
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

    fn settle_ne(&mut self, a: Slot, b: Slot) -> Settled {
        let kind = self.shape.kind(a);
        if a == b {
            return Settled::Empty;
        }
        if !matches!(kind, Kind::Enum(_) | Kind::Proc) {
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

    fn settle_less(&mut self, a: Slot, b: Slot, strict: bool) -> Settled {
        let resolve = |s: Slot, m: u64| {
            if !s.is_process() && is_singleton(Kind::Proc, m) {
                Slot::process(m.trailing_zeros() as u8)
            } else {
                s
            }
        };
        let (x, y) = (resolve(a, self.mask(a)), resolve(b, self.mask(b)));
        let strict = strict || (self.mask(x) & self.mask(y) == 0);
        match less(self.shape, x, y, strict) {
            Reduced::Literal(Ground::Side(s)) if s == Side::Lt(a, b) && strict => Settled::Keep,
            Reduced::Literal(Ground::Side(s)) if s == Side::Le(a, b) && !strict => Settled::Keep,
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
        let (shape, procs) = (self.shape, self.procs);
        let mut masks = self.masks;
        // `G = H` with an H that never holds a process says all that a mask "other" on G would; the mask
        // would also name processes that the cube is not about.
        for side in &self.sides {
            if let Side::Eq(a, b) = *side {
                for (g, h) in [(a, b), (b, a)] {
                    if shape.kind(g) == Kind::Proc && shape.full(h, procs) == OTHER {
                        masks.retain(|&(s, m)| s != g || m != OTHER);
                    }
                }
            }
        }
        masks.retain(|&(s, m)| m != shape.full(s, procs));
        masks.sort_unstable_by_key(|m| m.0);
        let mut sides = self.sides;
        sides.sort_unstable();
        let (mut signature, mut features) = (0, 0);
        for &(s, m) in &masks {
            signature |= 1 << (s.var().0 & 63);
            if let Kind::Enum(range) = shape.kind(s) {
                features |= shape.features(s.var(), range & !m);
            }
        }
        for side in &sides {
            for slot in side.slots() {
                if !slot.is_process() {
                    signature |= 1 << (slot.var().0 & 63);
                }
            }
        }
        Cube { procs, masks: masks.into(), sides: sides.into(), signature, features }
    }
}

enum Settled {
    Keep,
    Drop,
    Empty,
    Narrowed,
    Replace(Reduced),
}
