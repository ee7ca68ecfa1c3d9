//! The folder of a search that keeps its states on a disk: exclusive, and empty again at the end.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::error::StorageError;
use crate::folder::{entries, failed, lock, make, name_of};

/// Name of the file that is locked while the folder is in use.
const LOCK: &str = "in-use";

/// Prefix of the names of state files.
const OURS: &str = "states-";

/// A folder owned by one search.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Held until the end.
    _lock: File,
    /// Number of files made so far.
    made: AtomicUsize,
}

impl Folder {
    /// Takes ownership of a folder, which is created, or holds nothing but files of a killed run.
    pub fn take(path: &Path) -> Result<Self, StorageError> {
        make(path)?;
        let mut left = entries(path)?;
        let ours = |path: &PathBuf| {
            let number = name_of(path).strip_prefix(OURS).unwrap_or_default();
            name_of(path) == LOCK || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !left.iter().all(ours) {
            return Err(failed("keep states in", path, &"it is not empty"));
        }
        left.retain(|path| name_of(path) != LOCK);
        let lock = lock(path, LOCK, (Duration::ZERO, true))?;
        let lock =
            lock.ok_or_else(|| failed("keep states in", path, &"another run keeps its states there"))?;
        for file in left {
            fs::remove_file(&file).map_err(|why| failed("remove", &file, &why))?;
        }
        Ok(Self { path: path.to_owned(), _lock: lock, made: AtomicUsize::new(0) })
    }

    /// The path of a new file.
    pub fn next(&self) -> PathBuf {
        self.path.join(format!("{OURS}{}", self.made.fetch_add(1, Ordering::Relaxed)))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The owners of other files have removed them; a file that cannot be removed does no harm.
        let _ = fs::remove_file(self.path.join(LOCK));
    }
}
