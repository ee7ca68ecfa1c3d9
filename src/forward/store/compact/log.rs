//! Numbers of states in the order in which the states were found, each in as many bits as the largest of its time has; and
//! for each state its parent.

use std::ops::Range;

use crate::store::compact::codec::Room;
use crate::store::origin::ROOT;

/// The most states of a segment.
const SEGMENT: usize = 1 << 14;

/// Numbers of one width, made with one room.
#[derive(Clone, Debug)]
struct Segment {
    first: usize,
    len: usize,
    bits: u32,
    room: Room,
    words: Vec<u64>,
}

impl Segment {
    #[inline]
    fn get(&self, i: usize) -> u64 {
        let at = i * self.bits as usize;
        let (word, shift) = (at / 64, at % 64);
        let mut n = self.words[word] >> shift;
        if shift + self.bits as usize > 64 {
            n |= self.words[word + 1] << (64 - shift);
        }
        n & (u64::MAX >> (64 - self.bits))
    }
}

#[derive(Clone, Debug, Default)]
pub struct Log {
    segments: Vec<Segment>,
    len: usize,
    bytes: usize,
}

impl Log {
    pub const fn len(&self) -> usize {
        self.len
    }

    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Appends a number below `universe`.
    pub fn push(&mut self, n: u64, universe: u64, room: Room) {
        if self.segments.last().is_none_or(|last| last.len == SEGMENT || last.room != room) {
            let bits = (64 - universe.saturating_sub(1).leading_zeros()).max(1);
            if let Some(last) = self.segments.last_mut() {
                // The segment may have ended early.
                self.bytes -= 8 * last.words.capacity();
                last.words.shrink_to_fit();
                self.bytes += 8 * last.words.capacity();
            }
            let words = Vec::with_capacity((SEGMENT * bits as usize).div_ceil(64));
            self.bytes += 8 * words.capacity() + size_of::<Segment>();
            self.segments.push(Segment { first: self.len, len: 0, bits, room, words });
        }
        let segment = self.segments.last_mut().expect("there is one now");
        let at = segment.len * segment.bits as usize;
        let shift = at % 64;
        if shift == 0 {
            segment.words.push(n);
        } else {
            *segment.words.last_mut().expect("it is partly used") |= n << shift;
            if shift + segment.bits as usize > 64 {
                segment.words.push(n >> (64 - shift));
            }
        }
        segment.len += 1;
        self.len += 1;
    }

    /// The numbers of a range of states, each with the room that it was made with.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = (u64, Room)> {
        let from = self.segments.partition_point(|segment| segment.first <= range.start).max(1) - 1;
        let segments = self.segments[from..].iter().take_while(move |segment| segment.first < range.end);
        segments.flat_map(move |segment| {
            let first = range.start.max(segment.first) - segment.first;
            let end = range.end.min(segment.first + segment.len) - segment.first;
            (first..end).map(move |i| (segment.get(i), segment.room))
        })
    }
}

/// The parents of states, which never decrease from one state to the next: for each parent in turn a 1 for each
/// of its children, then a 0.
#[derive(Clone, Debug, Default)]
pub struct Parents {
    bits: Vec<u64>,
    /// Bits in use.
    end: usize,
    roots: usize,
    /// The parent whose children are being added.
    parent: u32,
    /// For each [`BLOCK`] of words, the number of 1 bits before it.
    ones: Vec<u32>,
    total: u32,
}

const BLOCK: usize = 256;

impl Parents {
    pub fn bytes(&self) -> usize {
        8 * self.bits.capacity() + 4 * self.ones.capacity()
    }

    fn bit(&mut self, bit: bool) {
        if self.end.is_multiple_of(64) {
            if (self.end / 64).is_multiple_of(BLOCK) {
                self.ones.push(self.total);
            }
            if self.bits.len() == self.bits.capacity() {
                self.bits.reserve_exact(self.bits.len() / 8 + 64);
            }
            self.bits.push(0);
        }
        *self.bits.last_mut().expect("there is room now") |= u64::from(bit) << (self.end % 64);
        self.end += 1;
        self.total += u32::from(bit);
    }

    /// Adds the next state with this parent, which is not smaller than that of the state before.
    pub fn push(&mut self, parent: u32) {
        if parent == ROOT {
            self.roots += 1;
            return;
        }
        while self.parent < parent {
            self.bit(false);
            self.parent += 1;
        }
        self.bit(true);
    }

    pub fn get(&self, state: usize) -> u32 {
        let Some(nth) = state.checked_sub(self.roots) else { return ROOT };
        // The position of the 1 with `nth` ones before it; the number of zeros before it is the parent's number.
        let block = self.ones.partition_point(|before| *before as usize <= nth) - 1;
        let mut left = nth - self.ones[block] as usize;
        let mut word = block * BLOCK;
        while self.bits[word].count_ones() as usize <= left {
            left -= self.bits[word].count_ones() as usize;
            word += 1;
        }
        let mut bits = self.bits[word];
        for _ in 0..left {
            bits &= bits - 1;
        }
        (64 * word + bits.trailing_zeros() as usize - nth) as u32
    }
}

#[cfg(test)]
mod tests {
    use super::{Parents, ROOT};

    #[test]
    fn parents_are_read_back() {
        let mut parents = Parents::default();
        let mut known = vec![ROOT; 5];
        for parent in 0..60_000u32 {
            // Many have no child, some have hundreds.
            let children = if parent % 997 == 0 { 300 } else { (parent * parent % 7) / 3 };
            known.extend((0..children).map(|_| parent));
        }
        for parent in &known {
            parents.push(*parent);
        }
        for (state, parent) in known.iter().enumerate() {
            assert_eq!(parents.get(state), *parent, "of {state}");
        }
        assert!(parents.bytes() * 8 < known.len() * 3 + 60_000, "{} bytes", parents.bytes());
    }
}
