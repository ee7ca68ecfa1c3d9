//! Sorts records with little memory: as many as fit at a time, then all of them merged.

use std::cmp::Ordering;

use crate::error::StorageError;
use crate::store::disk::folder::Folder;
use crate::store::disk::records::{Cursor, Records};

/// Runs that are merged at once.
const MOST_RUNS: usize = if cfg!(test) { 3 } else { 64 };

/// Sorts records of `width` words by their words.
fn sort(records: &mut Vec<u64>, width: usize) {
    macro_rules! by_width {
        ($($n:literal)*) => {
            match width {
                $($n => return records.as_chunks_mut::<$n>().0.sort_unstable(),)*
                _ => {}
            }
        };
    }
    by_width!(1 2 3 4 5 6 7 8);
    let mut order: Vec<&[u64]> = records.chunks_exact(width).collect();
    order.sort_unstable();
    *records = order.concat();
}

/// Sorts the records that are pushed.
#[derive(Debug)]
pub struct Sorter {
    width: usize,
    /// Of records that agree in this many words only the first is kept; if that is all words, they are equal.
    key: usize,
    /// The number of words that fit.
    room: usize,
    buffer: Vec<u64>,
    runs: Vec<Records>,
}

impl Sorter {
    /// For records of `width` words, with a buffer of `room` words; one is kept of those whose first `key` words are equal.
    pub fn new(width: usize, key: usize, room: usize) -> Self {
        Self { width, key, room: room.max(4 * width), buffer: Vec::new(), runs: Vec::new() }
    }

    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        8 * self.buffer.capacity() + self.runs.iter().map(Records::bytes).sum::<usize>()
    }

    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.runs.is_empty()
    }

    /// Number of records in runs.
    pub fn written(&self) -> usize {
        self.runs.iter().map(Records::len).sum()
    }

    /// Adds a record that consists of two parts.
    #[inline]
    pub fn push(&mut self, folder: &Folder, first: &[u64], second: &[u64]) -> Result<(), StorageError> {
        if self.buffer.len() + self.width > self.room {
            self.make_room(folder)?;
        }
        self.buffer.extend_from_slice(first);
        self.buffer.extend_from_slice(second);
        Ok(())
    }

    #[cold]
    fn make_room(&mut self, folder: &Folder) -> Result<(), StorageError> {
        self.sort();
        // After removing many duplicates, there is room again.
        if self.buffer.len() * 2 > self.room { self.write(folder) } else { Ok(()) }
    }

    /// Sorts the buffer and removes duplicates.
    fn sort(&mut self) {
        let Self { width, key, buffer, .. } = self;
        let (width, key) = (*width, *key);
        sort(buffer, width);
        let mut kept = 0;
        for at in (0..buffer.len()).step_by(width) {
            if kept > 0 && buffer[at..at + key] == buffer[kept - width..kept - width + key] {
                continue;
            }
            buffer.copy_within(at..at + width, kept);
            kept += width;
        }
        buffer.truncate(kept);
    }

    /// Writes the sorted buffer as a run.
    fn write(&mut self, folder: &Folder) -> Result<(), StorageError> {
        let mut run = Records::new(folder, self.width);
        for record in self.buffer.chunks_exact(self.width) {
            run.push(record)?;
        }
        self.buffer.clear();
        self.runs.push(run);
        if self.runs.len() >= MOST_RUNS {
            let runs = std::mem::take(&mut self.runs);
            let mut all = Records::new(folder, self.width);
            merge(&runs, self.key, &mut |record| all.push(record).map(|()| true))?;
            self.runs.push(all);
        }
        Ok(())
    }

    /// Passes all records to `f` in order, until `f` says that this is enough; true if it never did. None are left.
    pub fn drain(
        &mut self,
        folder: &Folder,
        f: &mut dyn FnMut(&[u64]) -> Result<bool, StorageError>,
    ) -> Result<bool, StorageError> {
        self.sort();
        if self.runs.is_empty() {
            let mut all = true;
            for record in self.buffer.chunks_exact(self.width) {
                all = f(record)?;
                if !all {
                    break;
                }
            }
            self.buffer.clear();
            return Ok(all);
        }
        self.write(folder)?;
        // The memory is needed elsewhere now.
        self.buffer = Vec::new();
        let runs = std::mem::take(&mut self.runs);
        merge(&runs, self.key, f)
    }
}

/// Passes the records of sorted files to `f` in order, one of those whose first `key` words are equal, until `f` says that
/// this is enough; true if it never did.
pub fn merge(
    files: &[Records],
    key: usize,
    f: &mut dyn FnMut(&[u64]) -> Result<bool, StorageError>,
) -> Result<bool, StorageError> {
    let mut cursors = Vec::with_capacity(files.len());
    for file in files {
        let cursor = file.from(0)?;
        if cursor.record().is_some() {
            cursors.push(cursor);
        }
    }
    let mut heap = Heap::new(cursors);
    let mut last: Vec<u64> = Vec::new();
    while let Some(record) = heap.least() {
        if last.is_empty() || last[..key] != record[..key] {
            last.clear();
            last.extend_from_slice(record);
            if !f(record)? {
                return Ok(false);
            }
        }
        heap.advance()?;
    }
    Ok(true)
}

/// Cursors that are not at their end, the one with the least record first; each is at most those at twice its index.
struct Heap<'a>(Vec<Cursor<'a>>);

impl<'a> Heap<'a> {
    fn new(cursors: Vec<Cursor<'a>>) -> Self {
        let mut heap = Self(cursors);
        for at in (0..heap.0.len() / 2).rev() {
            heap.sink(at);
        }
        heap
    }

    fn least(&self) -> Option<&[u64]> {
        self.0.first().and_then(Cursor::record)
    }

    fn advance(&mut self) -> Result<(), StorageError> {
        self.0[0].advance()?;
        if self.0[0].record().is_none() {
            self.0.swap_remove(0);
        }
        self.sink(0);
        Ok(())
    }

    fn order(&self, a: usize, b: usize) -> Ordering {
        self.0[a].record().cmp(&self.0[b].record())
    }

    fn sink(&mut self, mut at: usize) {
        loop {
            let (left, right) = (2 * at + 1, 2 * at + 2);
            if left >= self.0.len() {
                return;
            }
            let next = if right < self.0.len() && self.order(right, left).is_lt() { right } else { left };
            if self.order(at, next).is_le() {
                return;
            }
            self.0.swap(at, next);
            at = next;
        }
    }
}
