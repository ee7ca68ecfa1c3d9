//! The set of visited states: an arena of packed states and a table of fingerprints.

use std::hint::black_box;
use std::ops::Range;

use wide::u32x8;

use crate::store::hash::{equal, hash};
use crate::tuning::{FIRST_BUCKETS, MAX_LOAD, SHARDS};

/// Slots of one cache line, filled in order.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Bucket {
    /// The upper half of the state's hash, never 0; 0 when empty.
    tags: [u32; BUCKET],
    numbers: [u32; BUCKET],
}

const BUCKET: usize = 8;

impl Bucket {
    const EMPTY: Self = Self { tags: [0; BUCKET], numbers: [0; BUCKET] };

    /// Bit i: slot i has this tag.
    #[inline]
    fn with(&self, tag: u32) -> u32 {
        u32x8::new(self.tags).simd_eq(u32x8::splat(tag)).to_bitmask()
    }

    #[inline]
    fn fill(&mut self, at: usize, tag: u32, number: u32) {
        self.tags[at] = tag;
        self.numbers[at] = number;
    }
}

#[inline]
const fn tag(h: u64) -> u32 {
    let tag = (h >> 32) as u32;
    if tag == 0 { 1 } else { tag }
}

/// Part of the table: an open-addressing hash table.
///
/// A state is in the bucket that its tag determines, or in one of those after it when that was full. Buckets
/// are in order of tags (except for full ones), so that growing reads and writes memory in
/// order and never reads a state.
#[derive(Clone, Debug)]
struct Shard {
    buckets: Vec<Bucket>,
    len: usize,
}

impl Shard {
    /// Part number `i`. Parts have different sizes, up to two fifths more, so that they do not all grow at
    /// the same time.
    fn new(i: usize) -> Self {
        Self { buckets: vec![Bucket::EMPTY; FIRST_BUCKETS + FIRST_BUCKETS * 2 / 5 * i / SHARDS], len: 0 }
    }

    /// The bucket where a probe for this tag starts.
    #[inline]
    fn start(&self, tag: u32) -> usize {
        ((u64::from(tag) * self.buckets.len() as u64) >> 32) as usize
    }

    #[inline]
    fn after(&self, at: usize) -> usize {
        if at + 1 == self.buckets.len() { 0 } else { at + 1 }
    }

    /// The number stored for `h` whose state satisfies `same`, or the empty slot where it belongs.
    #[inline]
    fn probe(&self, h: u64, mut same: impl FnMut(u32) -> bool) -> Result<u32, (usize, usize)> {
        let tag = tag(h);
        let mut at = self.start(tag);
        loop {
            let bucket = &self.buckets[at];
            let mut candidates = bucket.with(tag);
            while candidates != 0 {
                let number = bucket.numbers[candidates.trailing_zeros() as usize % BUCKET];
                if same(number) {
                    return Ok(number);
                }
                candidates &= candidates - 1;
            }
            let empty = bucket.with(0);
            if empty != 0 {
                return Err((at, empty.trailing_zeros() as usize % BUCKET));
            }
            at = self.after(at);
        }
    }

    /// Inserts the number of a state that is not there.
    #[inline]
    fn put(&mut self, tag: u32, number: u32) {
        let mut at = self.start(tag);
        loop {
            let empty = self.buckets[at].with(0);
            if empty != 0 {
                self.buckets[at].fill(empty.trailing_zeros() as usize % BUCKET, tag, number);
                return;
            }
            at = self.after(at);
        }
    }

    /// Reads what a probe reads after its first bucket: a state, or the next bucket.
    #[inline]
    fn read_on(&self, h: u64, arena: &[u64], words: usize) -> u64 {
        let tag = tag(h);
        let at = self.start(tag);
        let bucket = &self.buckets[at];
        let candidates = bucket.with(tag);
        if candidates != 0 {
            arena[bucket.numbers[candidates.trailing_zeros() as usize % BUCKET] as usize * words]
        } else if bucket.tags[BUCKET - 1] != 0 {
            u64::from(self.buckets[self.after(at)].tags[0])
        } else {
            0
        }
    }

    /// Makes room for one more state.
    #[inline]
    fn reserve(&mut self) {
        if (self.len + 1) * 100 > self.buckets.len() * BUCKET * MAX_LOAD {
            let now = self.buckets.len();
            // Small tables double; large ones grow by less, to waste little memory.
            self.grow(now + if now < 1 << 11 { now } else { now * 2 / 5 });
        }
    }

    #[cold]
    fn grow(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.buckets, vec![Bucket::EMPTY; size]);
        for bucket in &old {
            for (&tag, &number) in bucket.tags.iter().zip(&bucket.numbers) {
                if tag != 0 {
                    self.put(tag, number);
                }
            }
        }
    }
}

/// Insert-only set of packed states, numbered in order of insertion. Equal hashes are never mistaken for
/// equal states.
#[derive(Clone, Debug, Default)]
pub struct Store {
    words: usize,
    arena: Vec<u64>,
    shards: Vec<Shard>,
    len: usize,
}

/// The result of [`Store::insert`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    /// It is new and has this number.
    New(usize),
    /// It is known by this number.
    Old(usize),
}

impl Inserted {
    /// Its number, whether it is new or not.
    pub const fn number(self) -> usize {
        let (Self::New(number) | Self::Old(number)) = self;
        number
    }
}

fn state_of(arena: &[u64], words: usize, number: usize) -> &[u64] {
    &arena[number * words..(number + 1) * words]
}

impl Store {
    /// An empty set of states of `words` words.
    pub fn new(words: usize) -> Self {
        Self { words, arena: Vec::new(), shards: (0..SHARDS).map(Shard::new).collect(), len: 0 }
    }

    /// An empty set for few states.
    pub fn small(words: usize) -> Self {
        Self { words, arena: Vec::new(), shards: vec![Shard::new(0)], len: 0 }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub fn state(&self, i: usize) -> &[u64] {
        state_of(&self.arena, self.words, i)
    }

    /// The states of a range, one after the other.
    pub fn states(&self, range: Range<usize>) -> &[u64] {
        &self.arena[range.start * self.words..range.end * self.words]
    }

    pub fn bytes(&self) -> usize {
        8 * (self.arena.capacity() + self.shards.iter().map(|s| BUCKET * s.buckets.capacity()).sum::<usize>())
    }

    /// Bytes that one state of `words` words takes, averaged over how full the table is.
    pub const fn bytes_each(words: usize) -> usize {
        8 * words + 11
    }

    #[inline]
    fn shard(&self, h: u64) -> usize {
        h as usize & (self.shards.len() - 1)
    }

    #[inline]
    pub fn find(&self, state: &[u64]) -> Option<usize> {
        self.find_hashed(state, hash(state))
    }

    /// The number of a state with this hash, if it is there.
    #[inline]
    pub fn find_hashed(&self, state: &[u64], h: u64) -> Option<usize> {
        let same = |number| equal(state_of(&self.arena, self.words, number as usize), state);
        self.shards[self.shard(h)].probe(h, same).ok().map(|n| n as usize)
    }

    /// Adds a state unless it is there. The caller ensures that there are fewer than [`MAX_STATES`](crate::limits::MAX_STATES).
    #[inline]
    pub fn insert(&mut self, state: &[u64], h: u64) -> Inserted {
        let shard = self.shard(h);
        let shard = &mut self.shards[shard];
        shard.reserve();
        let same = |number| equal(state_of(&self.arena, self.words, number as usize), state);
        match shard.probe(h, same) {
            Ok(number) => Inserted::Old(number as usize),
            Err((bucket, slot)) => {
                shard.buckets[bucket].fill(slot, tag(h), self.len as u32);
                shard.len += 1;
                reserve(&mut self.arena, state.len());
                self.arena.extend_from_slice(state);
                self.len += 1;
                Inserted::New(self.len - 1)
            }
        }
    }

    /// Reads the memory that [`Store::insert`] will read for these hashes, [`TOUCH_GROUP`](crate::tuning::TOUCH_GROUP) at most. These reads do not
    /// wait for one another, so that a search which touches its successors first seldom waits for memory.
    #[inline]
    pub fn touch(&self, hashes: &[u64]) {
        let mut sum = 0;
        for h in hashes {
            let shard = &self.shards[self.shard(*h)];
            sum ^= u64::from(shard.buckets[shard.start(tag(*h))].tags[0]);
        }
        for h in hashes {
            sum ^= self.shards[self.shard(*h)].read_on(*h, &self.arena, self.words);
        }
        // The sum is not needed; but without it the reads would be optimized away.
        black_box(sum);
    }
}

/// Makes room for `more` values, growing large vectors by a quarter.
#[inline]
pub fn reserve<T>(vec: &mut Vec<T>, more: usize) {
    if vec.len() + more > vec.capacity() && vec.capacity() > 1 << 14 {
        vec.reserve_exact(more.max(vec.capacity() / 4));
    }
}

#[cfg(test)]
mod tests {
    use super::{Inserted, Store, hash};

    #[test]
    fn numbers_follow_insertion() {
        let mut store = Store::new(2);
        for round in 0..2 {
            for i in 0..50_000u64 {
                let state = [i / 7, i % 7];
                let expected = i as usize;
                let found = store.insert(&state, hash(&state));
                let wanted = if round == 0 { Inserted::New(expected) } else { Inserted::Old(expected) };
                assert_eq!(found, wanted);
                assert_eq!(store.state(expected), state);
            }
        }
        assert_eq!(store.find(&[50_000, 0]), None);
    }

    #[test]
    fn states_with_equal_hashes_are_distinguished() {
        let mut store = Store::small(1);
        for i in 0..200 {
            assert_eq!(store.insert(&[i], 42), Inserted::New(i as usize));
        }
        assert_eq!(store.insert(&[77], 42), Inserted::Old(77));
    }
}
