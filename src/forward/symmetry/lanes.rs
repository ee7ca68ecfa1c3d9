//! The canonical form by sorting lanes: the cells of one process each, next to each other in a word.

use std::ops::{BitOr, Shl, Shr};

use crate::state::{Cells, Field, Packed, Packing};

#[derive(Clone, Debug)]
pub struct Lanes {
    /// Processes below this number keep their place.
    pub fixed: usize,
    pub mask: u64,
    /// The part of a lane that is compared.
    pub key: u64,
    pub at: Vec<(u16, u8)>,
    /// Proc-valued globals.
    pub pointers: Vec<Field>,
    /// Proc-valued cells of lanes.
    pub lane_pointers: Vec<Field>,
    /// Words with the bits of movable lanes and pointers removed.
    pub keep: Vec<u64>,
}

/// [`Lanes`] sorts no more processes than this.
pub const MAX_LANES: usize = 16;

impl Lanes {
    /// Bit i: the movable lanes i and i + 1 are equal, and no cell points at either.
    #[inline]
    pub fn equal_neighbours(&self, state: &[u64]) -> usize {
        let mut equal = 0;
        let lane = |i: usize| self.lane(state, self.at[i]);
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
                    // Neither the pair before it nor the pair after it.
                    equal &= !(1 << target) & !((1 << target) >> 1);
                }
            }
        }
        equal
    }

    /// Sorts and returns the new place of each lane; `None` when all lanes stay.
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

    /// Like [`Lanes::sort`], where lanes also hold processes or nameless values; `None`, and the state unchanged, where that
    /// does not decide.
    pub fn sort_mixed(&self, cells: &Cells, packing: &Packing, state: &mut [u64]) -> Option<[u8; MAX_LANES]> {
        let mut keys = self.keys::<u128>(u64::BITS, state);
        let keys = &mut keys[self.fixed..self.at.len()];
        let sorted = keys.is_sorted();
        if !sorted {
            insertion_sort(keys);
        }
        if !self.ties_are_equal(keys, state) {
            return None;
        }
        let mut place: [u8; MAX_LANES] = std::array::from_fn(|i| i as u8);
        if !sorted {
            let old: [u64; MAX_LANES] =
                std::array::from_fn(|i| self.at.get(i).map_or(0, |at| self.lane(state, *at)));
            for key in keys.iter_mut() {
                // The whole lane is moved, not only its key.
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
        Some(place)
    }

    /// Whether sorting is enough where lanes also hold processes or nameless values.
    #[cfg(test)]
    pub(super) fn are_settled(&self, state: &[u64]) -> bool {
        let mut keys = self.keys::<u128>(u64::BITS, state);
        let keys = &mut keys[self.fixed..self.at.len()];
        insertion_sort(keys);
        self.ties_are_equal(keys, state)
    }

    /// Whether sorted lanes that tie are equal in all their cells, and nothing points at any of them: then it does
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
            // The lowest bits of a key are the process itself.
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

    /// For each lane: its contents (from bit `lane_at` on), the globals that point at it, and its number.
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

    /// Puts the lanes in the order of their keys, and redirects globals to their new places.
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

/// The sort key of a lane; in its lowest bits the process, then a bit for each global that points at it,
/// then the lane.
trait Key:
    Copy
    + Ord
    + Default
    + From<u64>
    + Into<u128>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + BitOr<Output = Self>
{
    #[inline]
    fn new(process: usize, lane: u64, lane_at: u32) -> Self {
        Self::from(lane) << lane_at | Self::from(process as u64)
    }

    /// Global number `j` points at the process.
    #[inline]
    fn point(&mut self, j: usize) {
        *self = *self | Self::from(1) << (FIRST_POINTER + j as u32);
    }

    #[inline]
    fn process(self) -> usize {
        (self.into() & 0xff) as usize
    }

    #[inline]
    fn lane(self, lane_at: u32) -> u64 {
        (self >> lane_at).into() as u64
    }
}

impl Key for u64 {}
impl Key for u128 {}

/// Bits of the process in a [`Key`].
const FIRST_POINTER: u32 = 8;

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
