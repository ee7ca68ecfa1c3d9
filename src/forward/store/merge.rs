//! How states come into a store, and where they go when the memory is full.

use std::cell::RefCell;
use std::sync::Arc;

use crate::clock::Ticker;
use crate::error::StorageError;
use crate::limits::Limits;
use crate::program::{AWAKE, LevelSleep, Program};
use crate::store::batch::Successors;
use crate::store::compact::states::CompactStates;
use crate::store::disk::states::{Decision, DiskStates, Settled};
use crate::store::hash::hash;
use crate::store::intake::{InMemory, Incompressible, Intake, Offer};
use crate::store::tree::StateTree;
use crate::store::visited::{Kept, Spill, Visited};
use crate::tuning::{CHUNK_STATES, TOUCH_GROUP};
use cubicle_run::Stop;

impl Visited {
    pub fn add_root(&mut self, state: &[u64], intake: &mut Intake<'_>) -> Result<(), StorageError> {
        let mut root = std::mem::take(&mut self.root);
        root.set_root(state);
        let added = self.merge(&root, intake);
        self.root = root;
        added?;
        if self.must_deduplicate() { self.deduplicate(intake).map(drop) } else { Ok(()) }
    }

    /// Called when all initial states were added.
    pub fn end_roots(&mut self, intake: &mut Intake<'_>) -> Result<(), StorageError> {
        self.deduplicate(intake)?;
        if let Kept::Lossy(lossy) = &mut self.kept {
            lossy.next_level();
        }
        // States on a disk come with how they were found when they are loaded.
        if !matches!(self.kept, Kept::Disk(_)) {
            self.sleeps = LevelSleep::of_level(0, vec![AWAKE; self.len()]);
        }
        Ok(())
    }

    pub fn next_level(&mut self) {
        self.sleeps.next_level();
        if let Kept::Lossy(lossy) = &mut self.kept {
            lossy.next_level();
        }
    }

    /// Adds successors, in order, until a limit or a finding ends the search. Returns the position of the one that it ended
    /// with, if any. On a disk they wait for [`Visited::deduplicate`].
    pub fn merge(
        &mut self,
        successors: &Successors,
        intake: &mut Intake<'_>,
    ) -> Result<Option<usize>, StorageError> {
        let mut first = 0;
        while first < successors.batch.len() {
            let merged = match &mut self.kept {
                Kept::Table(tree) => take_from(tree, successors, first, &mut self.sleeps, intake),
                Kept::Compact(compact) => {
                    take_from(&mut **compact, successors, first, &mut self.sleeps, intake)
                }
                Kept::Lossy(lossy) => take_from(&mut **lossy, successors, first, &mut self.sleeps, intake),
                Kept::Disk(disk) => {
                    let mut parent = successors.parents();
                    for at in first..successors.batch.len() {
                        let state = successors.batch.state(at, self.words);
                        disk.push(state, parent(at), successors.batch.sleep[at])?;
                    }
                    return Ok(None);
                }
            };
            let at = match merged {
                Merged::All => return Ok(None),
                Merged::Incompressible(at) => {
                    if self.unpack(intake.limits) || self.make_room(intake)? {
                        first = at;
                        continue;
                    }
                    at
                }
                Merged::Until(at) => at,
            };
            if intake.limits.stop != Some(Stop::Memory) || !self.make_room(intake)? {
                return Ok(Some(at));
            }
            first = at;
        }
        Ok(None)
    }

    /// Frees memory when it is full: packs the states, or moves them to the disk. False when neither is possible.
    #[cold]
    fn make_room(&mut self, intake: &mut Intake<'_>) -> Result<bool, StorageError> {
        let packed = std::mem::take(&mut self.may_pack) && self.pack(intake.program);
        let has_room = packed || self.move_to_disk()?;
        if has_room {
            intake.limits.stop = None;
            self.bound(intake.limits);
        }
        Ok(has_room)
    }

    /// Packs the states in the table into numbers; false when they cannot be packed.
    #[cold]
    fn pack(&mut self, program: &Program) -> bool {
        let Kept::Table(tree) = &self.kept else { return false };
        let Some(mut compact) = CompactStates::new(program) else { return false };
        for (number, parent) in tree.parents.iter().enumerate() {
            if compact.insert(tree.store.state(number), *parent).is_err() {
                return false;
            }
        }
        self.kept = Kept::Compact(Box::new(compact));
        true
    }

    /// Unpacks the states and keeps them so, since they do not consist of few records; false, and [`Stop::Memory`], when they
    /// do not fit in the memory.
    #[cold]
    fn unpack(&mut self, limits: &mut Limits) -> bool {
        self.may_pack = false;
        if self.len() >= limits.fit(self.table_bytes_each(false)) {
            limits.stop = Some(Stop::Memory);
            return false;
        }
        self.unpack_anyway();
        self.bound(limits);
        true
    }

    #[cold]
    pub(super) fn unpack_anyway(&mut self) {
        let Kept::Compact(compact) = &self.kept else { return };
        let mut tree = StateTree::new(self.words);
        let mut state = Vec::new();
        for number in 0..compact.len() {
            state.clear();
            compact.decode(number..number + 1, &mut state);
            tree.insert(&state, hash(&state), compact.parent(number));
        }
        self.kept = Kept::Table(tree);
    }

    /// Moves the states to the disk, if they may go there and are not there yet.
    #[cold]
    fn move_to_disk(&mut self) -> Result<bool, StorageError> {
        let Some(disk) = self.write_to_disk()? else { return Ok(false) };
        // The states in memory are freed before the sort, which needs memory.
        self.sleeps = LevelSleep::default();
        self.kept = Kept::Disk(Box::new(disk));
        // They stay there when this fails: findings refer to them.
        if let Kept::Disk(disk) = &mut self.kept {
            disk.sort_from(0)?;
        }
        Ok(true)
    }

    /// Writes the states so far to the disk, not sorted yet; `None` when they may not go there.
    pub(super) fn write_to_disk(&mut self) -> Result<Option<DiskStates>, StorageError> {
        // A store that forgets states has nothing to move.
        if let Kept::Lossy(_) = self.kept {
            return Ok(None);
        }
        let Some(Spill { folder, buffers }) = self.spill.take() else { return Ok(None) };
        let mut disk = DiskStates::new(folder, self.words, buffers);
        let mut buffer = Vec::new();
        for first in (0..self.len()).step_by(CHUNK_STATES) {
            let range = first..self.len().min(first + CHUNK_STATES);
            let states = self.states(range.clone(), &mut buffer);
            for (number, state) in range.zip(states.chunks_exact(self.words)) {
                disk.append(state, self.parent(number), self.sleeps.get(number))?;
            }
        }
        Ok(Some(disk))
    }

    /// Whether all successors so far were compared with the states.
    pub fn is_deduplicated(&self) -> bool {
        match &self.kept {
            Kept::Disk(disk) => !disk.is_waiting(),
            Kept::Table(_) | Kept::Compact(_) | Kept::Lossy(_) => true,
        }
    }

    /// Whether successors should be deduplicated before the level ends.
    pub fn must_deduplicate(&self) -> bool {
        match &self.kept {
            Kept::Disk(disk) => disk.is_due() || !disk.has_place(),
            Kept::Table(_) | Kept::Compact(_) | Kept::Lossy(_) => false,
        }
    }

    /// Compares waiting successors with the states, and adds new ones, until a limit or a finding ends the search. Returns the one that it
    /// ended with, if any, and the number of the state that this one was found from.
    pub fn deduplicate(&mut self, intake: &mut Intake<'_>) -> Result<Option<(Vec<u64>, u32)>, StorageError> {
        let Kept::Disk(disk) = &mut self.kept else { return Ok(None) };
        let (ticker, clock) = (RefCell::new(Ticker::new()), Arc::clone(&intake.limits.clock));
        let go_on = || ticker.borrow_mut().tick(&clock).is_none();
        let settled = disk.deduplicate(&go_on, &mut |number, state| {
            let limits = &mut *intake.limits;
            if number >= limits.max_states {
                limits.stop = Some(limits.full);
                return Decision::Refuse;
            }
            if intake.examiner.may_be_bad(state) {
                intake.examine(number, state);
            }
            if intake.limits.stop.is_some() { Decision::Last } else { Decision::Take }
        })?;
        match settled {
            Settled::All => {}
            Settled::Interrupted => intake.limits.look(),
            Settled::Ended(state, parent) => return Ok(Some((state, parent))),
        }
        Ok(None)
    }
}

/// How far the successors of some states were taken.
enum Merged {
    All,
    /// The search ends with the one at this position.
    Until(usize),
    /// The store cannot hold the one at this position.
    Incompressible(usize),
}

/// Offers successors from `first` on to a store in memory, in order, until a limit or a finding ends the search.
#[inline(never)]
fn take_from<S: InMemory>(
    store: &mut S,
    successors: &Successors,
    first: usize,
    sleeps: &mut LevelSleep,
    intake: &mut Intake<'_>,
) -> Merged {
    let words = intake.program.packing.words;
    let batch = &successors.batch;
    let mut parent = successors.parents();
    let before = batch.suspects.partition_point(|at| (*at as usize) < first);
    let mut suspects = batch.suspects[before..].iter().map(|at| *at as usize).peekable();
    for (group, hashes) in batch.hashes[first..].chunks(TOUCH_GROUP).enumerate() {
        let start = first + group * TOUCH_GROUP;
        let touched = store.touch(batch, start..start + hashes.len(), words);
        for (i, &hash) in hashes.iter().enumerate() {
            let at = start + i;
            let suspect = suspects.next_if_eq(&at).is_some();
            let offer = Offer { state: batch.state(at, words), hash, parent: parent(at), suspect };
            match store.take(offer, &touched, i, intake) {
                Ok(true) => sleeps.push(batch.sleep[at]),
                Ok(false) => {}
                Err(Incompressible) => return Merged::Incompressible(at),
            }
            if intake.limits.stop.is_some() {
                return Merged::Until(at);
            }
        }
    }
    Merged::All
}
