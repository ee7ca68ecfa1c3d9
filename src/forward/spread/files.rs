//! The files of a worker, which are its part of a checkpoint.
//!
//! A checkpoint counts only once the coordinator has a manifest that names its files. A worker knows this when the next level
//! is to be expanded, and only then removes files that the checkpoint before needed.

use std::fs::{self, File};
use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::checkpoint::{LOCK, NewLevels, OwnerParts, folder_of, is_ours, lock, sweep, sync_folder};
use crate::error::StorageError;
use crate::folder::{entries, failed, make, name_of};
use crate::program::SleepId;
use crate::store::{ROOT, Store, TakeState};

/// The files of a worker.
#[derive(Debug, Default)]
pub struct Keeping {
    /// The folder of its process.
    pub folder: PathBuf,
    /// Its number in the process; number 0 manages the folder.
    pub worker: usize,
    /// Locks the folder against other runs.
    lock: Option<File>,
    /// Its files, and the number of levels in them.
    parts: Option<OwnerParts>,
    levels: usize,
    /// Files that only the checkpoint before needs.
    obsolete: Vec<String>,
    /// Whether the last checkpoint written is still unconfirmed.
    open: bool,
    /// The last level of a checkpoint that counts, as far as this worker knows.
    pub counts: Option<usize>,
}

impl Keeping {
    /// For worker number `worker` of a process, inside the folder of the checkpoint.
    pub fn new(folder: &Path, process: usize, worker: usize) -> Self {
        Self { folder: folder.join(folder_of(process)), worker, ..Self::default() }
    }

    pub fn begin(&mut self) -> Result<(), StorageError> {
        if self.worker > 0 {
            return Ok(());
        }
        let folder = &self.folder;
        make(folder)?;
        self.lock = Some(lock(folder)?);
        let empty = entries(folder)?.iter().all(|path| {
            let name = name_of(path);
            (is_ours(name) && name.strip_suffix(".new").is_some() || name == LOCK) && path.is_file()
        });
        if !empty {
            let why = "it is not empty; it may be part of a checkpoint that process 0 had elsewhere";
            return Err(failed("begin a checkpoint in", folder, &why));
        }
        sweep(folder, |_| false)?;
        let above = folder.parent().unwrap_or(folder);
        sync_folder(above).map_err(|why| failed("write", above, &why))
    }

    /// Writes the levels that no file has yet; `firsts` has the first state of each, the last of which waits to be
    /// expanded.
    pub fn save(
        &mut self,
        store: &Store,
        firsts: &[usize],
        sleeps: &[SleepId],
    ) -> Result<OwnerParts, StorageError> {
        let ends = firsts[1..].iter().copied().chain([store.len()]);
        let ranges = firsts.iter().zip(ends).map(|(first, end)| *first..end);
        let levels: Vec<Range<usize>> = ranges.skip(self.levels).collect();
        let each = |mut range: Range<usize>, take: &mut TakeState<'_>| {
            range.try_for_each(|number| take(store.state(number), ROOT))
        };
        let new = NewLevels { each: &each, levels: &levels, sleeps };
        let parts = new.save(&self.folder, firsts.len() - 1, self.worker, self.parts.as_ref())?;
        self.obsolete.extend(self.parts.replace(parts.clone()).map(|before| before.waiting.file));
        (self.levels, self.open) = (firsts.len(), true);
        Ok(parts)
    }

    /// The next level is to be expanded: the checkpoint written before it counts.
    pub fn go_on(&mut self) {
        if std::mem::take(&mut self.open) {
            self.counts = self.levels.checked_sub(1);
            for name in self.obsolete.drain(..) {
                // A file that remains does no harm, and is removed when the run is resumed.
                let _ = fs::remove_file(self.folder.join(name));
            }
        }
    }

    /// Continues from a checkpoint in which this process has these files, one set for each worker.
    pub fn resumes(&mut self, level: usize, theirs: &[OwnerParts], same: bool) -> Result<(), StorageError> {
        self.counts = Some(level);
        if same {
            (self.parts, self.levels) = (Some(theirs[self.worker].clone()), level + 1);
        }
        if self.worker > 0 {
            return Ok(());
        }
        fs::read_dir(&self.folder).map_err(|why| failed("read", &self.folder, &why))?;
        self.lock = Some(lock(&self.folder)?);
        let names = || theirs.iter().flat_map(OwnerParts::all).map(|it| &it.file);
        if !same {
            self.obsolete = names().cloned().collect();
        }
        sweep(&self.folder, |name| names().any(|file| file == name))
    }
}
