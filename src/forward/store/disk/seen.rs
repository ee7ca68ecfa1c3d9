//! The known states, sorted: in a few files, each less than half as long as the one before.

use crate::error::StorageError;
use crate::store::disk::folder::Folder;
use crate::store::disk::records::{Cursor, Records};
use crate::store::disk::sort::merge;

/// Sorted files without a state in common.
#[derive(Debug, Default)]
pub struct Seen(Vec<Records>);

/// Looks states up in increasing order.
pub struct Lookup<'a>(Vec<Cursor<'a>>);

impl Seen {
    /// Bytes of memory in use.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(Records::bytes).sum()
    }

    /// Number of states.
    pub fn len(&self) -> usize {
        self.0.iter().map(Records::len).sum()
    }

    /// Adds states that are sorted and not in these files. Files are merged where the last ones are not much shorter.
    pub fn add(&mut self, folder: &Folder, states: Records) -> Result<(), StorageError> {
        if states.len() == 0 {
            return Ok(());
        }
        let width = states.width();
        let mut total = states.len();
        self.0.push(states);
        let mut first = self.0.len() - 1;
        while first > 0 && self.0[first - 1].len() <= 2 * total {
            first -= 1;
            total += self.0[first].len();
        }
        if first + 1 < self.0.len() {
            let mut all = Records::new(folder, width);
            merge(&self.0[first..], width, &mut |state| all.push(state).map(|()| true))?;
            self.0.truncate(first);
            self.0.push(all);
        }
        Ok(())
    }

    /// Begins lookups in increasing order.
    pub fn lookup(&self) -> Result<Lookup<'_>, StorageError> {
        self.0.iter().map(|file| file.from(0)).collect::<Result<_, _>>().map(Lookup)
    }
}

impl Lookup<'_> {
    /// Whether a state is known; it must not be smaller than the one before.
    #[inline]
    pub fn has(&mut self, state: &[u64]) -> Result<bool, StorageError> {
        for cursor in &mut self.0 {
            if cursor.seek(state)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
