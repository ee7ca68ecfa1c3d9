//! The folder of a search that keeps its states on a disk: exclusive, and empty again at the end.

use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::error::StorageError;

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

/// An error about a file.
pub fn failed(what: &str, path: &Path, why: &dyn std::fmt::Display) -> StorageError {
    StorageError(format!("cannot {what} {}: {why}", path.display()))
}

impl Folder {
    /// Takes ownership of a folder, which is created, or holds nothing but files of a killed run.
    pub fn take(path: &Path) -> Result<Self, StorageError> {
        fs::create_dir_all(path).map_err(|why| failed("make", path, &why))?;
        let mut left = Vec::new();
        for entry in fs::read_dir(path).map_err(|why| failed("read", path, &why))? {
            let name = entry.map_err(|why| failed("read", path, &why))?.file_name();
            let ours = |name: &&str| {
                let number = name.strip_prefix(OURS).unwrap_or_default();
                *name == LOCK || !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            };
            let Some(name) = name.to_str().filter(ours) else {
                return Err(failed("keep states in", path, &"it is not empty"));
            };
            if name != LOCK {
                left.push(path.join(name));
            }
        }
        let lock = path.join(LOCK);
        let file = File::create(&lock).map_err(|why| failed("write", &lock, &why))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(failed("keep states in", path, &"another run keeps its states there"));
            }
            Err(TryLockError::Error(why)) => return Err(failed("lock", &lock, &why)),
        }
        for file in left {
            fs::remove_file(&file).map_err(|why| failed("remove", &file, &why))?;
        }
        Ok(Self { path: path.to_owned(), _lock: file, made: AtomicUsize::new(0) })
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
