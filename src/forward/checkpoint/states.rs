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
use crate::limits::Limits;
use crate::program::compiled::Program;
use crate::run::levels::Level;
use crate::state::cells::{CellShape, CodeKind};
use crate::store::origin::ROOT;
use crate::store::restore::Restored;
use crate::store::visited::Visited;
use cubicle_run::Stop;

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
    visited: &'a mut Visited,
    /// The level of the last of them.
    pub level: Level,
    /// The parent of the last of them.
    before: Option<u32>,
}

impl<'a> Reading<'a> {
    /// No states yet, to be added to `visited`.
    pub fn new(visited: &'a mut Visited) -> Self {
        Self { visited, level: Level::default(), before: None }
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
            let follows = self.follows(number, of);
            match self.visited.restore(&state, of, limits)? {
                Restored::New if follows => {}
                Restored::Full if follows => {
                    let why =
                        format!("the checkpoint has {most} states, and the memory limit allows for {number}");
                    return Err(StorageError(why).into());
                }
                _ => return Err(part.damaged(&Damage("its states are not in order")).into()),
            }
            if !limits.tick() {
                return Err(Unbuildable::Interrupted(limits.stop.unwrap_or(Stop::Time)));
            }
        }
        self.level.states.end = self.visited.len();
        Ok(())
    }

    /// Whether a state with the parent `of` may follow those before. Each level consists of the children of the one before.
    fn follows(&mut self, number: usize, of: u32) -> bool {
        let follows = match self.before {
            None | Some(ROOT) => true,
            Some(last) => of != ROOT && last <= of,
        };
        self.before = Some(of);
        let Level { depth, states, .. } = &self.level;
        if of != ROOT && of as usize >= states.start {
            self.level = Level { depth: depth + 1, before: number - states.start, states: number..number };
        }
        follows
    }
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
