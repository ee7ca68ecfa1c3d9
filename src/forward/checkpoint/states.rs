//! States in files: each as what changes from the one before, with the distance to its parent's number.
//!
//! Neighbours in a level often share a parent, so that few bytes of them differ. For each word there is a byte that
//! says which of its bytes change, then these. Parents never fall from one state to the next: breadth first, they
//! are expanded in order.

use std::ops::Range;
use std::path::Path;

use crate::forward::checkpoint::bytes::{Damage, Source, put};
use crate::forward::checkpoint::files::{NewPart, Part, PartReader};
use crate::forward::error::{StorageError, Unbuildable};
use crate::forward::program::compiled::Program;
use crate::forward::run::limits::Limits;
use crate::forward::state::cells::{CellShape, CodeKind};
use crate::forward::store::origin::ROOT;
use crate::forward::store::visited::Visited;
use crate::result::Stop;

/// Bytes that are handed to the file at a time.
const BLOCK: usize = 1 << 16;

/// Writes the states of a range.
pub fn write(folder: &Path, visited: &Visited, range: Range<usize>) -> Result<Part, StorageError> {
    let mut part = NewPart::begin(folder, format!("states-{}-{}", range.start, range.end))?;
    let mut bytes = Vec::with_capacity(2 * BLOCK);
    let mut buffer = Vec::new();
    let mut before: Option<Vec<u64>> = None;
    let mut parent = 0;
    for number in range {
        let state = visited.states(number..number + 1, &mut buffer);
        let last = before.get_or_insert_with(|| vec![0; state.len()]);
        for (word, old) in state.iter().zip(last) {
            put_change(&mut bytes, *word ^ *old);
            *old = *word;
        }
        // 0 for an initial state, else one more than the distance.
        match visited.parent(number) {
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
    }
    part.write(&bytes)?;
    part.finish(folder)
}

/// Appends the bytes of a word that are not 0, and which these are.
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

/// What [`put_change`] appended.
pub fn change(from: &mut impl Source) -> Result<u64, Damage> {
    let mask = from.byte()?;
    let mut word = 0;
    for i in (0..8).filter(|i| mask >> i & 1 == 1) {
        word |= u64::from(from.byte()?) << (8 * i);
    }
    Ok(word)
}

/// The file of `states` states is no longer than this.
pub fn most_bytes(states: usize, valid: &Valid<'_>) -> u64 {
    // For each word nine bytes, for the parent ten.
    (states as u64).saturating_mul(9 * valid.words() as u64 + 10)
}

/// Adds the states of a part to those that are known, of which there may be `most`.
pub fn read(
    mut part: PartReader,
    valid: &Valid<'_>,
    most: usize,
    limits: &mut Limits,
    visited: &mut Visited,
) -> Result<(), Unbuildable> {
    let mut state = vec![0; valid.program.packing.words];
    let mut parent = 0;
    let mut before = visited.len().checked_sub(1).map(|last| visited.parent(last));
    while !part.is_at_end() {
        let next = (|| {
            for word in &mut state {
                *word ^= change(&mut part)?;
            }
            match part.number()? {
                0 => Ok(ROOT),
                distance => {
                    let of = (distance - 1).checked_add(parent).filter(|of| *of < visited.len() as u64);
                    parent = of.ok_or(Damage("a state comes before its parent"))?;
                    Ok(parent as u32)
                }
            }
        })();
        let added = next.and_then(|of| {
            if visited.len() >= most {
                return Err(Damage("it has more states than it says"));
            }
            if !valid.cells(&state) {
                return Err(Damage("it has a state that the model does not have"));
            }
            let follows = match before {
                None | Some(ROOT) => true,
                Some(last) => of != ROOT && last <= of,
            };
            before = Some(of);
            if follows && visited.add(&state, of) {
                Ok(())
            } else {
                Err(Damage("its states are not in order"))
            }
        });
        added.map_err(|why| part.damaged(&why))?;
        has_room(limits, visited, most)?;
        if !limits.tick() {
            return Err(Unbuildable::Interrupted(limits.stop.unwrap_or(Stop::Time)));
        }
    }
    Ok(())
}

/// Whether the states have room in the memory, as far as they are read. In a table, and not kept as numbers, it is
/// known after how many they have not.
fn has_room(limits: &Limits, visited: &Visited, most: usize) -> Result<(), StorageError> {
    let states = visited.len();
    let over = match &visited.compact {
        Some(compact) => states.is_multiple_of(1 << 10) && limits.is_over(compact.bytes()),
        None => states > limits.fit(visited.table_bytes_each(false)),
    };
    if !over {
        return Ok(());
    }
    let fit = states - 1;
    Err(StorageError(format!("the checkpoint has {most} states, and the memory limit allows for {fit}")))
}

/// The last level of a breadth-first search that stands between two levels.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LastLevel {
    /// The initial states are number 0.
    pub level: usize,
    /// Number of its first state.
    pub first: usize,
    /// States of the level before.
    pub past: usize,
}

impl LastLevel {
    /// What the parents say: a level are the children of the one before.
    pub fn of(visited: &Visited) -> Self {
        let mut last = Self { level: 0, first: 0, past: 0 };
        loop {
            // The first state whose parent is in the level; they do not fall.
            let is_child = |n: usize| visited.parent(n) != ROOT && visited.parent(n) as usize >= last.first;
            let (mut known, mut step) = (last.first, 1);
            while known + step < visited.len() && !is_child(known + step) {
                known += step;
                step *= 2;
            }
            let mut end = visited.len().min(known + step);
            while known + 1 < end {
                let middle = known.midpoint(end);
                if is_child(middle) {
                    end = middle;
                } else {
                    known = middle;
                }
            }
            if end == visited.len() {
                return last;
            }
            last = Self { level: last.level + 1, first: end, past: end - last.first };
        }
    }
}

/// Which packed words are states.
pub struct Valid<'a> {
    /// The instance.
    pub program: &'a Program,
    /// For each word, the bits that some field has.
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
