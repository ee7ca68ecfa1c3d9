//! Records that occur in states, numbered in the order in which they first occurred.

/// Records of a fixed number of words.
#[derive(Clone, Debug)]
pub struct Dictionary {
    words: usize,
    /// One after the other.
    values: Vec<u64>,
    /// Open addressing: a record's number plus one; 0 for an empty slot. At most half of the slots are used.
    slots: Vec<u32>,
    /// For one-word records below the length of this table: their numbers plus one, without a search.
    direct: Vec<u32>,
}

/// Records of no more bits than this are looked up without a search: the table stays in the caches.
const DIRECT_BITS: u32 = 12;

impl Dictionary {
    /// An empty dictionary for records of `words` words; those of one word have `bits` bits.
    pub fn new(words: usize, bits: u32) -> Self {
        let direct = if words == 1 && bits <= DIRECT_BITS { 1 << bits } else { 0 };
        Self { words, values: Vec::new(), slots: vec![0; 64], direct: vec![0; direct] }
    }

    pub fn len(&self) -> usize {
        self.values.len() / self.words
    }

    pub fn bytes(&self) -> usize {
        8 * self.values.capacity() + 4 * (self.slots.capacity() + self.direct.capacity())
    }

    /// The record of this number.
    #[inline]
    pub fn value(&self, id: usize) -> &[u64] {
        &self.values[id * self.words..(id + 1) * self.words]
    }

    /// Its number, if it is known.
    #[inline]
    pub fn find(&self, value: &[u64]) -> Option<usize> {
        if let [one] = value
            && let Some(slot) = self.direct.get(*one as usize)
        {
            return (*slot as usize).checked_sub(1);
        }
        self.probe(value).ok()
    }

    /// Its number, or the slot where it belongs.
    #[inline]
    fn probe(&self, value: &[u64]) -> Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = spread(value) & mask;
        loop {
            let Some(id) = (self.slots[slot] as usize).checked_sub(1) else { return Err(slot) };
            if self.value(id) == value {
                return Ok(id);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// Its number, a new one when it was unknown.
    pub fn number(&mut self, value: &[u64]) -> usize {
        if let Some(id) = self.find(value) {
            return id;
        }
        let id = self.len();
        self.values.extend_from_slice(value);
        if let [one] = value
            && let Some(slot) = self.direct.get_mut(*one as usize)
        {
            *slot = id as u32 + 1;
            return id;
        }
        if 2 * self.len() > self.slots.len() {
            self.slots = vec![0; 2 * self.slots.len()];
            for id in 0..=id {
                let slot = self.probe(&self.values[id * self.words..(id + 1) * self.words]);
                self.slots[slot.expect_err("records are distinct")] = id as u32 + 1;
            }
        } else {
            let slot = self.probe(value).expect_err("it is new: its value stands in no slot");
            self.slots[slot] = id as u32 + 1;
        }
        id
    }
}

/// The first slot for a record. There are few, and the table stays in the caches: a simple function is enough.
#[inline]
fn spread(value: &[u64]) -> usize {
    let step = |h: u64, word: &u64| {
        let h = (h ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        h ^ h >> 32
    };
    value.iter().fold(0, step) as usize
}
