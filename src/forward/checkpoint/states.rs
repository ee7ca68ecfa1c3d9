//! States in files: each as its difference from the one before, with the distance to its parent's number.
//!
//! Neighbours in a level often share a parent, so that few of their bytes differ. For each word there is a byte that
//! says which of its bytes change, then these. Parents never decrease from one state to the next: breadth-first search
//! expands them in order.

use std::ops::Range;
use std::path::Path;

use crate::checkpoint::bytes::{Damage, Source, put};
use crate::checkpoint::files::{NewPart, Part, PartReader};
use crate::error::{StorageError, Unbuildable};
use crate::program::compiled::Program;
use crate::program::sleep::{AWAKE, SleepId};
use crate::run::limits::Limits;
use crate::state::cells::{CellShape, CodeKind};
use crate::store::disk::states::DiskStates;
use crate::store::origin::ROOT;
use crate::store::visited::Visited;
use cubicle_run::result::Stop;

/// Bytes that are written to the file at a time.
const BLOCK: usize = 1 << 16;

/// Writes the states of a range.
pub fn write(folder: &Path, visited: &Visited, range: Range<usize>) -> Result<Part, StorageError> {
    let mut part = NewPart::begin(folder, format!("states-{}-{}", range.start, range.end))?;
    let mut bytes = Vec::with_capacity(2 * BLOCK);
    let mut before: Option<Vec<u64>> = None;
    let mut parent = 0;
    visited.each(range, &mut |state, from| {
        let last = before.get_or_insert_with(|| vec![0; state.len()]);
        for (word, old) in state.iter().zip(last) {
            put_change(&mut bytes, *word ^ *old);
            *old = *word;
        }
        // 0 for an initial state, else one more than the distance.
        match from {
            ROOT => bytes.push(0),
            of => {
                put(&mut bytes, u64::from(of - parent) + 1);
                parent = of;
            }
        }
        if bytes.len() >= BLOCK {
            part.write(&bytes)?;
            bytes.clear();
        }
        Ok(())
    })?;
    part.write(&bytes)?;
    part.finish(folder)
}

/// Appends a byte that says which bytes of a word are not 0, and then these.
pub fn put_change(bytes: &mut Vec<u8>, change: u64) {
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
pub fn change(from: &mut impl Source) -> Result<u64, Damage> {
    let mask = from.byte()?;
    let mut word = 0;
    for i in (0..8).filter(|i| mask >> i & 1 == 1) {
        word |= u64::from(from.byte()?) << (8 * i);
    }
    Ok(word)
}

/// An upper bound on the size of the file of `states` states.
pub fn most_bytes(states: usize, valid: &Valid<'_>) -> u64 {
    // For each word nine bytes, for the parent ten.
    (states as u64).saturating_mul(9 * valid.words() as u64 + 10)
}

/// States while they are read.
pub struct Reading<'a> {
    /// The states read so far.
    pub visited: Visited,
    /// The level of the last of them.
    pub level: LastLevel,
    /// The parent of the last of them.
    before: Option<u32>,
    /// Number of the first waiting state, and how it and those after it were found.
    pub waiting: (usize, &'a [SleepId]),
    /// Makes the store for states when the memory is full; `None` when they cannot leave it.
    pub disk: &'a mut dyn FnMut() -> Option<DiskStates>,
}

impl<'a> Reading<'a> {
    /// No states yet, to be kept as in `visited`.
    pub const fn new(
        visited: Visited,
        waiting: (usize, &'a [SleepId]),
        disk: &'a mut dyn FnMut() -> Option<DiskStates>,
    ) -> Self {
        let level = LastLevel { level: 0, first: 0, past: 0 };
        Self { visited, level, before: None, waiting, disk }
    }

    /// How a state was found.
    fn sleep(&self, number: usize) -> SleepId {
        let place = number.checked_sub(self.waiting.0);
        place.and_then(|place| self.waiting.1.get(place)).copied().unwrap_or(AWAKE)
    }

    /// Adds the states of a part; an error when there are more than `most` in all.
    pub fn read(
        &mut self,
        mut part: PartReader,
        valid: &Valid<'_>,
        most: usize,
        limits: &mut Limits,
    ) -> Result<(), Unbuildable> {
        let mut state = vec![0; valid.program.packing.words];
        let mut parent = 0;
        while !part.is_at_end() {
            let number = self.visited.len();
            let next = (|| {
                for word in &mut state {
                    *word ^= change(&mut part)?;
                }
                match part.number()? {
                    0 => Ok(ROOT),
                    distance => {
                        let of = (distance - 1).checked_add(parent).filter(|of| *of < number as u64);
                        parent = of.ok_or(Damage("a state comes before its parent"))?;
                        Ok(parent as u32)
                    }
                }
            })();
            let of = next.map_err(|why| part.damaged(&why))?;
            if number >= most {
                return Err(part.damaged(&Damage("it has more states than it says")).into());
            }
            if !valid.cells(&state) {
                return Err(part.damaged(&Damage("it has a state that the model does not have")).into());
            }
            if !self.add(&state, of)? {
                return Err(part.damaged(&Damage("its states are not in order")).into());
            }
            self.make_room(limits, most, valid.words())?;
            if !limits.tick() {
                return Err(Unbuildable::Interrupted(limits.stop.unwrap_or(Stop::Time)));
            }
        }
        Ok(())
    }

    /// Adds a state; whether it may follow those before. On a disk, duplicates are detected at the end only.
    fn add(&mut self, state: &[u64], of: u32) -> Result<bool, StorageError> {
        let follows = match self.before {
            None | Some(ROOT) => true,
            Some(last) => of != ROOT && last <= of,
        };
        let number = self.visited.len();
        let sleep = self.sleep(number);
        let new = match &mut self.visited.disk {
            Some(disk) => disk.append(state, of, sleep).map(|()| true)?,
            None => self.visited.add(state, of),
        };
        self.before = Some(of);
        // Each level consists of the children of the one before.
        if of != ROOT && of as usize >= self.level.first {
            let LastLevel { level, first, .. } = self.level;
            self.level = LastLevel { level: level + 1, first: number, past: number - first };
        }
        Ok(follows && new)
    }

    /// Makes room for the states read so far. A table without packing has room for a fixed number of states.
    fn make_room(&mut self, limits: &Limits, most: usize, words: usize) -> Result<(), StorageError> {
        let (states, visited) = (self.visited.len(), &self.visited);
        let over = match &visited.compact {
            Some(compact) => states.is_multiple_of(1 << 10) && limits.is_over(compact.bytes()),
            None => states > limits.fit(visited.table_bytes_each(false)),
        };
        if visited.disk.is_some() || !over && !limits.is_full(states) {
            return Ok(());
        }
        let Some(mut disk) = (self.disk)() else {
            let fit = states - 1;
            let why = format!("the checkpoint has {most} states, and the memory limit allows for {fit}");
            return Err(StorageError(why));
        };
        let mut number = 0;
        visited.each(0..states, &mut |state, parent| {
            number += 1;
            disk.append(state, parent, self.sleep(number - 1))
        })?;
        self.visited = Visited::on_disk(words, disk);
        Ok(())
    }

    /// Called when all states are read: whether they are distinct.
    pub fn end(&mut self) -> Result<bool, StorageError> {
        let Some(disk) = &mut self.visited.disk else { return Ok(true) };
        disk.sort_from(0)?;
        Ok(disk.are_distinct())
    }
}

/// The last level of a breadth-first search, between two levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastLevel {
    /// The initial states are number 0.
    pub level: usize,
    /// Number of its first state.
    pub first: usize,
    /// States of the level before.
    pub past: usize,
}

/// Which packed words are valid states.
pub struct Valid<'a> {
    /// The instance.
    pub program: &'a Program,
    /// For each word, the bits that belong to some field.
    used: Vec<u64>,
}

impl<'a> Valid<'a> {
    /// States of this instance.
    pub fn new(program: &'a Program) -> Self {
        let mut used = vec![0; program.packing.words];
        for field in &program.packing.fields {
            used[usize::from(field.word)] |= field.mask() << field.shift;
        }
        Self { program, used }
    }

    /// Words of a state.
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
