//! States as numbers, by the records that they consist of: one for the cells of each process, and one for the rest.
//!
//! Few records occur, so that a state is a short number: those of its processes, then that of the rest. Where the
//! canonical form sorts processes by their records, only how often each record occurs counts, and a
//! *multiset* of m records with the numbers `a_0 <= a_1 <= .. < R` is the number
//! `C(a_0, 1) + C(a_1 + 1, 2) + .. + C(a_(m-1) + m - 1, m)`, below `C(R + m - 1, m)`. It does not depend on R, which grows.

use crate::program::Program;
use crate::store::compact::dictionary::Dictionary;
use crate::symmetry::canonical::Symmetry;
use crate::symmetry::lanes::MAX_LANES;

/// How many records of each kind the numbers have room for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Room {
    lanes: u64,
    rest: u64,
}

/// Beyond this many records, numbers save nothing.
const MOST_RECORDS: usize = 1 << 18;

/// Below this many, linear search is faster than binary search.
const FEW: usize = 80;

/// The most words of the rest.
const MOST_WORDS: usize = 8;

/// Numbers have at most this many bits.
const MOST_BITS: u32 = 56;

/// Translates states of one instance.
#[derive(Clone, Debug)]
pub struct Codec {
    words: usize,
    /// Word and shift of each lane.
    at: Vec<(u16, u8)>,
    mask: u64,
    /// Lanes from this number on are sorted; those before keep their place. The number of lanes when none is sorted.
    sorted_from: usize,
    /// The bits of each word that belong to no lane.
    keep: Vec<u64>,
    /// Words that have such bits.
    rest_words: Vec<usize>,
    lanes: Dictionary,
    rests: Dictionary,
    /// The present room of the numbers.
    pub room: Room,
    /// `C(n, i + 1)` for i below the number of sorted lanes: a column for each i, of all n below `rows`.
    binomials: Vec<u64>,
    rows: usize,
    /// Numbers are below this.
    pub universe: u64,
}

/// The numbers of the records of a state.
type Ids = [u32; MAX_LANES];

impl Codec {
    /// `None` when states of the instance do not consist of records.
    pub fn new(program: &Program) -> Option<Self> {
        let packing = &program.packing;
        let lanes = packing.lanes.as_ref().filter(|lanes| lanes.at.len() <= MAX_LANES)?;
        let mask = u64::MAX >> (64 - lanes.bits);
        let mut keep = vec![u64::MAX; packing.words];
        for (word, shift) in &lanes.at {
            keep[usize::from(*word)] &= !(mask << shift);
        }
        keep.iter_mut().zip(packing.used()).for_each(|(keep, used)| *keep &= used);
        let rest_words: Vec<usize> = (0..packing.words).filter(|w| keep[*w] != 0).collect();
        if rest_words.len() > MOST_WORDS {
            return None;
        }
        let sorted_from = match &program.symmetry {
            Symmetry::Lanes(sorted) => sorted.fixed,
            _ => lanes.at.len(),
        };
        let mut codec = Self {
            words: packing.words,
            at: lanes.at.clone(),
            mask,
            sorted_from,
            keep,
            lanes: Dictionary::new(1, lanes.bits.into()),
            rests: Dictionary::new(rest_words.len().max(1), 64),
            rest_words,
            room: Room { lanes: 0, rest: 0 },
            binomials: Vec::new(),
            rows: 0,
            universe: 0,
        };
        codec.make_room(Room { lanes: 8, rest: 8 }).then_some(codec)
    }

    pub fn bytes(&self) -> usize {
        self.lanes.bytes() + self.rests.bytes() + 8 * self.binomials.capacity()
    }

    fn sorted(&self) -> usize {
        self.at.len() - self.sorted_from
    }

    /// Makes the numbers as large as this room requires; false when they would be too large.
    fn make_room(&mut self, room: Room) -> bool {
        let m = self.sorted();
        let rows = room.lanes as usize + m;
        let mut binomials = vec![0u64; rows * m];
        for n in 0..rows {
            // C(n, i + 1) is the one above and the one above to the left.
            for i in 0..m {
                let above = |j: usize| if n == 0 { 0 } else { binomials[j * rows + n - 1] };
                let left = if i > 0 { above(i - 1) } else { u64::from(n > 0) };
                binomials[i * rows + n] = above(i).saturating_add(left);
            }
        }
        let multisets = if m == 0 { 1 } else { u128::from(binomials[m * rows - 1]) };
        let sequences = u128::from(room.lanes).checked_pow(self.sorted_from as u32);
        let universe = sequences
            .and_then(|sequences| sequences.checked_mul(multisets))
            .and_then(|lanes| lanes.checked_mul(room.rest.into()));
        let Some(universe) = universe.filter(|n| *n < 1 << MOST_BITS) else { return false };
        (self.room, self.binomials, self.rows, self.universe) = (room, binomials, rows, universe as u64);
        true
    }

    #[inline]
    fn rest<'a>(&self, state: &[u64], buffer: &'a mut [u64; MOST_WORDS]) -> &'a [u64] {
        if self.rest_words.is_empty() {
            return &buffer[..1];
        }
        for (to, w) in buffer.iter_mut().zip(&self.rest_words) {
            *to = state[*w] & self.keep[*w];
        }
        &buffer[..self.rest_words.len()]
    }

    #[inline]
    fn number(&self, ids: &Ids, rest: usize) -> u64 {
        let mut n = 0;
        let m = self.sorted();
        if m > 0 {
            let mut sorted = [0u32; MAX_LANES];
            let sorted = &mut sorted[..m];
            for (i, id) in ids[self.sorted_from..self.at.len()].iter().enumerate() {
                let mut j = i;
                while j > 0 && sorted[j - 1] > *id {
                    sorted[j] = sorted[j - 1];
                    j -= 1;
                }
                sorted[j] = *id;
            }
            for (i, id) in sorted.iter().enumerate() {
                n += self.binomials[i * self.rows + i + *id as usize];
            }
        }
        for id in &ids[..self.sorted_from] {
            n = n * self.room.lanes + u64::from(*id);
        }
        n * self.room.rest + rest as u64
    }

    /// The number of a state; `None` when one of its records is unknown.
    #[inline]
    pub fn find(&self, state: &[u64]) -> Option<u64> {
        let rest = match self.rest_words[..] {
            [w] => self.rests.find(&[state[w] & self.keep[w]]),
            _ => self.rests.find(self.rest(state, &mut [0; MOST_WORDS])),
        }?;
        let mut ids = [0; MAX_LANES];
        for (id, (word, shift)) in ids.iter_mut().zip(&self.at) {
            *id = self.lanes.find(&[state[usize::from(*word)] >> shift & self.mask])? as u32;
        }
        Some(self.number(&ids, rest))
    }

    /// Adds the records of a state, so that [`Codec::find`] finds its number. Returns whether this enlarged the room of
    /// numbers; `None` when numbers for states do not pay.
    pub fn learn(&mut self, state: &[u64]) -> Option<bool> {
        let mut buffer = [0; MOST_WORDS];
        let rest = self.rest(state, &mut buffer);
        self.rests.add(rest);
        for (word, shift) in &self.at {
            self.lanes.add(&[state[usize::from(*word)] >> shift & self.mask]);
        }
        let known = [self.lanes.len(), self.rests.len()];
        if known.iter().any(|n| *n > MOST_RECORDS) {
            return None;
        }
        let [lanes, rest] = known.map(|n| n as u64);
        if lanes <= self.room.lanes && rest <= self.room.rest {
            return Some(false);
        }
        // Where more room changes no number, a little of it is enough.
        let spare = if self.sorted_from == 0 { 16 } else { 4 };
        let grown = |has: u64, room: u64, spare| if has > room { has + has / spare + 1 } else { room };
        let wanted =
            Room { lanes: grown(lanes, self.room.lanes, spare), rest: grown(rest, self.room.rest, 4) };
        self.make_room(wanted).then_some(true)
    }

    /// Makes numbers no larger than the records so far require; returns whether that changed them.
    pub fn tighten(&mut self) -> bool {
        let wanted = Room { lanes: self.lanes.len() as u64, rest: self.rests.len() as u64 };
        let (room, bits) = (self.room, self.universe.ilog2());
        if wanted == room || !self.make_room(wanted) {
            return false;
        }
        let shorter = self.universe.ilog2() < bits;
        shorter || !self.make_room(room)
    }

    /// Decomposes a number that was made with this room.
    fn ids(&self, mut n: u64, room: Room) -> (Ids, usize) {
        let mut ids = [0; MAX_LANES];
        let rest = (n % room.rest) as usize;
        n /= room.rest;
        for id in ids[..self.sorted_from].iter_mut().rev() {
            *id = (n % room.lanes) as u32;
            n /= room.lanes;
        }
        let m = self.sorted();
        // Whatever room it was made with, its records are known.
        let mut at = self.room.lanes as usize + m - 1;
        for i in (0..m).rev() {
            let column = &self.binomials[i * self.rows..][..=at];
            at = if at < FEW {
                column.iter().rposition(|c| *c <= n).expect("it begins with 0")
            } else {
                column.partition_point(|c| *c <= n) - 1
            };
            n -= column[at];
            ids[self.sorted_from + i] = (at - i) as u32;
        }
        (ids, rest)
    }

    /// Whether numbers made with this room are unchanged.
    pub fn same(&self, room: Room) -> bool {
        room.rest == self.room.rest && (room.lanes == self.room.lanes || self.sorted_from == 0)
    }

    /// The present number of the state that had number `n` in this room.
    pub fn translate(&self, n: u64, from: Room) -> u64 {
        let (ids, rest) = self.ids(n, from);
        self.number(&ids, rest)
    }

    /// Appends the state that a number made with this room stands for.
    pub fn decode(&self, n: u64, room: Room, states: &mut Vec<u64>) {
        let (ids, rest) = self.ids(n, room);
        let start = states.len();
        states.resize(start + self.words, 0);
        let state = &mut states[start..];
        for (w, word) in self.rest_words.iter().zip(self.rests.value(rest)) {
            state[*w] = *word;
        }
        let mut lanes = [0u64; MAX_LANES];
        for (lane, id) in lanes.iter_mut().zip(&ids[..self.at.len()]) {
            *lane = self.lanes.value(*id as usize)[0];
        }
        lanes[self.sorted_from..self.at.len()].sort_unstable();
        for (lane, (word, shift)) in lanes.iter().zip(&self.at) {
            state[usize::from(*word)] |= lane << shift;
        }
    }
}
