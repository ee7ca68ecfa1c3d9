//! States in files, level by level: the number of states of each level, then each state as its difference from the one before, with the distance
//! to its parent's number.
//!
//! Neighbours in a level often share a parent, so that few of their bytes differ. For each word there is a byte that
//! says which of its bytes change, then these. Parents never decrease from one state to the next: breadth-first search
//! expands them in order. Initial states have none, and neither have those of an owner, which does not keep parents.

use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::vec::IntoIter;

use bincode::{DefaultOptions, Options};

use crate::checkpoint::files::{self, NewPart, Part, PartReader};
use crate::checkpoint::manifest::OwnerParts;
use crate::error::StorageError;
use crate::folder::failed;
use crate::program::{Program, SleepId};
use crate::state::{CellShape, CodeKind};
use crate::store::{ROOT, TakeState};

/// Bytes that are written to the file at a time.
const BLOCK: usize = 1 << 16;

/// Levels of states that wait to be written.
pub struct NewLevels<'s> {
    /// Passes the states of a range to a function, in order.
    pub each: &'s dyn Fn(Range<usize>, &mut TakeState<'_>) -> Result<(), StorageError>,
    /// The levels that no file has yet.
    pub levels: &'s [Range<usize>],
    /// How the states of the last level were found, which wait to be expanded.
    pub sleeps: &'s [SleepId],
}

impl NewLevels<'_> {
    /// Writes them beside the files `before` of worker number `worker`; `level` is the number of the last one.
    pub fn save(
        &self,
        folder: &Path,
        level: usize,
        worker: usize,
        before: Option<&OwnerParts>,
    ) -> Result<OwnerParts, StorageError> {
        let name = |kind: &str| format!("{kind}-{level}-{worker}");
        let mut states = before.map_or_else(Vec::new, |known| known.states.clone());
        states.push(self.write(folder, name("states"))?);
        let waiting = files::write(folder, &name("waiting"), self.sleeps)?;
        Ok(OwnerParts { states, waiting })
    }

    fn write(&self, folder: &Path, name: String) -> Result<Part, StorageError> {
        let mut part = NewPart::begin(folder, name)?;
        let mut bytes = Vec::with_capacity(2 * BLOCK);
        let (mut before, mut last): (Vec<u64>, u32) = (Vec::new(), 0);
        for level in self.levels {
            put(&mut bytes, level.len() as u64);
            (self.each)(level.clone(), &mut |state, parent| {
                before.resize(state.len(), 0);
                for (word, old) in state.iter().zip(&mut before) {
                    put_change(&mut bytes, *word ^ *old);
                    *old = *word;
                }
                // 0 for none, else one more than the distance.
                if parent == ROOT {
                    bytes.push(0);
                } else {
                    put(&mut bytes, u64::from(parent - last) + 1);
                    last = parent;
                }
                if bytes.len() >= BLOCK {
                    part.write(&bytes)?;
                    bytes.clear();
                }
                Ok(())
            })?;
        }
        part.write(&bytes)?;
        part.finish(folder)
    }
}

/// Appends a number, in few bytes when it is small.
fn put(bytes: &mut Vec<u8>, n: u64) {
    DefaultOptions::new().serialize_into(bytes, &n).expect("the memory takes it");
}

/// Reads what [`put`] appended.
fn number(from: &mut impl Read) -> Result<u64, &'static str> {
    DefaultOptions::new().deserialize_from(from).map_err(|_| "it has no number where one should be")
}

/// Appends a byte that says which bytes of a word are not 0, and then these.
fn put_change(bytes: &mut Vec<u8>, change: u64) {
    let at = bytes.len();
    bytes.push(0);
    for (i, byte) in change.to_le_bytes().into_iter().enumerate() {
        if byte != 0 {
            bytes[at] |= 1 << i;
            bytes.push(byte);
        }
    }
}

/// Reads what [`put_change`] appended.
fn change(from: &mut impl Read) -> Result<u64, &'static str> {
    let (mut mask, mut word) = ([0], [0; 8]);
    let mut read = || {
        from.read_exact(&mut mask)?;
        let [mask] = mask;
        (0..8).filter(|i| mask >> i & 1 == 1).try_for_each(|i| from.read_exact(&mut word[i..=i]))
    };
    read().map_err(|_| "it ends too early")?;
    Ok(u64::from_le_bytes(word))
}

/// An upper bound on the size of a file with `states` states, each of which may be a level.
pub fn most_bytes(states: usize, valid: &Valid<'_>) -> u64 {
    // For each word nine bytes, for the parent and the number of states ten.
    (states as u64).saturating_mul(9 * valid.words() as u64 + 20)
}

/// The levels in the files of one owner, one after the other.
pub struct Levels<'a> {
    folder: PathBuf,
    valid: &'a Valid<'a>,
    parts: IntoIter<Part>,
    /// No file is longer.
    most: u64,
    open: Option<PartReader>,
    /// States of the level that are not read yet.
    left: u64,
    state: Vec<u64>,
    parent: u32,
}

impl<'a> Levels<'a> {
    /// Reads these files, of at most `most` bytes each.
    pub fn new(folder: &Path, parts: Vec<Part>, valid: &'a Valid<'a>, most: u64) -> Self {
        let (folder, state, parts) = (folder.to_owned(), vec![0; valid.words()], parts.into_iter());
        Self { folder, valid, parts, most, open: None, left: 0, state, parent: 0 }
    }

    /// Moves to the next level; false at the end.
    pub fn next_level(&mut self) -> Result<bool, StorageError> {
        while self.open.as_ref().is_none_or(|part| part.from.limit() == 0) {
            let Some(part) = self.parts.next() else { return Ok(false) };
            self.open = Some(part.open(&self.folder, self.most)?);
            self.state.fill(0);
            self.parent = 0;
        }
        let left = self.open.as_mut().map(|part| number(&mut part.from)).transpose();
        self.left = left.map_err(|why| self.damaged(why))?.unwrap_or(0);
        Ok(true)
    }

    /// The next state of the level, and the number of its parent or [`ROOT`]; `None` at the end of the level.
    pub fn next_state(&mut self) -> Result<Option<(&[u64], u32)>, StorageError> {
        let Some(from) = self.open.as_mut().filter(|_| self.left > 0) else { return Ok(None) };
        self.left -= 1;
        let read = self.state.iter_mut().try_for_each(|word| {
            *word ^= change(&mut from.from)?;
            Ok(())
        });
        let parent = read.and_then(|()| match number(&mut from.from)? {
            0 => Ok(ROOT),
            distance => {
                let parent = (distance - 1).checked_add(self.parent.into()).filter(|it| *it < ROOT.into());
                self.parent = parent.ok_or("a state comes before its parent")? as u32;
                Ok(self.parent)
            }
        });
        let parent = parent.map_err(|why| from.damaged(why))?;
        if !self.valid.cells(&self.state) {
            return Err(from.damaged("it has a state that the model does not have"));
        }
        Ok(Some((&self.state, parent)))
    }

    /// The error for damage in the file that is being read.
    pub fn damaged(&self, why: &str) -> StorageError {
        match &self.open {
            Some(part) => part.damaged(why),
            None => failed("use", &self.folder, &why),
        }
    }
}

/// Which packed words are valid states.
pub struct Valid<'a> {
    pub program: &'a Program,
    /// For each word, the bits that belong to some field.
    used: Vec<u64>,
}

impl<'a> Valid<'a> {
    pub fn new(program: &'a Program) -> Self {
        Self { program, used: program.packing.used() }
    }

    pub const fn words(&self) -> usize {
        self.used.len()
    }

    /// Whether each cell has a value of its type.
    pub fn cells(&self, state: &[u64]) -> bool {
        let Program { cells, packing, .. } = self.program;
        let of = |(c, cell): (usize, &CellShape)| {
            let raw = packing.fields[c].raw(state);
            match cell.kind {
                CodeKind::Int | CodeKind::Real => raw <= packing.fields[c].undef,
                _ => raw < cell.codes.max(1) as u64 || cell.undef && raw == packing.fields[c].undef,
            }
        };
        state.len() == self.used.len()
            && state.iter().zip(&self.used).all(|(word, used)| word & !used == 0)
            && cells.cells.iter().enumerate().all(of)
    }
}
