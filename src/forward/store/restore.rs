//! How the states of a checkpoint come back into a store.

use crate::error::StorageError;
use crate::limits::Limits;
use crate::program::{LevelSleep, Program, SleepId};
use crate::store::hash::hash;
use crate::store::table::Inserted;
use crate::store::visited::{Kept, Visited};
use cubicle_run::StoreKind;

/// The outcome of [`Visited::restore`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Restored {
    /// It is added, or will be compared with the others by [`Visited::end_restoring`].
    New,
    Known,
    Full,
}

impl Visited {
    /// Prepares an empty store for the states of a checkpoint: their number, and how those of its last level were found. The search that wrote it may have used less memory for each state.
    pub fn begin_restoring(
        &mut self,
        states: usize,
        sleeps: Vec<SleepId>,
        program: &Program,
        limits: &Limits,
    ) {
        if self.may_pack && states > limits.fit(self.table_bytes_each(true)) {
            let spill = self.spill.take();
            *self = Self { spill, ..Self::new(program, StoreKind::Compact) };
        }
        self.sleeps = LevelSleep::of_level(states - sleeps.len(), sleeps);
    }

    /// Adds a state of a checkpoint, which comes after all those before.
    pub fn restore(&mut self, state: &[u64], parent: u32, limits: &Limits) -> Result<Restored, StorageError> {
        let known = match &mut self.kept {
            Kept::Disk(disk) => {
                return disk.append(state, parent, self.sleeps.get(disk.len())).map(|()| Restored::New);
            }
            Kept::Table(tree) => matches!(tree.insert(state, hash(state), parent), Inserted::Old(_)),
            Kept::Lossy(lossy) => !lossy.insert(state, parent),
            Kept::Compact(compact) => {
                let Ok(new) = compact.insert(state, parent) else {
                    self.unpack_anyway();
                    return self.restore(state, parent, limits);
                };
                !new
            }
        };
        if known {
            return Ok(Restored::Known);
        }
        let states = self.len();
        // A table without packing has room for a fixed number of states.
        let over = match &self.kept {
            Kept::Compact(compact) => states.is_multiple_of(1 << 10) && limits.is_over(compact.bytes()),
            _ => states > limits.fit(self.table_bytes_each(false)),
        };
        if !over && !limits.is_full(states) {
            return Ok(Restored::New);
        }
        let Some(disk) = self.write_to_disk()? else { return Ok(Restored::Full) };
        self.kept = Kept::Disk(Box::new(disk));
        Ok(Restored::New)
    }

    /// Called when all states of a checkpoint were added: whether they are distinct.
    pub fn end_restoring(&mut self) -> Result<bool, StorageError> {
        let Kept::Disk(disk) = &mut self.kept else { return Ok(true) };
        disk.sort_from(0)?;
        Ok(disk.are_distinct())
    }
}
