//! The states that a search has found, and how.

use std::ops::Range;

use crate::error::StorageError;
use crate::program::compiled::Program;
use crate::program::sleep::SleepId;
use crate::store::compact::states::CompactStates;
use crate::store::disk::states::DiskStates;
use crate::store::hash::hash;
use crate::store::lossy::LossyStates;
use crate::store::origin::ROOT;
use crate::store::table::{Inserted, Store};
use crate::tuning::PACKED_BYTES;
use cubicle_run::options::StoreKind;

/// Visited states and how they were found.
#[derive(Debug, Default)]
pub struct Visited {
    /// The states, or those of them that [`Visited::excerpt`] extracted.
    pub store: Store,
    /// For each of these, its parent; [`ROOT`] for initial ones.
    pub parents: Vec<u32>,
    /// The states of a breadth-first search, packed to save memory.
    pub compact: Option<Box<CompactStates>>,
    /// The states of a search that has left the memory.
    pub disk: Option<Box<DiskStates>>,
    /// The states of a search that may mistake some for others.
    pub lossy: Option<Box<LossyStates>>,
    /// Number of the state that was found last, in an excerpt.
    last: Option<usize>,
}

/// Copies states in the table; no other kind is ever copied.
impl Clone for Visited {
    fn clone(&self) -> Self {
        assert!(self.is_table(), "only states in the table are copied");
        Self { parents: self.parents.clone(), last: self.last, ..Self::of_store(self.store.clone()) }
    }
}

impl Visited {
    /// An empty store for states of `words` words.
    pub fn new(words: usize) -> Self {
        Self { store: Store::new(words), ..Self::default() }
    }

    /// The states on a disk, each of `words` words.
    pub fn on_disk(words: usize, states: DiskStates) -> Self {
        Self { disk: Some(Box::new(states)), ..Self::new(words) }
    }

    /// These states, whose parents are never needed.
    pub const fn of_store(store: Store) -> Self {
        Self { store, parents: Vec::new(), compact: None, disk: None, lossy: None, last: None }
    }

    /// An empty store for states of an instance, of this `kind` where possible.
    pub fn of(program: &Program, kind: StoreKind) -> Self {
        let compact = match kind {
            StoreKind::Compact => CompactStates::new(program).map(Box::new),
            StoreKind::Table | StoreKind::Auto | StoreKind::Bitstate(_) => None,
        };
        let lossy = match kind {
            StoreKind::Bitstate(bytes) => Some(Box::new(LossyStates::new(program.packing.words, bytes))),
            _ => None,
        };
        Self { compact, lossy, ..Self::new(program.packing.words) }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        match (&self.compact, &self.disk, &self.lossy) {
            (Some(compact), _, _) => compact.len(),
            (_, Some(disk), _) => disk.len(),
            (_, _, Some(lossy)) => lossy.len(),
            _ => self.store.len(),
        }
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let compact = self.compact.as_ref().map_or(0, |compact| compact.bytes());
        let disk = self.disk.as_ref().map_or(0, |disk| disk.bytes());
        let lossy = self.lossy.as_ref().map_or(0, |lossy| lossy.bytes());
        self.store.bytes() + 4 * self.parents.capacity() + compact + disk + lossy
    }

    /// Bytes that an unpacked state takes in a breadth-first search, with room to pack it later when it
    /// may be packed.
    pub const fn table_bytes_each(&self, may_pack: bool) -> usize {
        let packed = if may_pack { PACKED_BYTES } else { 0 };
        self.store.bytes_each() + size_of::<u32>() + size_of::<SleepId>() + packed
    }

    /// Whether a state was found.
    pub fn contains(&self, state: &[u64]) -> Result<bool, StorageError> {
        match (&self.compact, &self.disk) {
            (Some(compact), _) => Ok(compact.contains(state)),
            (_, Some(disk)) => disk.contains(state),
            _ if self.lossy.is_some() => Err(StorageError("states were not kept".to_owned())),
            _ => Ok(self.store.find(state).is_some()),
        }
    }

    /// Whether all states are in the table, with their parents.
    pub const fn is_table(&self) -> bool {
        self.compact.is_none() && self.disk.is_none() && self.lossy.is_none()
    }

    /// The states of a range, one after the other; in `buffer` where they are not stored as such. On a disk, they must be
    /// loaded before.
    pub fn states<'s>(&'s self, range: Range<usize>, buffer: &'s mut Vec<u64>) -> &'s [u64] {
        if let Some(disk) = &self.disk {
            return disk.loaded(range);
        }
        if let Some(lossy) = &self.lossy {
            return lossy.states(range);
        }
        let Some(compact) = &self.compact else { return self.store.states(range) };
        buffer.clear();
        compact.decode(range, buffer);
        buffer
    }

    /// Passes the states of a range to `f`, one after the other, each with its parent.
    pub fn each(
        &self,
        range: Range<usize>,
        f: &mut dyn FnMut(&[u64], u32) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        if let Some(disk) = &self.disk {
            return disk.each(range, &mut |state, parent, _| f(state, parent));
        }
        let mut buffer = Vec::new();
        for number in range {
            f(self.states(number..number + 1, &mut buffer), self.parent(number))?;
        }
        Ok(())
    }

    /// The parent of a state that is in the memory.
    pub fn parent(&self, state: usize) -> u32 {
        match (&self.compact, &self.lossy) {
            (Some(compact), _) => compact.parent(state),
            (_, Some(lossy)) => lossy.parent(state),
            _ => self.parents[state],
        }
    }

    /// Adds a state, unless it is there; returns whether it was added.
    pub fn add(&mut self, state: &[u64], parent: u32) -> bool {
        if let Some(compact) = &mut self.compact {
            match compact.insert(state, parent) {
                Ok(new) => return new,
                Err(_) => self.unpack(),
            }
        }
        let new = matches!(self.store.insert(state, hash(state)), Inserted::New(_));
        if new {
            self.parents.push(parent);
        }
        new
    }

    /// Unpacks the states and keeps them so: they do not consist of few records.
    #[cold]
    pub fn unpack(&mut self) {
        let Some(compact) = self.compact.take() else { return };
        let mut state = Vec::new();
        for number in 0..compact.len() {
            state.clear();
            compact.decode(number..number + 1, &mut state);
            self.store.insert(&state, hash(&state));
            self.parents.push(compact.parent(number));
        }
    }

    /// Packs the states into numbers; false when they cannot be packed.
    #[cold]
    pub fn pack(&mut self, program: &Program) -> bool {
        let Some(mut compact) = CompactStates::new(program) else { return false };
        for (number, parent) in self.parents.iter().enumerate() {
            if compact.insert(self.store.state(number), *parent).is_err() {
                return false;
            }
        }
        *self = Self { compact: Some(Box::new(compact)), ..Self::new(program.packing.words) };
        true
    }

    /// Where states are not stored as such: stores those on the ways to the wanted ones, and to the last one. Their numbers
    /// in `store` replace the wanted ones.
    pub fn excerpt<'n>(&mut self, wanted: impl Iterator<Item = &'n mut usize>) -> Result<(), StorageError> {
        // The search that recovers lossy states puts them there.
        if self.is_table() || self.lossy.is_some() {
            return Ok(());
        }
        for number in wanted {
            *number = self.take_way(*number)?;
        }
        self.last = self.len().checked_sub(1).map(|last| self.take_way(last)).transpose()?;
        Ok(())
    }

    /// Puts the states on the way to one into `store`; returns its number there.
    fn take_way(&mut self, number: usize) -> Result<usize, StorageError> {
        let mut way = Vec::new();
        let mut next = number as u32;
        while next != ROOT {
            let (state, parent) = match (&self.compact, &self.disk) {
                (Some(compact), _) => {
                    let mut state = Vec::new();
                    compact.decode(next as usize..next as usize + 1, &mut state);
                    (state, compact.parent(next as usize))
                }
                (_, Some(disk)) => disk.get(next as usize)?,
                _ => break,
            };
            way.push(state);
            next = parent;
        }
        Ok(self.put_way(way.iter().rev().map(Vec::as_slice)))
    }

    /// Puts states, each the parent of the next, into `store`; returns the number of the last one there.
    pub fn put_way<'s>(&mut self, way: impl Iterator<Item = &'s [u64]>) -> usize {
        let mut parent = ROOT;
        for state in way {
            parent = match self.store.insert(state, hash(state)) {
                Inserted::Old(number) => number as u32,
                Inserted::New(number) => {
                    self.parents.push(parent);
                    number as u32
                }
            };
        }
        parent as usize
    }

    /// Number of the state that was found last, if there is one.
    pub fn last(&self) -> Option<usize> {
        self.last.or_else(|| self.parents.len().checked_sub(1))
    }
}
