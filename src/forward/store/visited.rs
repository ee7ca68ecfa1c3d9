//! The states that a breadth-first or depth-first search has found, wherever they are kept.
//!
//! Only this module, `merge` and `restore` know the kinds of stores. A new kind is a variant of [`Kept`] with a type of its own,
//! which implements [`InMemory`](crate::store::intake::InMemory) if it takes states one by one. The states move when the
//! memory is full: from a table into numbers, and from any of the two to a disk. The search notices by
//! [`Visited::is_loaded`] only.

use std::borrow::Cow;
use std::ops::Range;

use crate::error::StorageError;
use crate::limits::Limits;
use crate::program::{LevelSleep, Program, SleepId};
use crate::store::batch::Successors;
use crate::store::compact::states::CompactStates;
use crate::store::disk::records::Folder;
use crate::store::disk::states::DiskStates;
use crate::store::lossy::LossyStates;
use crate::store::origin::{ROOT, way};
use crate::store::table::Store;
use crate::store::tree::StateTree;
use crate::tuning::{CHUNK_STATES, LEAST_SPILL, MOST_SPILL, PACKED_BYTES};
use cubicle_run::{ForwardOptions, StoreKind};

/// Visited states with their parents, and how those that are not expanded yet were found.
#[derive(Debug)]
pub struct Visited {
    pub(super) words: usize,
    pub(super) kept: Kept,
    /// How the states were found that are expanded now or next; of states on a disk, the loaded ones.
    pub(super) sleeps: LevelSleep,
    /// Whether states in a table may be packed into numbers once the memory is full.
    pub(super) may_pack: bool,
    /// Where the states go when there is no room for them in memory.
    pub(super) spill: Option<Spill>,
    /// The initial state that is being added.
    pub(super) root: Successors,
}

#[derive(Debug)]
pub(super) enum Kept {
    /// In a table, as they are.
    Table(StateTree),
    /// As numbers of the records that they consist of.
    Compact(Box<CompactStates>),
    Disk(Box<DiskStates>),
    /// As bits, so that some may be mistaken for others.
    Lossy(Box<LossyStates>),
}

#[derive(Debug)]
pub(super) struct Spill {
    pub folder: Folder,
    /// Bytes of the buffers in memory.
    pub buffers: usize,
}

/// Gets a state, and the number of its parent or [`ROOT`].
pub type TakeState<'f> = dyn FnMut(&[u64], u32) -> Result<(), StorageError> + 'f;

/// The ways to what a search found, as [`Visited::ways_to`] has them.
pub enum WaysTo<'v> {
    Tree(Cow<'v, StateTree>),
    /// The states were not kept: a second search must find them again. The numbers of those on each way, in order.
    Forgotten(Vec<Vec<usize>>),
}

impl Visited {
    /// An empty store for the states of an instance, of this `kind` where possible.
    pub fn new(program: &Program, kind: StoreKind) -> Self {
        let words = program.packing.words;
        let compact = (kind == StoreKind::Compact).then(|| CompactStates::new(program)).flatten();
        let kept = match (compact, kind) {
            (Some(compact), _) => Kept::Compact(Box::new(compact)),
            (None, StoreKind::Bitstate(bytes)) => Kept::Lossy(Box::new(LossyStates::new(words, bytes))),
            (None, _) => Kept::Table(StateTree::new(words)),
        };
        Self {
            words,
            kept,
            sleeps: LevelSleep::default(),
            may_pack: kind == StoreKind::Auto,
            spill: None,
            root: Successors::default(),
        }
    }

    /// Takes the folder that the options name for states that the memory has no room for.
    pub fn take_folder(&mut self, options: &ForwardOptions, limits: &mut Limits) -> Result<(), StorageError> {
        let Some(spill) = &options.spill else { return Ok(()) };
        let buffers = spill.buffer.unwrap_or_else(|| {
            options.memory.map_or(MOST_SPILL, |memory| (memory / 2).clamp(LEAST_SPILL, MOST_SPILL))
        });
        self.spill = Some(Spill { folder: Folder::take(&spill.folder)?, buffers });
        limits.bound_in_memory(spill.after);
        Ok(())
    }

    /// Bounds the number of states by the memory that they need as they are kept now.
    pub fn bound(&mut self, limits: &mut Limits) {
        match self.kept {
            Kept::Table(_) => return limits.bound_memory(Some(self.table_bytes_each(self.may_pack))),
            Kept::Disk(_) => limits.bound_in_memory(None),
            Kept::Compact(_) | Kept::Lossy(_) => {}
        }
        self.may_pack = false;
        limits.bound_memory(None);
    }

    /// Bytes that an unpacked state takes in a breadth-first search, with room to pack it later when it
    /// may be packed.
    pub(super) const fn table_bytes_each(&self, may_pack: bool) -> usize {
        let packed = if may_pack { PACKED_BYTES } else { 0 };
        Store::bytes_each(self.words) + size_of::<u32>() + size_of::<SleepId>() + packed
    }

    pub fn len(&self) -> usize {
        match &self.kept {
            Kept::Table(tree) => tree.store.len(),
            Kept::Compact(compact) => compact.len(),
            Kept::Disk(disk) => disk.len(),
            Kept::Lossy(lossy) => lossy.len(),
        }
    }

    pub fn bytes(&self) -> usize {
        match &self.kept {
            Kept::Table(tree) => tree.bytes(),
            Kept::Compact(compact) => compact.bytes(),
            Kept::Disk(disk) => disk.bytes(),
            Kept::Lossy(lossy) => lossy.bytes(),
        }
    }

    /// Whether a state was found. An error also when the states were not kept.
    pub fn contains(&self, state: &[u64]) -> Result<bool, StorageError> {
        match &self.kept {
            Kept::Table(tree) => Ok(tree.store.find(state).is_some()),
            Kept::Compact(compact) => Ok(compact.contains(state)),
            Kept::Disk(disk) => disk.contains(state),
            Kept::Lossy(_) => Err(StorageError("states were not kept".to_owned())),
        }
    }

    /// The expected number of states that were mistaken for others; `None` where none can be.
    pub fn missed(&self) -> Option<f64> {
        match &self.kept {
            Kept::Lossy(lossy) => Some(lossy.missed),
            Kept::Table(_) | Kept::Compact(_) | Kept::Disk(_) => None,
        }
    }

    /// The states in a table, where all of them are in one.
    pub const fn table_mut(&mut self) -> Option<&mut StateTree> {
        match &mut self.kept {
            Kept::Table(tree) => Some(tree),
            _ => None,
        }
    }

    /// Like [`Visited::table_mut`], when the search has ended.
    pub fn into_table(self) -> Option<StateTree> {
        match self.kept {
            Kept::Table(tree) => Some(tree),
            _ => None,
        }
    }

    /// The states of a range, one after the other; in `buffer` where they are not stored as such. They must be loaded.
    pub fn states<'s>(&'s self, range: Range<usize>, buffer: &'s mut Vec<u64>) -> &'s [u64] {
        match &self.kept {
            Kept::Table(tree) => tree.store.states(range),
            Kept::Disk(disk) => disk.loaded(range),
            Kept::Lossy(lossy) => lossy.states(range),
            Kept::Compact(compact) => {
                buffer.clear();
                compact.decode(range, buffer);
                buffer
            }
        }
    }

    /// How the loaded states of a range were found.
    pub fn sleeps(&self, range: Range<usize>) -> &[SleepId] {
        self.sleeps.of(range)
    }

    /// How the states of a level were found, loaded or not.
    pub fn level_sleeps(&self, level: Range<usize>) -> Result<Cow<'_, [SleepId]>, StorageError> {
        let Kept::Disk(disk) = &self.kept else { return Ok(Cow::Borrowed(self.sleeps.of(level))) };
        let mut sleeps = Vec::with_capacity(level.len());
        disk.each(level, &mut |_, _, sleep| {
            sleeps.push(sleep);
            Ok(())
        })?;
        Ok(Cow::Owned(sleeps))
    }

    /// Passes the states of a range to `f`, one after the other, each with its parent.
    pub fn each(&self, range: Range<usize>, f: &mut TakeState<'_>) -> Result<(), StorageError> {
        if let Kept::Disk(disk) = &self.kept {
            return disk.each(range, &mut |state, parent, _| f(state, parent));
        }
        let mut buffer = Vec::new();
        for number in range {
            f(self.states(number..number + 1, &mut buffer), self.parent(number))?;
        }
        Ok(())
    }

    /// The parent of a state that is in memory.
    pub(super) fn parent(&self, state: usize) -> u32 {
        match &self.kept {
            Kept::Table(tree) => tree.parents[state],
            Kept::Compact(compact) => compact.parent(state),
            Kept::Lossy(lossy) => lossy.parent(state),
            Kept::Disk(_) => unreachable!("states on a disk are read with their parents"),
        }
    }

    /// Loads some states of a level, from its start on, where they are not in memory; returns the end of the loaded range.
    pub fn load(&mut self, level: Range<usize>) -> Result<usize, StorageError> {
        let Kept::Disk(disk) = &mut self.kept else { return Ok(level.end) };
        // Chunks are cut as they are in memory.
        let ready = level.start..disk.window().end.min(level.end);
        if level.start < disk.window().start || ready.len() < CHUNK_STATES.min(level.len()) {
            let (end, sleeps) = disk.load(level.clone())?;
            self.sleeps = LevelSleep::of_level(level.start, sleeps);
            return Ok(end);
        }
        Ok(ready.end)
    }

    /// Whether the states of a range that was loaded can still be read: they may have moved.
    pub fn is_loaded(&self, range: &Range<usize>) -> bool {
        match &self.kept {
            Kept::Disk(disk) => {
                range.is_empty() || disk.window().start <= range.start && range.end <= disk.window().end
            }
            Kept::Table(_) | Kept::Compact(_) | Kept::Lossy(_) => true,
        }
    }

    /// Frees what only a running search needs.
    pub fn end(&mut self) {
        match &mut self.kept {
            Kept::Disk(disk) => disk.end(),
            Kept::Lossy(lossy) => lossy.end(),
            Kept::Table(_) | Kept::Compact(_) => {}
        }
    }

    /// Has the states on the ways to the wanted ones in a tree, and replaces the wanted numbers by those in this tree. Where
    /// the states must be found again, the numbers stay.
    pub fn ways_to<'n>(
        &self,
        wanted: impl Iterator<Item = &'n mut usize>,
    ) -> Result<WaysTo<'_>, StorageError> {
        match &self.kept {
            Kept::Table(tree) => return Ok(WaysTo::Tree(Cow::Borrowed(tree))),
            Kept::Lossy(lossy) => {
                let way_to = |number: &mut usize| way(*number, usize::MAX, |at| lossy.parent(at));
                return Ok(WaysTo::Forgotten(wanted.map(way_to).collect()));
            }
            Kept::Compact(_) | Kept::Disk(_) => {}
        }
        let mut tree = StateTree::new(self.words);
        for number in wanted {
            *number = self.copy_way(*number, &mut tree)?;
        }
        if let Some(last) = self.len().checked_sub(1) {
            tree.last = Some(self.copy_way(last, &mut tree)?);
        }
        Ok(WaysTo::Tree(Cow::Owned(tree)))
    }

    /// Before the search: these states, given by their sorted numbers, are kept, also where others are forgotten.
    pub fn want(&mut self, numbers: Vec<usize>) {
        if let Kept::Lossy(lossy) = &mut self.kept {
            lossy.want(numbers);
        }
    }

    /// The states that were kept for [`Visited::want`], one after the other.
    pub fn wanted(&self) -> &[u64] {
        match &self.kept {
            Kept::Lossy(lossy) => &lossy.kept,
            Kept::Table(_) | Kept::Compact(_) | Kept::Disk(_) => &[],
        }
    }

    /// Copies the states on the way to one into `tree`; returns its number there.
    fn copy_way(&self, number: usize, tree: &mut StateTree) -> Result<usize, StorageError> {
        let mut way = Vec::new();
        let mut next = number as u32;
        while next != ROOT {
            let at = next as usize;
            let (state, parent) = match &self.kept {
                Kept::Disk(disk) => disk.get(at)?,
                _ => (self.states(at..at + 1, &mut Vec::new()).to_vec(), self.parent(at)),
            };
            way.push(state);
            next = parent;
        }
        Ok(tree.insert_way(way.iter().rev().map(Vec::as_slice)))
    }
}
