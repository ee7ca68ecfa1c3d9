//! A set of numbers that stores of each only what its position does not determine (Cleary, *Compact Hash Tables Using
//! Bidirectional Linear Probing*, 1984).
//!
//! An invertible function mixes a number, so that it is anywhere in `0..2^W`. Its bucket is then the
//! leading part, and the remainder is stored: in a byte, for quick comparison, and the bits after
//! that. Nothing is lost: the bucket and the remainder determine the number. A bucket is one cache line; numbers that do
//! not fit, which is rare, are stored separately.

use std::hint::black_box;

use hashbrown::HashTable;
use wide::u8x16;

use crate::store::hash::hash;

/// Parts of the set, which grow one at a time.
const PARTS_BITS: u32 = 6;
const PARTS: usize = 1 << PARTS_BITS;

/// A bucket: its number of entries, a byte of each, then the other bits of each.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket([u8; BYTES]);

const BYTES: usize = 64;

/// A part grows when it is fuller than this, in percent of the entries that fit.
const FULL: usize = 80;

/// A set of numbers below `2^W`.
#[derive(Clone, Debug)]
pub struct QuotientSet {
    bits: u32,
    parts: Vec<Part>,
    len: usize,
    bytes: usize,
}

#[derive(Clone, Debug)]
struct Part {
    /// Bits of the numbers within the part.
    bits: u32,
    buckets: Vec<Bucket>,
    /// Bits of a remainder, at least 8, and how many fit into a bucket.
    width: u32,
    fit: usize,
    /// Remainders omit this many of the bits that follow the bucket in a number: those are the same for all.
    drop: u32,
    len: usize,
    /// Numbers that did not fit into full buckets.
    spilled: HashTable<u64>,
}

/// Bits of the numbers below `universe`. With fewer there would be nothing to store.
fn bits_for(universe: u64) -> u32 {
    (64 - universe.saturating_sub(1).leading_zeros()).max(PARTS_BITS + 16)
}

impl QuotientSet {
    /// An empty set of numbers below `universe`.
    pub fn new(universe: u64) -> Self {
        let bits = bits_for(universe);
        // Parts have different sizes, so that they do not all grow at the same time.
        let parts = (0..PARTS).map(|i| Part::new(bits - PARTS_BITS, 4 + 2 * i / PARTS)).collect();
        let mut new = Self { bits, parts, len: 0, bytes: 0 };
        new.bytes = new.parts.iter().map(Part::bytes).sum();
        new
    }

    /// Whether numbers below `universe` fit, without a spare bit.
    pub fn has_room(&self, universe: u64) -> bool {
        self.bits == bits_for(universe)
    }

    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The mixed form of a number, as stored in the set.
    #[inline]
    pub const fn mixed(&self, n: u64) -> u64 {
        mix(n, self.bits)
    }

    /// The location of a mixed number: the part, and the number within it.
    #[inline]
    const fn place(&self, mixed: u64) -> (usize, u64) {
        let bits = self.bits - PARTS_BITS;
        ((mixed >> bits) as usize, mixed & ((1 << bits) - 1))
    }

    #[inline]
    pub fn contains(&self, n: u64) -> bool {
        let (part, x) = self.place(self.mixed(n));
        let part = &self.parts[part];
        part.contains_at(x, part.split(x))
    }

    /// Adds a mixed number; false when it is in the set already.
    #[inline]
    pub fn insert_mixed(&mut self, mixed: u64) -> bool {
        let (part, x) = self.place(mixed);
        let part = &mut self.parts[part];
        let mut at = part.split(x);
        if part.contains_at(x, at) {
            return false;
        }
        if part.len * 100 >= part.buckets.len() * part.fit * FULL {
            let before = part.bytes();
            part.grow();
            at = part.split(x);
            self.bytes = self.bytes + part.bytes() - before;
        }
        let before = part.spilled.allocation_size();
        part.put(x, at);
        self.bytes += part.spilled.allocation_size() - before;
        self.len += 1;
        true
    }

    /// Reads the memory that looking up these mixed numbers will read; the reads do not wait for one another.
    #[inline]
    pub fn touch(&self, mixed: &[u64]) {
        let mut sum = 0;
        for n in mixed {
            let (part, x) = self.place(*n);
            let part = &self.parts[part];
            sum ^= part.buckets[part.split(x).0].0[0];
        }
        black_box(sum);
    }
}

impl Part {
    fn new(bits: u32, buckets: usize) -> Self {
        let drop = buckets.ilog2();
        let width = (bits - drop).max(8);
        Self {
            bits,
            buckets: vec![Bucket([0; BYTES]); buckets],
            width,
            fit: (BYTES - 1) * 8 / width as usize,
            drop,
            len: 0,
            spilled: HashTable::new(),
        }
    }

    fn bytes(&self) -> usize {
        BYTES * self.buckets.capacity() + self.spilled.allocation_size()
    }

    /// The bucket of a number, and the remainder. Numbers of one bucket are multiples of the number of buckets apart,
    /// so that their remainders differ although `drop` bits are gone.
    #[inline]
    fn split(&self, x: u64) -> (usize, u64) {
        let product = u128::from(x) * self.buckets.len() as u128;
        let low = product as u64 & ((1 << self.bits) - 1);
        ((product >> self.bits) as usize, low >> self.drop)
    }

    /// The number from its bucket and remainder; `inverse` is 2^64 over the number of buckets, rounded up.
    #[inline]
    fn join(&self, bucket: usize, remainder: u64, inverse: u64) -> u64 {
        let buckets = self.buckets.len() as u128;
        let least = (bucket as u128) << self.bits | u128::from(remainder) << self.drop;
        let Ok(short) = u64::try_from(least) else { return least.div_ceil(buckets) as u64 };
        // A product is faster than a division, and only slightly wrong.
        let mut x = ((u128::from(short) * u128::from(inverse)) >> 64) as u64;
        while u128::from(x) * buckets < least {
            x += 1;
        }
        while x > 0 && u128::from(x - 1) * buckets >= least {
            x -= 1;
        }
        x
    }

    /// The slots of a bucket with this first byte.
    #[inline]
    fn with(&self, bucket: &Bucket, byte: u8) -> u64 {
        let wanted = u8x16::splat(byte);
        let mut found = 0;
        // Whole vectors; what they hold besides first bytes does not count.
        for (i, bytes) in bucket.0.as_chunks::<16>().0.iter().enumerate().take(self.fit / 16 + 1) {
            found |= u64::from(u8x16::new(*bytes).simd_eq(wanted).to_bitmask()) << (16 * i);
        }
        // The count comes first.
        (found >> 1) & ((1 << bucket.0[0]) - 1)
    }

    /// The bits of a remainder beyond its byte.
    #[inline]
    fn more(&self, bucket: &Bucket, slot: usize) -> u64 {
        let width = self.width - 8;
        let (at, shift) = self.window(slot);
        let word = u64::from_le_bytes(bucket.0[at..at + 8].try_into().expect("it has eight bytes"));
        word >> shift & ((1 << width) - 1)
    }

    /// The eight bytes that hold those bits, and where in them they begin.
    #[inline]
    fn window(&self, slot: usize) -> (usize, u32) {
        let first = 8 * (1 + self.fit) + slot * (self.width as usize - 8);
        let at = (first / 8).min(BYTES - 8);
        (at, (first - 8 * at).min(63) as u32)
    }

    /// Whether the number that [`Part::split`] decomposes like this is in the part.
    #[inline]
    fn contains_at(&self, x: u64, (at, remainder): (usize, u64)) -> bool {
        let bucket = &self.buckets[at];
        let mut candidates = self.with(bucket, remainder as u8);
        while candidates != 0 {
            if self.more(bucket, candidates.trailing_zeros() as usize) == remainder >> 8 {
                return true;
            }
            candidates &= candidates - 1;
        }
        usize::from(bucket.0[0]) == self.fit && self.spilled.find(hash(&[x]), |n| *n == x).is_some()
    }

    /// Adds a number that is not in the part, which [`Part::split`] decomposes like this.
    #[inline]
    fn put(&mut self, x: u64, (at, remainder): (usize, u64)) {
        self.len += 1;
        let slot = usize::from(self.buckets[at].0[0]);
        if slot == self.fit {
            self.spilled.insert_unique(hash(&[x]), x, |n| hash(&[*n]));
            return;
        }
        let (window, shift) = self.window(slot);
        let bytes = &mut self.buckets[at].0;
        bytes[0] += 1;
        bytes[1 + slot] = remainder as u8;
        let word = u64::from_le_bytes(bytes[window..window + 8].try_into().expect("it has eight bytes"));
        let word = word | (remainder >> 8) << shift;
        bytes[window..window + 8].copy_from_slice(&word.to_le_bytes());
    }

    /// Small parts double; large ones grow by less, to waste little memory. Numbers are stored in order, so that memory
    /// is read and written in order.
    #[cold]
    fn grow(&mut self) {
        let now = self.buckets.len();
        let size = if now < 1 << 7 { 2 * now } else { now + now / 3 };
        let mut new = Self::new(self.bits, size);
        self.for_each(|x| {
            let at = new.split(x);
            new.put(x, at);
        });
        *self = new;
    }

    fn for_each(&self, mut f: impl FnMut(u64)) {
        let inverse = u64::MAX / self.buckets.len() as u64 + 1;
        for (at, bucket) in self.buckets.iter().enumerate() {
            for slot in 0..usize::from(bucket.0[0]) {
                let remainder = self.more(bucket, slot) << 8 | u64::from(bucket.0[1 + slot]);
                f(self.join(at, remainder, inverse));
            }
        }
        self.spilled.iter().for_each(|n| f(*n));
    }
}

const FIRST: u64 = 0x9e37_79b9_7f4a_7c15;
const SECOND: u64 = 0xd6e8_feb8_6659_fd93;

/// A one-to-one function of numbers of `bits` bits that destroys their order.
#[inline]
const fn mix(n: u64, bits: u32) -> u64 {
    let (mask, half) = (u64::MAX >> (64 - bits), bits.div_ceil(2));
    let n = (n ^ n >> half).wrapping_mul(FIRST) & mask;
    let n = (n ^ n >> half).wrapping_mul(SECOND) & mask;
    n ^ n >> half
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{FIRST, PARTS_BITS, QuotientSet, SECOND, mix};

    /// Undoes [`mix`]: a shift by half of the bits undoes itself.
    const fn unmix(n: u64, bits: u32) -> u64 {
        let (mask, half) = (u64::MAX >> (64 - bits), bits.div_ceil(2));
        let n = (n ^ n >> half).wrapping_mul(inverse(SECOND)) & mask;
        let n = (n ^ n >> half).wrapping_mul(inverse(FIRST)) & mask;
        n ^ n >> half
    }

    /// The inverse of an odd number modulo 2^64: each step doubles the number of correct bits, initially three.
    const fn inverse(odd: u64) -> u64 {
        let mut x = odd;
        let mut step = 0;
        while step < 5 {
            x = x.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(x)));
            step += 1;
        }
        x
    }

    #[test]
    fn mixing_can_be_undone() {
        for bits in [7, 22, 23, 36, 55, 56, 63] {
            for i in 0..1000u64 {
                let n = i.wrapping_mul(0x1234_5678_9abc_def1) & (u64::MAX >> (64 - bits));
                assert!(mix(n, bits) <= u64::MAX >> (64 - bits));
                assert_eq!(unmix(mix(n, bits), bits), n, "{bits} bits");
            }
        }
    }

    /// Compares with an ordered set, for universes from dense to sparse.
    #[test]
    fn the_set_has_exactly_the_inserted_numbers() {
        for (universe, step) in
            [(200_000u64, 1u64), (1 << 24, 77), (1 << 36, 987_659), (1 << 56, 1_234_567_891_234)]
        {
            let mut set = QuotientSet::new(universe);
            let mut known = BTreeSet::new();
            for i in 0..150_000u64 {
                // Each number occurs about twice, not in order.
                let n = (i * i % 99_991).wrapping_mul(step) % universe;
                assert_eq!(set.contains(n), known.contains(&n), "{n} of {universe}");
                assert_eq!(set.insert_mixed(set.mixed(n)), known.insert(n), "{n} of {universe}");
            }
            let mut all = Vec::new();
            for (i, part) in set.parts.iter().enumerate() {
                part.for_each(|x| all.push(unmix((i as u64) << (set.bits - PARTS_BITS) | x, set.bits)));
            }
            all.sort_unstable();
            assert!(all.iter().eq(&known), "{universe}");
            let bytes: usize = set.parts.iter().map(super::Part::bytes).sum();
            assert_eq!(set.bytes(), bytes);
            assert_eq!(set.len, known.len());
        }
    }

    #[test]
    fn numbers_take_less_than_five_bytes() {
        let mut set = QuotientSet::new(1 << 36);
        for i in 0..2_000_000u64 {
            set.insert_mixed(set.mixed(i.wrapping_mul(34_359) % (1 << 36)));
        }
        let each = set.bytes() as f64 / set.len as f64;
        assert!(each < 4.5, "{each} bytes each");
        let apart: usize = set.parts.iter().map(|part| part.spilled.len()).sum();
        assert!(apart * 20 < set.len, "{apart} stand apart");
    }
}
