//! The states of one of several owners in files: for each level their number, then each state as its difference from the
//! one before.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use crate::checkpoint::bytes::{Damage, Source, put};
use crate::checkpoint::files::{NewPart, Part, PartReader};
use crate::checkpoint::states::{Valid, change, put_change};
use crate::error::StorageError;
use crate::folder::failed;
use crate::store::table::Store;

/// Bytes that are written to the file at a time.
const BLOCK: usize = 1 << 16;

/// Writes the states of these levels to a file with this name.
pub fn write(
    folder: &Path,
    name: String,
    store: &Store,
    levels: impl Iterator<Item = Range<usize>>,
) -> Result<Part, StorageError> {
    let mut part = NewPart::begin(folder, name)?;
    let mut bytes = Vec::with_capacity(2 * BLOCK);
    let mut before: Vec<u64> = Vec::new();
    for level in levels {
        put(&mut bytes, level.len() as u64);
        for number in level {
            let state = store.state(number);
            before.resize(state.len(), 0);
            for (word, old) in state.iter().zip(&mut before) {
                put_change(&mut bytes, *word ^ *old);
                *old = *word;
            }
            if bytes.len() >= BLOCK {
                part.write(&bytes)?;
                bytes.clear();
            }
        }
    }
    part.write(&bytes)?;
    part.finish(folder)
}

/// The levels in the files of one owner, one after the other.
pub struct Levels<'a> {
    folder: PathBuf,
    valid: &'a Valid<'a>,
    parts: IntoIter<Part>,
    open: Option<PartReader>,
    /// States of the level that are not read yet.
    left: u64,
    state: Vec<u64>,
}

impl<'a> Levels<'a> {
    /// Reads these files.
    pub fn new(folder: &Path, parts: Vec<Part>, valid: &'a Valid<'a>) -> Self {
        let (folder, state) = (folder.to_owned(), vec![0; valid.words()]);
        Self { folder, valid, parts: parts.into_iter(), open: None, left: 0, state }
    }

    /// Moves to the next level; false at the end.
    pub fn next_level(&mut self) -> Result<bool, StorageError> {
        while self.open.as_ref().is_none_or(PartReader::is_at_end) {
            let Some(part) = self.parts.next() else { return Ok(false) };
            self.open = Some(part.open(&self.folder, u64::MAX)?);
            self.state.fill(0);
        }
        let left = self.open.as_mut().map(Source::number).transpose();
        self.left = left.map_err(|why| self.damaged(&why))?.unwrap_or(0);
        Ok(true)
    }

    /// The next states of the level, at most `most`, one after the other; none at the end of the level.
    pub fn states(&mut self, most: usize, words: &mut Vec<u64>) -> Result<(), StorageError> {
        words.clear();
        let Some(from) = &mut self.open else { return Ok(()) };
        for _ in 0..self.left.min(most as u64) {
            let read = self.state.iter_mut().try_for_each(|word| {
                *word ^= change(from)?;
                Ok(())
            });
            let valid = self.valid.cells(&self.state);
            let read = read.and_then(|()| {
                valid.then_some(()).ok_or(Damage("it has a state that the model does not have"))
            });
            read.map_err(|why| from.damaged(&why))?;
            words.extend_from_slice(&self.state);
            self.left -= 1;
        }
        Ok(())
    }

    /// The error for damage in the file that is being read.
    pub fn damaged(&self, why: &Damage) -> StorageError {
        match &self.open {
            Some(part) => part.damaged(why),
            None => failed("use", &self.folder, why),
        }
    }
}
