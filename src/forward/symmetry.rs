//! Canonical representatives under renaming of processes.
//!
//! Where arrays have one index and hold no processes or nameless values, a renaming permutes lanes and
//! remaps the proc globals: sort the lanes, each with the set of globals that point at it. Lanes that
//! tie are then exchangeable. Otherwise colours of processes are refined from what each cell says
//! about them, and the ties that remain are settled by trying their permutations, save for processes
//! whose exchange changes nothing. Both are exact: two states have one representative iff a renaming
//! takes one to the other.

use crate::forward::state::cells::{Cell, Cells, Kind};
use crate::forward::state::codes::UNDEF;
use crate::forward::state::packing::{Field, Packed, Packing};
use crate::model::System;

/// How states are brought into canonical form.
#[derive(Clone, Debug)]
pub(in crate::forward) enum Symmetry {
    /// Not at all: renaming is no symmetry, or is not wanted.
    Off,
    /// By sorting lanes.
    Lanes(Lanes),
    /// By sorting lanes where what they say beside processes and nameless values tells apart all that are
    /// not exchangeable anyway, by colour refinement elsewhere.
    Mixed(Lanes),
    /// By colour refinement; processes below this number keep their place.
    General(usize),
}

/// Sorting of lanes.
#[derive(Clone, Debug)]
pub(in crate::forward) struct Lanes {
    /// Processes below this number keep their place.
    fixed: usize,
    mask: u64,
    /// The part of a lane that is compared.
    key: u64,
    at: Vec<(u16, u8)>,
    /// Proc-valued globals.
    pointers: Vec<Field>,
    /// Proc-valued cells of lanes.
    lane_pointers: Vec<Field>,
    /// Words with the bits of movable lanes and pointers removed.
    keep: Vec<u64>,
}

/// No more processes than this are sorted by [`Lanes`].
const MAX_LANES: usize = 16;

/// No more permutations of one state than this are tried: all those of eight processes. Beyond, the best
/// one so far stands for the orbit; a large orbit that is all ties may then be stored in a few parts,
/// which costs states and nothing else.
const MAX_TRIED: u32 = 40_320;

/// A renaming: `perm[old] = new`.
pub(in crate::forward) type Renaming = Vec<u8>;

impl Symmetry {
    /// What the system allows, or [`Symmetry::Off`] when not `wanted`.
    pub fn new(system: &System, cells: &Cells, packing: &Packing, wanted: bool) -> Self {
        let fixed = usize::from(system.proc_constants);
        if !wanted || system.orders_processes || cells.procs < fixed + 2 {
            return Self::Off;
        }
        let pointers: Vec<usize> = (0..cells.len())
            .filter(|c| cells.cells[*c].kind == Kind::Proc && cells.cells[*c].index.is_empty())
            .collect();
        let single = cells.cells.iter().all(|c| c.index.len() <= 1);
        let plain = |c: &Cell| match c.kind {
            Kind::Enum | Kind::Int | Kind::Real => true,
            Kind::Proc => false,
            Kind::Abstract => c.codes == 1,
        };
        let no_lanes = packing.lanes.is_none() && cells.cells.iter().any(|c| !c.index.is_empty());
        if !single || no_lanes || cells.procs > MAX_LANES || pointers.len() > 56 {
            return Self::General(fixed);
        }
        let in_lanes = || cells.cells.iter().enumerate().filter(|(_, c)| !c.index.is_empty());
        let (bits, at) =
            packing.lanes.as_ref().map_or((0, vec![(0, 0); cells.procs]), |l| (l.bits, l.at.clone()));
        let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
        let mut keep = vec![u64::MAX; packing.words];
        for (word, shift) in &at[fixed..] {
            keep[usize::from(*word)] &= !(mask << shift);
        }
        let pointers: Vec<Field> = pointers.into_iter().map(|c| packing.fields[c]).collect();
        for f in &pointers {
            keep[usize::from(f.word)] &= !(f.mask() << f.shift);
        }
        let mut key = mask;
        for (c, cell) in in_lanes() {
            if cell.index[0] == 0 && !plain(cell) {
                key &= !(packing.fields[c].mask() << (packing.fields[c].shift - at[0].1));
            }
        }
        let lane_pointers: Vec<Field> =
            in_lanes().filter(|(_, c)| c.kind == Kind::Proc).map(|(c, _)| packing.fields[c]).collect();
        let lanes = Lanes { fixed, mask, key, at, pointers, lane_pointers, keep };
        if in_lanes().all(|(_, c)| plain(c)) { Self::Lanes(lanes) } else { Self::Mixed(lanes) }
    }

    /// Whether states are stored up to renaming.
    pub const fn is_on(&self) -> bool {
        !matches!(self, Self::Off)
    }

    /// Replaces `state` by its representative.
    #[inline]
    pub fn canonicalize(&self, cells: &Cells, packing: &Packing, state: &mut [u64]) {
        match self {
            Self::Off => {}
            Self::Lanes(lanes) => {
                lanes.sort(state);
            }
            Self::Mixed(lanes) => {
                lanes.sort_mixed(cells, packing, state);
            }
            Self::General(fixed) => {
                general(cells, packing, *fixed, state);
            }
        }
    }

    /// Replaces `state` by its representative and says which renaming does it.
    pub fn renaming(&self, cells: &Cells, packing: &Packing, state: &mut [u64]) -> Renaming {
        match self {
            Self::Off => (0..cells.procs as u8).collect(),
            Self::Lanes(lanes) => {
                let place = lanes.sort(state).unwrap_or_else(|| std::array::from_fn(|i| i as u8));
                place[..cells.procs].to_vec()
            }
            Self::Mixed(lanes) => lanes.sort_mixed(cells, packing, state),
            Self::General(fixed) => general(cells, packing, *fixed, state),
        }
    }
}

/// Rows of [`Exchangeable`] for no more processes than this.
const MAX_EXCHANGEABLE: usize = 9;

/// Which instances are worth firing in a state some of whose neighbouring lanes are equal: exchanging
/// these changes nothing, so of the instances that such exchanges make of one another the first is
/// enough.
#[derive(Clone, Debug)]
pub(in crate::forward) struct Exchangeable {
    words: usize,
    /// For each set of equal neighbours (bit i: lanes i and i + 1), a bit set of instances.
    rows: Vec<u64>,
}

impl Exchangeable {
    /// `arguments` of each instance, in order; `None` where lanes are not sorted, or are too many.
    pub fn new<'a>(
        symmetry: &Symmetry,
        procs: usize,
        arguments: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Option<Self> {
        if !matches!(symmetry, Symmetry::Lanes(_) | Symmetry::Mixed(_)) || procs > MAX_EXCHANGEABLE {
            return None;
        }
        let words = arguments.clone().count().div_ceil(64);
        let mut rows = vec![0u64; words << (procs - 1)];
        for (i, args) in arguments.enumerate() {
            // Pairs of neighbours of which the instance uses the second without the first before it.
            let position = |p: usize| args.iter().position(|a| usize::from(*a) == p);
            let late = (0..procs - 1)
                .filter(|p| {
                    position(p + 1).is_some_and(|second| position(*p).is_none_or(|first| first > second))
                })
                .fold(0usize, |set, p| set | 1 << p);
            for equal in 0..1usize << (procs - 1) {
                if equal & late == 0 {
                    rows[equal * words + i / 64] |= 1 << (i % 64);
                }
            }
        }
        Some(Self { words, rows })
    }

    /// Removes from `enabled` what is not worth firing in the canonical `state`.
    #[inline]
    pub fn prune(&self, symmetry: &Symmetry, state: &[u64], enabled: &mut [u64]) {
        let (Symmetry::Lanes(lanes) | Symmetry::Mixed(lanes)) = symmetry else { return };
        let equal = lanes.equal_neighbours(state);
        if equal != 0 {
            for (e, row) in enabled.iter_mut().zip(&self.rows[equal * self.words..]) {
                *e &= row;
            }
        }
    }
}

impl Lanes {
    /// Bit i: the movable lanes i and i + 1 are equal, and no cell points at either.
    #[inline]
    fn equal_neighbours(&self, state: &[u64]) -> usize {
        let mut equal = 0;
        let lane = |i: usize| {
            let (word, shift) = self.at[i];
            (state[usize::from(word)] >> shift) & self.mask
        };
        let mut last = lane(self.fixed);
        for i in self.fixed + 1..self.at.len() {
            let next = lane(i);
            equal |= usize::from(next == last) << (i - 1);
            last = next;
        }
        if equal != 0 {
            for field in self.pointers.iter().chain(&self.lane_pointers) {
                let target = field.raw(state);
                if target < self.at.len() as u64 {
                    // Neither the pair before nor the pair after it.
                    equal &= !(1 << target) & !((1 << target) >> 1);
                }
            }
        }
        equal
    }

    /// Sorts and says where each lane went; `None` when all lanes stay.
    #[inline]
    pub fn sort(&self, state: &mut [u64]) -> Option<[u8; MAX_LANES]> {
        // Keys of one word are faster, where they fit.
        let lane_at = FIRST_POINTER + self.pointers.len() as u32;
        if lane_at + self.mask.count_ones() <= u64::BITS {
            self.sort_by::<u64>(lane_at, state)
        } else {
            self.sort_by::<u128>(u64::BITS, state)
        }
    }

    #[inline]
    fn sort_by<K: Key>(&self, lane_at: u32, state: &mut [u64]) -> Option<[u8; MAX_LANES]> {
        let mut keys = self.keys::<K>(lane_at, state);
        let keys = &mut keys[self.fixed..self.at.len()];
        if keys.is_sorted() {
            return None;
        }
        insertion_sort(keys);
        let mut place = std::array::from_fn(|i| i as u8);
        self.rearrange(keys, lane_at, state, &mut place);
        Some(place)
    }

    /// As [`Lanes::sort`], where lanes also hold processes or nameless values.
    fn sort_mixed(&self, cells: &Cells, packing: &Packing, state: &mut [u64]) -> Renaming {
        let mut keys = self.keys::<u128>(u64::BITS, state);
        let keys = &mut keys[self.fixed..self.at.len()];
        let sorted = keys.is_sorted();
        if !sorted {
            insertion_sort(keys);
        }
        if !self.ties_are_equal(keys, state) {
            return general(cells, packing, self.fixed, state);
        }
        let mut place: [u8; MAX_LANES] = std::array::from_fn(|i| i as u8);
        if !sorted {
            let old: [u64; MAX_LANES] =
                std::array::from_fn(|i| self.at.get(i).map_or(0, |at| self.lane(state, *at)));
            for key in keys.iter_mut() {
                // What is moved is the whole lane, not only its key.
                *key = *key & u128::from(u64::MAX) | u128::from(old[key.process()]) << u64::BITS;
            }
            self.rearrange(keys, u64::BITS, state, &mut place);
            for field in &self.lane_pointers {
                let target = field.raw(state) as usize;
                if target < self.at.len() {
                    field.set(state, i64::from(place[target]));
                }
            }
            cells.normalize(&mut Packed { fields: &packing.fields, state });
        }
        place[..self.at.len()].to_vec()
    }

    /// Whether sorted lanes that tie are equal in all they say, and none of them is pointed at: then it does
    /// not matter which comes first.
    fn ties_are_equal(&self, keys: &[u128], state: &[u64]) -> bool {
        let mut pointed_at = 0u64;
        for field in &self.lane_pointers {
            let target = field.raw(state);
            if target < self.at.len() as u64 {
                pointed_at |= 1 << target;
            }
        }
        keys.windows(2).all(|w| {
            // What comes first in a key is the process itself.
            let tie = w[0] >> FIRST_POINTER == w[1] >> FIRST_POINTER;
            let (p, q) = (w[0].process(), w[1].process());
            let equal = || self.lane(state, self.at[p]) == self.lane(state, self.at[q]);
            !tie || pointed_at & (1 << p | 1 << q) == 0 && equal()
        })
    }

    #[inline]
    fn lane(&self, state: &[u64], (word, shift): (u16, u8)) -> u64 {
        (state[usize::from(word)] >> shift) & self.mask
    }

    /// For each lane: what it says (from bit `lane_at` on), which globals point at it, and its number.
    #[inline]
    fn keys<K: Key>(&self, lane_at: u32, state: &[u64]) -> [K; MAX_LANES] {
        let n = self.at.len();
        let mut keys = [K::default(); MAX_LANES];
        for (i, (key, at)) in keys.iter_mut().zip(&self.at).enumerate() {
            *key = K::new(i, self.lane(state, *at) & self.key, lane_at);
        }
        for (j, field) in self.pointers.iter().enumerate() {
            let target = field.raw(state) as usize;
            if target < n {
                keys[target].point(j);
            }
        }
        keys
    }

    /// Puts the lanes in the order of their keys, and has the globals point to where they went.
    #[inline]
    fn rearrange<K: Key>(&self, keys: &[K], lane_at: u32, state: &mut [u64], place: &mut [u8; MAX_LANES]) {
        let n = self.at.len();
        for (i, key) in keys.iter().enumerate() {
            place[key.process() % MAX_LANES] = (i + self.fixed) as u8;
        }
        let mut old_pointers = [0u8; 56];
        for (field, old) in self.pointers.iter().zip(&mut old_pointers) {
            *old = field.raw(state) as u8;
        }
        for (word, keep) in state.iter_mut().zip(&self.keep) {
            *word &= keep;
        }
        for (key, (word, shift)) in keys.iter().zip(&self.at[self.fixed..]) {
            state[usize::from(*word)] |= key.lane(lane_at) << shift;
        }
        for (field, &old) in self.pointers.iter().zip(&old_pointers) {
            let new = if usize::from(old) < n { place[usize::from(old)] } else { old };
            state[usize::from(field.word)] |= u64::from(new) << field.shift;
        }
    }
}

/// What lanes are sorted by; in its lowest bits the process, then a bit for each global that points at it,
/// then the lane.
trait Key: Copy + Ord + Default {
    fn new(process: usize, lane: u64, lane_at: u32) -> Self;
    /// Global number `j` points at the process.
    fn point(&mut self, j: usize);
    fn process(self) -> usize;
    fn lane(self, lane_at: u32) -> u64;
}

/// Bits of the process in a [`Key`].
const FIRST_POINTER: u32 = 8;

macro_rules! key {
    ($word:ty) => {
        impl Key for $word {
            #[inline]
            fn new(process: usize, lane: u64, lane_at: u32) -> Self {
                Self::from(lane) << lane_at | process as Self
            }

            #[inline]
            fn point(&mut self, j: usize) {
                *self |= 1 << (FIRST_POINTER + j as u32);
            }

            #[inline]
            fn process(self) -> usize {
                (self & 0xff) as usize
            }

            #[inline]
            fn lane(self, lane_at: u32) -> u64 {
                (self >> lane_at) as u64
            }
        }
    };
}
key!(u64);
key!(u128);

fn insertion_sort<K: Key>(keys: &mut [K]) {
    for i in 1..keys.len() {
        let key = keys[i];
        let mut j = i;
        while j > 0 && keys[j - 1] > key {
            keys[j] = keys[j - 1];
            j -= 1;
        }
        keys[j] = key;
    }
}

/// A bijective mixing step (the finalizer of splitmix64).
const fn mix(h: u64, x: u64) -> u64 {
    let mut z = h.rotate_left(23) ^ x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The general canonical form.
fn general(cells: &Cells, packing: &Packing, fixed: usize, state: &mut [u64]) -> Renaming {
    let mut codes = Vec::with_capacity(cells.len());
    packing.unpack(state, &mut codes);
    let colours = refine(cells, fixed, &codes);
    let mut order: Vec<u8> = (0..cells.procs as u8).collect();
    order[fixed..].sort_by_key(|p| colours[usize::from(*p)]);
    let mut search = Search {
        cells,
        codes: &codes,
        order: &order,
        colours: &colours,
        fixed,
        twin: twins(cells, fixed, &codes, &colours),
        taken: vec![false; cells.procs],
        perm: vec![0; cells.procs],
        tried: 0,
        best: None,
    };
    search.place(0);
    let (best, perm) = search.best.expect("there is at least the identity");
    packing.pack(&best, state).expect("renaming keeps codes in range");
    perm
}

/// Colours of processes that no renaming changes, as fine as refinement makes them.
fn refine(cells: &Cells, fixed: usize, codes: &[i64]) -> Vec<u64> {
    let procs = cells.procs;
    let mut colours: Vec<u64> = (0..procs).map(|p| if p < fixed { p as u64 + 1 } else { 0 }).collect();
    // Nameless values get colours as well; one row of codes for each class.
    let stride = cells.classes.iter().map(|c| c.nameless + c.base as usize).max().unwrap_or(0) + 1;
    let mut blocks = vec![0u64; stride * cells.classes.len()];
    let mut distinct = 0;
    for _ in 0..=procs {
        let mut seen = vec![0u64; procs];
        let mut block_seen = vec![0u64; blocks.len()];
        for (cell, &code) in cells.cells.iter().zip(codes) {
            let mut h = mix(u64::from(cell.var.0), 1);
            for (at, p) in cell.index.iter().enumerate() {
                h = mix(h, colours[usize::from(*p)]);
                for (before, q) in cell.index[..at].iter().enumerate() {
                    if p == q {
                        h = mix(h, (before * 16 + at) as u64);
                    }
                }
            }
            let nameless = matches!(cell.kind, Kind::Proc | Kind::Abstract)
                && code != UNDEF
                && code >= cells.classes[cell.class].base;
            let block = cell.class * stride + if nameless { code as usize } else { 0 };
            let points = cell.kind == Kind::Proc && code != UNDEF && !nameless;
            if points {
                h = mix(h, colours[code as usize]);
                for (at, p) in cell.index.iter().enumerate() {
                    if i64::from(*p) == code {
                        h = mix(h, 1000 + at as u64);
                    }
                }
            } else if nameless {
                h = mix(h, blocks[block]);
            } else {
                h = mix(h, code.cast_unsigned());
            }
            for (at, p) in cell.index.iter().enumerate() {
                let seen = &mut seen[usize::from(*p)];
                *seen = seen.wrapping_add(mix(h, 2000 + at as u64));
            }
            if points {
                let seen = &mut seen[code as usize];
                *seen = seen.wrapping_add(mix(h, 3000));
            } else if nameless {
                block_seen[block] = block_seen[block].wrapping_add(mix(h, 4000));
            }
        }
        for (colour, seen) in colours.iter_mut().zip(&seen) {
            *colour = mix(*colour, *seen);
        }
        for (colour, seen) in blocks.iter_mut().zip(&block_seen) {
            *colour = mix(*colour, *seen);
        }
        let mut sorted = colours.clone();
        sorted.sort_unstable();
        sorted.dedup();
        if sorted.len() == procs || sorted.len() == distinct && distinct > 1 {
            break;
        }
        distinct = sorted.len();
    }
    colours
}

/// For each process, the least one of its colour with which it can be exchanged without any change.
fn twins(cells: &Cells, fixed: usize, codes: &[i64], colours: &[u64]) -> Vec<usize> {
    let procs = cells.procs;
    let mut twin: Vec<usize> = (0..procs).collect();
    let mut out = Vec::new();
    for p in fixed..procs {
        for q in fixed..p {
            if twin[q] == q && colours[p] == colours[q] {
                let mut perm: Renaming = (0..procs as u8).collect();
                perm.swap(p, q);
                rename(cells, &perm, codes, &mut out);
                if out == codes {
                    twin[p] = q;
                    break;
                }
            }
        }
    }
    twin
}

/// Renames processes and brings nameless codes into canonical form.
pub(in crate::forward) fn rename(cells: &Cells, perm: &[u8], codes: &[i64], out: &mut Vec<i64>) {
    out.clear();
    out.resize(codes.len(), 0);
    for (cell, &code) in cells.cells.iter().zip(codes) {
        let to =
            cells.layout.position(cell.var, cell.index.iter().map(|p| usize::from(perm[usize::from(*p)])));
        let points = cell.kind == Kind::Proc && code != UNDEF && code < cells.procs as i64;
        out[to] = if points { i64::from(perm[code as usize]) } else { code };
    }
    cells.normalize(out.as_mut_slice());
}

struct Search<'a> {
    cells: &'a Cells,
    codes: &'a [i64],
    order: &'a [u8],
    colours: &'a [u64],
    fixed: usize,
    twin: Vec<usize>,
    taken: Vec<bool>,
    perm: Renaming,
    /// Permutations tried.
    tried: u32,
    best: Option<(Vec<i64>, Renaming)>,
}

impl Search<'_> {
    /// Gives place `at` to each process of the colour that belongs there.
    fn place(&mut self, at: usize) {
        let procs = self.cells.procs;
        if self.tried >= MAX_TRIED {
            return;
        }
        if at == procs {
            self.tried += 1;
            let mut out = Vec::new();
            rename(self.cells, &self.perm, self.codes, &mut out);
            if self.best.as_ref().is_none_or(|(best, _)| out < *best) {
                self.best = Some((out, self.perm.clone()));
            }
            return;
        }
        if at < self.fixed {
            self.perm[at] = at as u8;
            self.place(at + 1);
            return;
        }
        let colour = self.colours[usize::from(self.order[at])];
        for p in self.fixed..procs {
            if self.taken[p] || self.colours[p] != colour {
                continue;
            }
            // Twins go in order: any other order gives the same state.
            let twin_waits = (self.fixed..p).any(|q| !self.taken[q] && self.twin[q] == self.twin[p]);
            if twin_waits {
                continue;
            }
            self.taken[p] = true;
            self.perm[p] = at as u8;
            self.place(at + 1);
            self.taken[p] = false;
        }
    }
}
