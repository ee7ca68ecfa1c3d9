//! Sorts records with little memory: as many as fit at a time, then all of them merged.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use crate::error::StorageError;
use crate::store::disk::records::{Cursor, Folder, Records, TakeRecord};

/// Runs that are merged at once.
const MOST_RUNS: usize = if cfg!(test) { 3 } else { 64 };

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
    pub fn drain(&mut self, folder: &Folder, f: &mut TakeRecord<'_>) -> Result<bool, StorageError> {
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
pub fn merge(files: &[Records], key: usize, f: &mut TakeRecord<'_>) -> Result<bool, StorageError> {
    let mut cursors = Vec::with_capacity(files.len());
    for file in files {
        let cursor = file.from(0)?;
        if cursor.record().is_some() {
            cursors.push(cursor);
        }
    }
    let mut heap: BinaryHeap<_> = cursors.into_iter().map(|cursor| Reverse(ByRecord(cursor))).collect();
    let mut last: Vec<u64> = Vec::new();
    while let Some(mut least) = heap.peek_mut() {
        let Reverse(ByRecord(cursor)) = &mut *least;
        let record = cursor.record().expect("it is not at its end");
        if last.is_empty() || last[..key] != record[..key] {
            last.clear();
            last.extend_from_slice(record);
            if !f(record)? {
                return Ok(false);
            }
        }
        cursor.advance()?;
        if cursor.record().is_none() {
            PeekMut::pop(least);
        }
    }
    Ok(true)
}

/// A cursor, by its present record.
struct ByRecord<'a>(Cursor<'a>);

impl Ord for ByRecord<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.record().cmp(&other.0.record())
    }
}

impl PartialOrd for ByRecord<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for ByRecord<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for ByRecord<'_> {}
