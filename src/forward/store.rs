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

/// Insert-only set of packed states, numbered in order of insertion. A slot of the table holds half of
/// the state's hash and its number; equal hashes are never taken for equal states.
#[derive(Clone, Debug, Default)]
pub(super) struct Store {
    words: usize,
    arena: Vec<u64>,
    /// 0 is empty; else fingerprint in the upper half, number + 1 in the lower.
    slots: Vec<u64>,
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

impl Store {
    /// An empty set of states of `words` words.
    pub fn new(words: usize) -> Self {
        Self { words, arena: Vec::new(), slots: vec![0; 1 << 10], len: 0 }
    }

    /// Number of states.
    pub const fn len(&self) -> usize {
        self.len
    }

    /// State number `i`.
    #[inline]
    pub fn state(&self, i: usize) -> &[u64] {
        &self.arena[i * self.words..(i + 1) * self.words]
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        8 * (self.arena.capacity() + self.slots.capacity())
    }

    /// The slot where a probe for `h` starts.
    #[inline]
    fn start(&self, h: u64) -> usize {
        ((u128::from(h) * self.slots.len() as u128) >> 64) as usize
    }

    /// The number of a state, if it is there.
    pub fn find(&self, state: &[u64]) -> Option<usize> {
        self.probe(state, hash(state)).ok()
    }

    /// Number, or the empty slot where the state belongs.
    #[inline]
    fn probe(&self, state: &[u64], h: u64) -> Result<usize, usize> {
        let mut at = self.start(h);
        let print = h << 32;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return Err(at);
            }
            if slot & 0xffff_ffff_0000_0000 == print {
                let number = (slot & 0xffff_ffff) as usize - 1;
                if self.state(number) == state {
                    return Ok(number);
                }
            }
            at += 1;
            if at == self.slots.len() {
                at = 0;
            }
        }
    }

    /// Adds a state unless it is there. States beyond 2^32 - 2 are refused by the caller.
    #[inline]
    pub fn insert(&mut self, state: &[u64], h: u64) -> Inserted {
        match self.probe(state, h) {
            Ok(number) => Inserted::Old(number),
            Err(slot) => {
                let number = self.len;
                self.slots[slot] = h << 32 | (number as u64 + 1);
                self.arena.extend_from_slice(state);
                self.len += 1;
                if self.len * 5 > self.slots.len() * 4 {
                    self.grow();
                }
                Inserted::New(number)
            }
        }
    }

    fn grow(&mut self) {
        let size = self.slots.len() + self.slots.len() / 2;
        self.slots = Vec::new();
        self.slots = vec![0; size];
        for number in 0..self.len {
            let h = hash(&self.arena[number * self.words..(number + 1) * self.words]);
            let mut at = self.start(h);
            while self.slots[at] != 0 {
                at += 1;
                if at == self.slots.len() {
                    at = 0;
                }
            }
            self.slots[at] = h << 32 | (number as u64 + 1);
        }
    }
}
