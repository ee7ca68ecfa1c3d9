//! States in a table, each with the state that it was found from.

use std::ops::Range;

use crate::limits::Limits;
use crate::store::batch::Batch;
use crate::store::hash::hash;
use crate::store::intake::{InMemory, Incompressible, Intake, Offer};
use crate::store::origin::ROOT;
use crate::store::table::{Inserted, Store, reserve};

/// Visited states that are all in a table, with the ways to them: those of walks and of a depth-first search, the ones on the
/// ways to what another search found, and those of a breadth-first search that had room for all.
#[derive(Clone, Debug, Default)]
pub struct StateTree {
    pub store: Store,
    /// For each of these, its parent; [`ROOT`] for initial ones.
    pub parents: Vec<u32>,
    /// Number of the state that was found last, where these are some of the states.
    pub(super) last: Option<usize>,
}

impl StateTree {
    /// An empty tree, for states of `words` words.
    pub fn new(words: usize) -> Self {
        Self { store: Store::new(words), ..Self::default() }
    }

    pub fn bytes(&self) -> usize {
        self.store.bytes() + 4 * self.parents.capacity()
    }

    /// Adds a state with this hash, unless it is there.
    #[inline]
    pub fn insert(&mut self, state: &[u64], h: u64, parent: u32) -> Inserted {
        let inserted = self.store.insert(state, h);
        if let Inserted::New(_) = inserted {
            reserve(&mut self.parents, 1);
            self.parents.push(parent);
        }
        inserted
    }

    /// Adds a state with this hash, unless it is there; `None` when it is not stored, since a limit is reached.
    #[inline]
    pub fn insert_within(
        &mut self,
        state: &[u64],
        h: u64,
        parent: u32,
        limits: &mut Limits,
    ) -> Option<Inserted> {
        if self.store.len() < limits.max_states {
            return Some(self.insert(state, h, parent));
        }
        let known = self.store.find_hashed(state, h).map(Inserted::Old);
        if known.is_none() {
            limits.stop = Some(limits.full);
        }
        known
    }

    /// Like [`StateTree::insert_within`]; has a new state examined.
    #[inline]
    pub fn offer(&mut self, offer: Offer<'_>, intake: &mut Intake<'_>) -> Option<Inserted> {
        let Offer { state, hash, parent, suspect } = offer;
        let inserted = self.insert_within(state, hash, parent, intake.limits);
        if let (true, Some(Inserted::New(number))) = (suspect, inserted) {
            intake.examine(number, state);
        }
        inserted
    }

    /// Adds states, each the parent of the next; returns the number of the last one.
    pub fn insert_way<'s>(&mut self, way: impl Iterator<Item = &'s [u64]>) -> usize {
        let mut parent = ROOT;
        for state in way {
            parent = self.insert(state, hash(state), parent).number() as u32;
        }
        parent as usize
    }

    /// Number of the state that was found last, if there is one.
    pub fn last(&self) -> Option<usize> {
        self.last.or_else(|| self.parents.len().checked_sub(1))
    }
}

impl InMemory for StateTree {
    type Touched = ();

    #[inline]
    fn touch(&self, batch: &Batch, places: Range<usize>, _: usize) {
        self.store.touch(&batch.hashes[places]);
    }

    #[inline]
    fn take(
        &mut self,
        offer: Offer<'_>,
        (): &(),
        _: usize,
        intake: &mut Intake<'_>,
    ) -> Result<bool, Incompressible> {
        Ok(matches!(self.offer(offer, intake), Some(Inserted::New(_))))
    }
}
