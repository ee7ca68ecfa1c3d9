//! Records that occur in states, numbered in the order in which they first occurred.

use crate::store::hash::hash;
use crate::store::table::{Inserted, Store};

#[derive(Clone, Debug)]
pub struct Dictionary {
    records: Store,
    /// For one-word records below the length of this table: their numbers plus one, without a search.
    direct: Vec<u32>,
}

/// Records of no more bits than this are looked up without a search: the table stays in the caches.
const DIRECT_BITS: u32 = 12;

impl Dictionary {
    /// An empty dictionary for records of `words` words; those of one word have `bits` bits.
    pub fn new(words: usize, bits: u32) -> Self {
        let direct = if words == 1 && bits <= DIRECT_BITS { 1 << bits } else { 0 };
        Self { records: Store::small(words), direct: vec![0; direct] }
    }

    pub const fn len(&self) -> usize {
        self.records.len()
    }

    pub fn bytes(&self) -> usize {
        self.records.bytes() + 4 * self.direct.capacity()
    }

    #[inline]
    pub fn value(&self, id: usize) -> &[u64] {
        self.records.state(id)
    }

    /// Its number, if it is known.
    #[inline]
    pub fn find(&self, value: &[u64]) -> Option<usize> {
        match self.direct.get(value[0] as usize) {
            Some(number) => (*number as usize).checked_sub(1),
            None => self.records.find(value),
        }
    }

    pub fn add(&mut self, value: &[u64]) {
        if let Inserted::New(id) = self.records.insert(value, hash(value))
            && let Some(number) = self.direct.get_mut(value[0] as usize)
        {
            *number = id as u32 + 1;
        }
    }
}
