//! States that may be mistaken for others: four bits for each, and no data of those that were expanded.
//!
//! A table of bits in place of states (Holzmann, *An Improved Protocol Reachability Analysis Technique*, 1988): a state is
//! considered known when all its bits are set. The bits of a state are in one cache line, so that a lookup reads the memory
//! once. A table of hashes would miss fewer states while it has room; this one continues with any number of states, which
//! is its purpose. A new state hits a line with as many bits set as its line has, so the number of missed states can be
//! estimated.

use std::ops::Range;

use crate::store::batch::Batch;
use crate::store::compact::log::Parents;
use crate::store::hash::hash;
use crate::store::intake::{InMemory, Incompressible, Intake, Offer};
use cubicle_run::Stop;

/// Number of bits of a state.
const BITS: usize = 4;

#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([u64; 8]);

/// The states of a breadth-first search, except for some that were missed.
#[derive(Debug, Default)]
pub struct LossyStates {
    words: usize,
    lines: Vec<Line>,
    parents: Parents,
    len: usize,
    /// The expected number of states that were mistaken for others.
    pub missed: f64,
    /// Number of the first state of the level that is being expanded, the states of that level, and those of the next.
    first: usize,
    level: Vec<u64>,
    next: Vec<u64>,
    /// Numbers of states that are to be kept, in order, and the states kept.
    wanted: Vec<usize>,
    /// States that were kept, one after the other.
    pub kept: Vec<u64>,
}

impl LossyStates {
    /// An empty store for states of `words` words, with a table of `bytes` bytes.
    pub fn new(words: usize, bytes: usize) -> Self {
        Self { words, lines: vec![Line([0; 8]); (bytes / size_of::<Line>()).max(1)], ..Self::default() }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        let states = self.level.capacity() + self.next.capacity() + self.kept.capacity();
        size_of::<Line>() * self.lines.len() + self.parents.bytes() + 8 * states
    }

    /// Keeps the states with these numbers, which are sorted.
    pub fn want(&mut self, numbers: Vec<usize>) {
        self.wanted = numbers;
    }

    /// The line of a state, and its bits there: the word of each, and the bit.
    #[inline]
    fn places(&self, state: &[u64]) -> (usize, [(usize, u64); BITS]) {
        let h = hash(state);
        let at = (u128::from(h) * self.lines.len() as u128) >> 64;
        // The line took the leading bits; these are mixed from all bits.
        let mut places = h.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        places ^= places >> 32;
        let bit = |at: usize| ((places >> (9 * at + 6)) as usize % 8, 1 << (places >> (9 * at) & 63));
        (at as usize, std::array::from_fn(bit))
    }

    /// Whether a state is known, or mistaken for a known one.
    fn contains(&self, state: &[u64]) -> bool {
        let (at, bits) = self.places(state);
        bits.iter().all(|(word, bit)| self.lines[at].0[*word] & bit != 0)
    }

    /// Adds a state; false when it is known, or mistaken for a known one.
    #[inline]
    pub fn insert(&mut self, state: &[u64], parent: u32) -> bool {
        let (at, bits) = self.places(state);
        let line = &mut self.lines[at].0;
        let set: u32 = line.iter().map(|word| word.count_ones()).sum();
        let mut known = true;
        for (word, bit) in bits {
            known &= line[word] & bit != 0;
            line[word] |= bit;
        }
        if known {
            return false;
        }
        // The expected number of states missed for each one stored in such a line.
        let chance = (f64::from(set) / 512.0).powi(BITS as i32);
        self.missed += chance / (1.0 - chance);
        if self.wanted.get(self.kept.len() / self.words) == Some(&self.len) {
            self.kept.extend_from_slice(state);
        }
        self.next.extend_from_slice(state);
        self.parents.push(parent);
        self.len += 1;
        true
    }

    /// Moves on to the next level: the states stored since the last call.
    pub fn next_level(&mut self) {
        std::mem::swap(&mut self.level, &mut self.next);
        self.next.clear();
        self.first = self.len - self.level.len() / self.words;
    }

    /// States of the level that is being expanded, one after the other.
    pub fn states(&self, range: Range<usize>) -> &[u64] {
        &self.level[(range.start - self.first) * self.words..(range.end - self.first) * self.words]
    }

    pub fn parent(&self, state: usize) -> u32 {
        self.parents.get(state)
    }

    /// Frees memory that another search needs.
    pub fn end(&mut self) {
        (self.lines, self.level, self.next) = (Vec::new(), Vec::new(), Vec::new());
    }
}

impl InMemory for LossyStates {
    type Touched = ();

    fn touch(&self, _: &Batch, _: Range<usize>, _: usize) {}

    #[inline]
    fn take(
        &mut self,
        Offer { state, parent, suspect, .. }: Offer<'_>,
        (): &(),
        _: usize,
        intake: &mut Intake<'_>,
    ) -> Result<bool, Incompressible> {
        let (number, limits) = (self.len, &mut *intake.limits);
        let full = if number.is_multiple_of(1 << 10) && limits.is_over(self.bytes()) {
            Some(Stop::Memory)
        } else {
            (number >= limits.max_states).then_some(limits.full)
        };
        // Which known states are offered depends on the number of threads.
        if full.is_some() && !self.contains(state) {
            limits.stop = full;
        }
        if full.is_some() || !self.insert(state, parent) {
            return Ok(false);
        }
        if suspect {
            intake.examine(number, state);
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::LossyStates;

    #[test]
    fn as_many_states_are_missed_as_estimated() {
        for (states, bytes) in [(100_000u64, 1 << 20), (100_000, 1 << 16), (200_000, 1 << 16)] {
            let mut lossy = LossyStates::new(1, bytes);
            let mut missed = 0;
            for n in 0..states {
                let new = lossy.insert(&[n.wrapping_mul(0x2545_f491_4f6c_dd1d)], 0);
                missed += usize::from(!new);
                assert!(!lossy.insert(&[n.wrapping_mul(0x2545_f491_4f6c_dd1d)], 0), "it is known now");
            }
            let (is, expected) = (missed as f64, lossy.missed);
            assert!((is - expected).abs() <= 0.1 * expected + 10.0, "{is} of {states}, {expected} expected");
            assert_eq!(lossy.len() + missed, states as usize);
        }
    }
}
