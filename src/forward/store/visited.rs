//! The states that a search has met, and how.

use std::ops::Range;

use crate::forward::program::compiled::Program;
use crate::forward::program::sleep::SleepId;
use crate::forward::store::compact::states::CompactStates;
use crate::forward::store::hash::hash;
use crate::forward::store::origin::ROOT;
use crate::forward::store::table::{Inserted, Store};
use crate::forward::tuning::PACKED_BYTES;
use crate::options::StoreKind;

/// Visited states and how they were found.
#[derive(Clone, Debug, Default)]
pub struct Visited {
    /// The states, or those of them that [`Visited::excerpt`] took out of `compact`.
    pub store: Store,
    /// For each of these, the one that it was found from; [`ROOT`] for initial ones.
    pub parents: Vec<u32>,
    /// The states of a breadth-first search that wants little memory.
    pub compact: Option<Box<CompactStates>>,
    /// Number of the state that was met last, in an excerpt.
    last: Option<usize>,
}

impl Visited {
    /// None, of states of `words` words.
    pub fn new(words: usize) -> Self {
        Self { store: Store::new(words), parents: Vec::new(), compact: None, last: None }
    }

    /// These states, of which nobody asks where they were found.
    pub const fn of_store(store: Store) -> Self {
        Self { store, parents: Vec::new(), compact: None, last: None }
    }

    /// None, of states of an instance, to be kept as `kind` says where they can.
    pub fn of(program: &Program, kind: StoreKind) -> Self {
        let compact = match kind {
            StoreKind::Compact => CompactStates::new(program).map(Box::new),
            StoreKind::Table | StoreKind::Auto => None,
        };
        Self { compact, ..Self::new(program.packing.words) }
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.compact.as_ref().map_or(self.store.len(), |compact| compact.len())
    }

    /// Bytes in use.
    pub fn bytes(&self) -> usize {
        let compact = self.compact.as_ref().map_or(0, |compact| compact.bytes());
        self.store.bytes() + 4 * self.parents.capacity() + compact
    }

    /// Bytes that a state takes in a breadth-first search that keeps it as it is, with room to pack it later when it
    /// may be.
    pub const fn table_bytes_each(&self, may_pack: bool) -> usize {
        let packed = if may_pack { PACKED_BYTES } else { 0 };
        self.store.bytes_each() + size_of::<u32>() + size_of::<SleepId>() + packed
    }

    /// Whether a state was met.
    pub fn contains(&self, state: &[u64]) -> bool {
        match &self.compact {
            Some(compact) => compact.contains(state),
            None => self.store.find(state).is_some(),
        }
    }

    /// The states of a range, one after the other; in `buffer` where they are not kept as such.
    pub fn states<'s>(&'s self, range: Range<usize>, buffer: &'s mut Vec<u64>) -> &'s [u64] {
        let Some(compact) = &self.compact else { return self.store.states(range) };
        buffer.clear();
        compact.decode(range, buffer);
        buffer
    }

    /// The parent of a state.
    pub fn parent(&self, state: usize) -> u32 {
        match &self.compact {
            Some(compact) => compact.parent(state),
            None => self.parents[state],
        }
    }

    /// Adds a state, unless it is there; whether it did.
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

    /// Keeps states as such from now on: they do not consist of few records.
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

    /// Keeps states as numbers from now on; false when they cannot be.
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

    /// Where states are not kept as such: keeps those on the ways to the given ones, and to the last one. Their numbers
    /// in `store` are written over those given.
    pub fn excerpt<'n>(&mut self, wanted: impl Iterator<Item = &'n mut usize>) {
        let Some(compact) = &self.compact else { return };
        let (store, parents) = (&mut self.store, &mut self.parents);
        let mut take = |number: usize| {
            let mut chain = vec![number as u32];
            while let Some(parent) =
                chain.last().map(|at| compact.parent(*at as usize)).filter(|at| *at != ROOT)
            {
                chain.push(parent);
            }
            let mut parent = ROOT;
            let mut state = Vec::new();
            for number in chain.into_iter().rev() {
                state.clear();
                compact.decode(number as usize..number as usize + 1, &mut state);
                parent = match store.insert(&state, hash(&state)) {
                    Inserted::Old(number) => number as u32,
                    Inserted::New(number) => {
                        parents.push(parent);
                        number as u32
                    }
                };
            }
            parent as usize
        };
        wanted.for_each(|number| *number = take(*number));
        self.last = compact.len().checked_sub(1).map(take);
    }

    /// Number of the state that was met last, if there is one.
    pub fn last(&self) -> Option<usize> {
        self.last.or_else(|| self.parents.len().checked_sub(1))
    }
}
