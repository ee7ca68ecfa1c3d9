//! The states of a breadth-first search on a disk.

use std::ops::Range;

use crate::error::StorageError;
use crate::program::SleepId;
use crate::store::disk::records::{Cursor, Folder, Records};
use crate::store::disk::sort::{Sorter, merge};

/// The number of states that are read at a time, to be expanded.
const WINDOW: usize = if cfg!(test) { 1 << 12 } else { 1 << 14 };

/// Visited states, in the order in which they were found, and successors to compare with them.
#[derive(Debug)]
pub struct DiskStates {
    words: usize,
    /// Each state with its parent and how it was found.
    list: Records,
    seen: Seen,
    /// Successors, with their parents, places and how they were found.
    pending: Sorter,
    /// The parent of the last successor, and its number of successors so far.
    last: (u32, u64),
    /// New states, by the step that first reached them.
    fresh: Sorter,
    window: Window,
    /// The number of words that fit into a buffer.
    room: usize,
    /// Last field, so that its files are removed before it is dropped.
    folder: Folder,
}

/// Some states of the list.
#[derive(Debug, Default)]
struct Window {
    first: usize,
    states: Vec<u64>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decision {
    Take,
    /// It is stored, and the search ends.
    Last,
    /// It is not stored: the limit is reached.
    Refuse,
}

/// How [`DiskStates::deduplicate`] ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Settled {
    /// All that is new was stored.
    All,
    /// The search ended with this state, found from that one; it was the last one stored or the first one refused.
    Ended(Vec<u64>, u32),
    /// The search must end.
    Interrupted,
}

/// A parent has fewer successors than this.
const PLACES: u64 = 1 << 24;

/// Parent, place among its successors, and how it was found, so that the first to meet a state comes first.
const fn pack(parent: u32, place: u64, sleep: SleepId) -> u64 {
    (parent as u64) << 32 | place << 8 | sleep as u64
}

const fn parent_of(word: u64) -> u32 {
    (word >> 32) as u32
}

impl DiskStates {
    /// An empty store for states of `words` words, with buffers of `bytes` bytes in all.
    pub fn new(folder: Folder, words: usize, bytes: usize) -> Self {
        let room = bytes / 2 / 8;
        Self {
            words,
            list: Records::new(&folder, words + 1),
            seen: Seen::default(),
            pending: Sorter::new(words + 1, words, room),
            last: (u32::MAX, 0),
            fresh: Sorter::new(words + 1, 1, room),
            window: Window::default(),
            room,
            folder,
        }
    }

    pub const fn len(&self) -> usize {
        self.list.len()
    }

    pub fn bytes(&self) -> usize {
        let window = 8 * self.window.states.capacity();
        self.list.bytes() + self.seen.bytes() + self.pending.bytes() + self.fresh.bytes() + window
    }

    /// Appends a state that is new and was found after all others; [`DiskStates::sort_from`] must follow.
    pub fn append(&mut self, state: &[u64], parent: u32, sleep: SleepId) -> Result<(), StorageError> {
        self.list.push_parts(state, &[pack(parent, 0, sleep)])
    }

    /// Passes the states of a range to `f`, one after the other, each with its parent and how it was found.
    pub fn each(
        &self,
        range: Range<usize>,
        f: &mut dyn FnMut(&[u64], u32, SleepId) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        if range.is_empty() {
            return Ok(());
        }
        let mut cursor = self.list.from(range.start)?;
        for _ in range {
            let (state, word) = cursor.record().expect("the range is one of states").split_at(self.words);
            f(state, parent_of(word[0]), word[0] as SleepId)?;
            cursor.advance()?;
        }
        Ok(())
    }

    /// Whether the states are distinct, once they are sorted.
    pub fn are_distinct(&self) -> bool {
        self.seen.len() == self.list.len()
    }

    /// Sorts the states appended from this one on.
    pub fn sort_from(&mut self, first: usize) -> Result<(), StorageError> {
        let Self { words, list, seen, folder, room, .. } = self;
        let mut sorter = Sorter::new(*words, *words, *room);
        let mut cursor = list.from(first)?;
        while let Some(record) = cursor.record() {
            sorter.push(folder, &record[..*words], &[])?;
            cursor.advance()?;
        }
        let mut sorted = Records::new(folder, *words);
        sorter.drain(folder, &mut |state| sorted.push(state).map(|()| true))?;
        seen.add(folder, sorted)
    }

    /// Buffers a successor. Parents must come in order, and the successors of each.
    #[inline]
    pub fn push(&mut self, state: &[u64], parent: u32, sleep: SleepId) -> Result<(), StorageError> {
        if self.last.0 != parent {
            self.last = (parent, 0);
        }
        let word = pack(parent, self.last.1, sleep);
        self.last.1 += 1;
        self.pending.push(&self.folder, state, &[word])
    }

    /// Whether the last parent may have another successor.
    pub const fn has_place(&self) -> bool {
        self.last.1 + 1 < PLACES
    }

    /// Whether enough successors wait that comparing them with the states costs less than keeping them: then a limit is
    /// not noticed much too late, and they take no more room than the states.
    pub fn is_due(&self) -> bool {
        self.pending.written() > 2 * self.list.len() + self.room / self.words
    }

    /// Whether some successors are not compared with the states yet.
    pub fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Compares all successors so far with the states, and offers new ones in the order in which they were found, with their
    /// numbers, until an offer ends the search or `go_on` returns false.
    pub fn deduplicate(
        &mut self,
        go_on: &dyn Fn() -> bool,
        offer: &mut dyn FnMut(usize, &[u64]) -> Decision,
    ) -> Result<Settled, StorageError> {
        let Self { words, list, seen, pending, fresh, folder, .. } = self;
        let words = *words;
        let first = list.len();
        self.last = (u32::MAX, 0);
        let mut new = Records::new(folder, words);
        let mut lookup = seen.lookup()?;
        let all = pending.drain(folder, &mut |record| {
            let (state, word) = record.split_at(words);
            if !lookup.has(state)? {
                new.push(state)?;
                fresh.push(folder, word, state)?;
            }
            Ok(go_on())
        })?;
        drop(lookup);
        if !all {
            return Ok(Settled::Interrupted);
        }
        let mut ended = Settled::All;
        fresh.drain(folder, &mut |record| {
            let (word, state) = record.split_at(1);
            let offered = offer(list.len(), state);
            if offered != Decision::Refuse {
                list.push_parts(state, word)?;
            }
            if offered != Decision::Take {
                ended = Settled::Ended(state.to_vec(), parent_of(word[0]));
            }
            Ok(offered == Decision::Take)
        })?;
        if ended == Settled::All {
            seen.add(folder, new)?;
        } else {
            drop(new);
            self.sort_from(first)?;
        }
        Ok(ended)
    }

    pub const fn window(&self) -> Range<usize> {
        self.window.first..self.window.first + self.window.states.len() / self.words
    }

    /// Loads the first states of a range; returns the end of the loaded range, and how these states were found.
    pub fn load(&mut self, range: Range<usize>) -> Result<(usize, Vec<SleepId>), StorageError> {
        let end = range.end.min(range.start + WINDOW);
        self.window.first = range.start;
        self.window.states.clear();
        let mut sleeps = Vec::with_capacity(end - range.start);
        let mut cursor = self.list.from(range.start)?;
        while sleeps.len() < end - range.start {
            let record = cursor.record().expect("the range is one of states");
            self.window.states.extend_from_slice(&record[..self.words]);
            sleeps.push(record[self.words] as SleepId);
            cursor.advance()?;
        }
        Ok((end, sleeps))
    }

    pub fn loaded(&self, range: Range<usize>) -> &[u64] {
        let at = |n: usize| (n - self.window.first) * self.words;
        &self.window.states[at(range.start)..at(range.end)]
    }

    pub fn get(&self, number: usize) -> Result<(Vec<u64>, u32), StorageError> {
        let cursor = self.list.from(number)?;
        let record = cursor.record().expect("it is one of the states");
        Ok((record[..self.words].to_vec(), parent_of(record[self.words])))
    }

    pub fn contains(&self, state: &[u64]) -> Result<bool, StorageError> {
        self.seen.lookup()?.has(state)
    }

    /// Frees the buffers, whose memory is needed elsewhere.
    pub fn end(&mut self) {
        self.pending = Sorter::new(self.words + 1, self.words, 0);
        self.fresh = Sorter::new(self.words + 1, 1, 0);
        self.window = Window::default();
    }
}

/// Sorted files without a state in common.
#[derive(Debug, Default)]
pub struct Seen(Vec<Records>);

/// Looks states up in increasing order.
pub struct Lookup<'a>(Vec<Cursor<'a>>);

impl Seen {
    pub fn bytes(&self) -> usize {
        self.0.iter().map(Records::bytes).sum()
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(Records::len).sum()
    }

    /// Adds states that are sorted and not in these files. Files are merged where the last ones are not much shorter.
    pub fn add(&mut self, folder: &Folder, states: Records) -> Result<(), StorageError> {
        if states.len() == 0 {
            return Ok(());
        }
        let width = states.width;
        let mut total = states.len();
        self.0.push(states);
        let mut first = self.0.len() - 1;
        while first > 0 && self.0[first - 1].len() <= 2 * total {
            first -= 1;
            total += self.0[first].len();
        }
        if first + 1 < self.0.len() {
            let mut all = Records::new(folder, width);
            merge(&self.0[first..], width, &mut |state| all.push(state).map(|()| true))?;
            self.0.truncate(first);
            self.0.push(all);
        }
        Ok(())
    }

    /// Begins lookups in increasing order.
    pub fn lookup(&self) -> Result<Lookup<'_>, StorageError> {
        self.0.iter().map(|file| file.from(0)).collect::<Result<_, _>>().map(Lookup)
    }
}

impl Lookup<'_> {
    /// Whether a state is known; it must not be smaller than the one before.
    #[inline]
    pub fn has(&mut self, state: &[u64]) -> Result<bool, StorageError> {
        for cursor in &mut self.0 {
            if cursor.seek(state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
