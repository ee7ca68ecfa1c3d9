//! The files of a worker, which are its part of a checkpoint.
//!
//! A checkpoint counts only once the coordinator has a manifest that names its files. A worker knows this when the next level
//! is to be expanded, and only then removes files that the checkpoint before needed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::checkpoint::files::{LOCK, Part, is_ours, lock, sweep, sync_folder, write};
use crate::checkpoint::manifest::WorkerParts;
use crate::checkpoint::share;
use crate::error::StorageError;
use crate::folder::{entries, failed, make, name_of};
use crate::program::sleep::SleepId;
use crate::store::table::Store;

/// The folder of a process, inside that of the checkpoint.
pub fn folder_of(process: usize) -> String {
    format!("process-{process}")
}

/// The files of a worker.
#[derive(Debug, Default)]
pub struct Keeping {
    /// The folder of its process.
    pub folder: PathBuf,
    /// Its number in the process; number 0 manages the folder.
    pub worker: usize,
    /// Locks the folder against other runs.
    lock: Option<File>,
    /// Files with its states, and the number of levels in them.
    states: Vec<Part>,
    levels: usize,
    /// How the states of the last level in them were found.
    waiting: Option<Part>,
    /// Files that only the checkpoint before needs.
    obsolete: Vec<String>,
    /// Whether the last checkpoint written is still unconfirmed.
    open: bool,
    /// The last level of a checkpoint that counts.
    counts: Option<usize>,
}

impl Keeping {
    /// For worker number `worker` of a process, inside the folder of the checkpoint.
    pub fn new(folder: &Path, process: usize, worker: usize) -> Self {
        Self { folder: folder.join(folder_of(process)), worker, ..Self::default() }
    }

    /// The last level of a checkpoint that counts, as far as this worker knows.
    pub const fn counts(&self) -> Option<usize> {
        self.counts
    }

    /// Prepares the folder.
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
    ) -> Result<WorkerParts, StorageError> {
        let level = firsts.len() - 1;
        let ends = firsts[1..].iter().copied().chain([store.len()]);
        let ranges = firsts.iter().zip(ends).map(|(first, end)| *first..end).skip(self.levels);
        let name = |kind: &str| format!("{kind}-{level}-{}", self.worker);
        let states = share::write(&self.folder, name("states"), store, ranges)?;
        let waiting = write(&self.folder, &name("waiting"), sleeps)?;
        self.states.push(states);
        self.levels = firsts.len();
        self.obsolete.extend(self.waiting.replace(waiting.clone()).map(|part| part.file));
        self.open = true;
        Ok(WorkerParts { states: self.states.clone(), waiting })
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
    pub fn resumes(&mut self, level: usize, theirs: &[WorkerParts], same: bool) -> Result<(), StorageError> {
        self.counts = Some(level);
        if same {
            let own = &theirs[self.worker];
            (self.states, self.levels) = (own.states.clone(), level + 1);
            self.waiting = Some(own.waiting.clone());
        }
        if self.worker > 0 {
            return Ok(());
        }
        fs::read_dir(&self.folder).map_err(|why| failed("read", &self.folder, &why))?;
        self.lock = Some(lock(&self.folder)?);
        let names = || theirs.iter().flat_map(|it| it.states.iter().chain([&it.waiting])).map(|it| &it.file);
        if !same {
            self.obsolete = names().cloned().collect();
        }
        sweep(&self.folder, |name| names().any(|file| file == name))
    }
}
