//! The set of visited states: an arena of packed states and a table of fingerprints.

/// Multiply-and-fold hash of a packed state.
#[inline]
pub(super) fn hash(state: &[u64]) -> u64 {
    let mut h: u64 = 0x243f_6a88_85a3_08d3;
    for &word in state {
        let product = u128::from(word ^ h) * u128::from(0x9e37_79b9_7f4a_7c15u64);
        h = (product as u64) ^ ((product >> 64) as u64) ^ h.rotate_left(29);
    }
    let product = u128::from(h ^ 0xa409_3822_299f_31d0) * u128::from(0xd6e8_feb8_6659_fd93u64);
    (product as u64) ^ ((product >> 64) as u64)
}

/// Parts of the table of a large set.
const SHARDS: usize = 64;
/// Slots of a part to begin with.
const FIRST_SLOTS: usize = 16;
/// A part is at most this full, in percent.
const MAX_LOAD: usize = 80;

/// Part of the table: an open-addressing hash table with linear probing.
///
/// A slot is 0 when empty; else the upper half of the state's hash, which also says where probing
/// starts, and the state's number plus one. Slots stand in order of their hashes (but for collisions),
/// so that growing reads and writes memory in order and never looks at a state.
#[derive(Clone, Debug)]
struct Shard {
    slots: Vec<u64>,
    len: usize,
}

impl Shard {
    fn new() -> Self {
        Self { slots: vec![0; FIRST_SLOTS], len: 0 }
    }

    /// The slot where a probe for this hash (or this slot's content) starts.
    #[inline]
    fn start(&self, h: u64) -> usize {
        ((u128::from(h >> 32) * self.slots.len() as u128) >> 32) as usize
    }

    /// The number stored for `h` whose state satisfies `same`, or the empty slot where it belongs.
    #[inline]
    fn probe(&self, h: u64, mut same: impl FnMut(u32) -> bool) -> Result<u32, usize> {
        let mut at = self.start(h);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if (slot ^ h) >> 32 == 0 {
                let number = (slot as u32).wrapping_sub(1);
                if same(number) {
                    return Ok(number);
                }
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    #[inline]
    fn fill(&mut self, at: usize, h: u64, number: u32) {
        self.slots[at] = h & 0xffff_ffff_0000_0000 | u64::from(number.wrapping_add(1));
    }

    /// Makes room for so many more.
    #[inline]
    fn reserve(&mut self, more: usize) {
        if (self.len + more) * 100 > self.slots.len() * MAX_LOAD {
            let least = (self.len + more) * 100 / MAX_LOAD + 1;
            // Small tables double; large ones grow by a quarter, to waste little memory.
            let growth = if self.slots.len() < 1 << 14 { self.slots.len() } else { self.slots.len() / 4 };
            self.grow(least.max(self.slots.len() + growth));
        }
    }

    #[cold]
    fn grow(&mut self, size: usize) {
        let old = std::mem::replace(&mut self.slots, vec![0; size]);
        for slot in old {
            if slot != 0 {
                let mut at = self.start(slot);
                while self.slots[at] != 0 {
                    at += 1;
                    if at == size {
                        at = 0;
                    }
                }
                self.slots[at] = slot;
            }
        }
    }
}

/// Insert-only set of packed states, numbered in order of insertion. Equal hashes are never taken for
/// equal states.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    words: usize,
    arena: Vec<u64>,
    shards: Vec<Shard>,
    len: usize,
}

/// What [`Store::insert`] found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Inserted {
    /// It is new and has this number.
    New(usize),
    /// It is known by this number.
    Old(usize),
}

/// States to insert at once: those of one chunk.
pub(super) struct Batch<'a> {
    pub states: &'a [u64],
    pub hashes: &'a [u64],
}

/// A new state of a batch that has its slot and waits for its number.
struct Pending {
    batch: u32,
    index: u32,
    slot: usize,
}

/// Numbers from here on are positions in a list of pending states.
const PENDING: u32 = u32::MAX - (1 << 28);
/// Sets have fewer states than this.
pub(super) const MAX_STATES: usize = PENDING as usize - 1;

fn state_of(arena: &[u64], words: usize, number: usize) -> &[u64] {
    &arena[number * words..(number + 1) * words]
}

impl Store {
    /// An empty set of states of `words` words.
    pub fn new(words: usize) -> Self {
        Self { words, arena: Vec::new(), shards: vec![Shard::new(); SHARDS], len: 0 }
    }

    /// An empty set that will not have many states.
    pub fn small(words: usize) -> Self {
        Self { words, arena: Vec::new(), shards: vec![Shard::new()], len: 0 }
    }

    /// Number of states.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// State number `i`.
    #[inline]
    pub fn state(&self, i: usize) -> &[u64] {
        state_of(&self.arena, self.words, i)
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        8 * (self.arena.capacity() + self.shards.iter().map(|s| s.slots.capacity()).sum::<usize>())
    }

    #[inline]
    fn shard(&self, h: u64) -> usize {
        h as usize & (self.shards.len() - 1)
    }

    /// The number of a state, if it is there.
    #[inline]
    pub fn find(&self, state: &[u64]) -> Option<usize> {
        self.find_hashed(state, hash(state))
    }

    /// The number of a state with this hash, if it is there.
    #[inline]
    pub fn find_hashed(&self, state: &[u64], h: u64) -> Option<usize> {
        let same = |number| state_of(&self.arena, self.words, number as usize) == state;
        self.shards[self.shard(h)].probe(h, same).ok().map(|n| n as usize)
    }

    /// Adds a state unless it is there. The caller sees to it that there are fewer than [`MAX_STATES`].
    #[inline]
    pub fn insert(&mut self, state: &[u64], h: u64) -> Inserted {
        let shard = self.shard(h);
        let shard = &mut self.shards[shard];
        shard.reserve(1);
        let same = |number| state_of(&self.arena, self.words, number as usize) == state;
        match shard.probe(h, same) {
            Ok(number) => Inserted::Old(number as usize),
            Err(slot) => {
                shard.fill(slot, h, self.len as u32);
                shard.len += 1;
                reserve(&mut self.arena, state.len());
                self.arena.extend_from_slice(state);
                self.len += 1;
                Inserted::New(self.len - 1)
            }
        }
    }

    /// Adds all states of the batches that are not there, on `jobs` threads, numbered as if they came
    /// one by one. Calls `f` with batch and index of each new state, in order.
    pub fn insert_all(&mut self, batches: &[Batch<'_>], jobs: usize, mut f: impl FnMut(usize, usize)) {
        let words = self.words;
        let count = self.shards.len();
        let arena = &self.arena;
        let pending_state = |p: &Pending| {
            let first = p.index as usize * words;
            &batches[p.batch as usize].states[first..first + words]
        };
        // Each part by itself: find what is new, first come first served.
        let fill = |number: usize, shard: &mut Shard| {
            let mut pending: Vec<Pending> = Vec::new();
            let mine = |h: &u64| *h as usize & (count - 1) == number;
            shard.reserve(batches.iter().map(|b| b.hashes.iter().filter(|h| mine(h)).count()).sum());
            for (b, batch) in batches.iter().enumerate() {
                for (i, &h) in batch.hashes.iter().enumerate().filter(|(_, h)| mine(h)) {
                    let state = &batch.states[i * words..(i + 1) * words];
                    let same = |n: u32| match n.checked_sub(PENDING) {
                        Some(n) => pending_state(&pending[n as usize]) == state,
                        None => state_of(arena, words, n as usize) == state,
                    };
                    if let Err(slot) = shard.probe(h, same) {
                        shard.fill(slot, h, PENDING + pending.len() as u32);
                        shard.len += 1;
                        pending.push(Pending { batch: b as u32, index: i as u32, slot });
                    }
                }
            }
            pending
        };
        let part = count.div_ceil(jobs.max(1));
        let pending: Vec<Vec<Pending>> = std::thread::scope(|scope| {
            let workers: Vec<_> = self
                .shards
                .chunks_mut(part)
                .enumerate()
                .map(|(n, shards)| {
                    let fill = &fill;
                    scope.spawn(move || {
                        let numbered = shards.iter_mut().enumerate();
                        numbered.map(|(i, shard)| fill(n * part + i, shard)).collect::<Vec<_>>()
                    })
                })
                .collect();
            workers.into_iter().flat_map(|w| w.join().expect("filling a part does not fail")).collect()
        });
        // Number them in order.
        let mut numbers: Vec<Vec<u32>> = batches.iter().map(|b| vec![u32::MAX; b.hashes.len()]).collect();
        for p in pending.iter().flatten() {
            numbers[p.batch as usize][p.index as usize] = 0;
        }
        for (b, numbers) in numbers.iter_mut().enumerate() {
            for (i, number) in numbers.iter_mut().enumerate().filter(|(_, n)| **n == 0) {
                *number = self.len as u32;
                self.len += 1;
                reserve(&mut self.arena, words);
                self.arena.extend_from_slice(&batches[b].states[i * words..(i + 1) * words]);
                f(b, i);
            }
        }
        // Write the numbers into the slots.
        std::thread::scope(|scope| {
            for (shards, pending) in self.shards.chunks_mut(part).zip(pending.chunks(part)) {
                let numbers = &numbers;
                scope.spawn(move || {
                    for (shard, pending) in shards.iter_mut().zip(pending) {
                        for p in pending {
                            let h = shard.slots[p.slot];
                            shard.fill(p.slot, h, numbers[p.batch as usize][p.index as usize]);
                        }
                    }
                });
            }
        });
    }
}

/// Makes room for `more` values, growing large vectors by a quarter.
#[inline]
pub(super) fn reserve<T>(vec: &mut Vec<T>, more: usize) {
    if vec.len() + more > vec.capacity() && vec.capacity() > 1 << 14 {
        vec.reserve_exact(more.max(vec.capacity() / 4));
    }
}

#[cfg(test)]
mod tests {
    use super::{Batch, Inserted, Store, hash};

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
    fn equal_hashes_are_told_apart() {
        let mut store = Store::small(1);
        for i in 0..200 {
            assert_eq!(store.insert(&[i], 42), Inserted::New(i as usize));
        }
        assert_eq!(store.insert(&[77], 42), Inserted::Old(77));
    }

    #[test]
    fn inserting_at_once_is_inserting_one_by_one() {
        let states: Vec<u64> = (0..30_000u64).map(|i| i * i % 9_973).collect();
        let hashes: Vec<u64> = states.iter().map(|s| hash(&[*s])).collect();
        let mut one = Store::new(1);
        let mut at_once = Store::new(1);
        let mut new = Vec::new();
        for (i, (s, h)) in states.iter().zip(&hashes).enumerate() {
            if let Inserted::New(_) = one.insert(&[*s], *h) {
                new.push(i);
            }
        }
        let mut found = Vec::new();
        for third in 0..3 {
            let range = third * 10_000..(third + 1) * 10_000;
            let batches: Vec<Batch<'_>> = range
                .clone()
                .step_by(1_000)
                .map(|i| Batch { states: &states[i..i + 1_000], hashes: &hashes[i..i + 1_000] })
                .collect();
            at_once.insert_all(&batches, 3, |b, i| found.push(range.start + b * 1_000 + i));
        }
        assert_eq!(found, new);
        assert_eq!(at_once.arena, one.arena);
        assert!((0..one.len()).all(|i| at_once.find(one.state(i)) == Some(i)));
    }
}
