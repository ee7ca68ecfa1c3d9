//! Folders that one run uses at a time.

use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::StorageError;

/// An error about a file.
pub fn failed(what: &str, path: &Path, why: &dyn std::fmt::Display) -> StorageError {
    StorageError(format!("cannot {what} {}: {why}", path.display()))
}

/// Creates a folder, if there is none.
pub fn make(folder: &Path) -> Result<(), StorageError> {
    fs::create_dir_all(folder).map_err(|why| failed("make", folder, &why))
}

pub fn entries(folder: &Path) -> Result<Vec<PathBuf>, StorageError> {
    let paths = fs::read_dir(folder).and_then(|all| all.map(|entry| Ok(entry?.path())).collect());
    paths.map_err(|why| failed("read", folder, &why))
}

/// The name of a file, empty when it is not a text.
pub fn name_of(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// Opens the file `name` of a folder, and locks it; `None` when another run still has the lock after this time. The lock ends
/// with the file. Some file systems do not support locks, which is an error if one is `required`.
pub fn lock(
    folder: &Path,
    name: &str,
    patience: Duration,
    required: bool,
) -> Result<Option<File>, StorageError> {
    let path = folder.join(name);
    let file = File::create(&path).map_err(|why| failed("write", &path, &why))?;
    let since = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if since.elapsed() < patience => thread::sleep(patience / 200),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(why)) if required => return Err(failed("lock", &path, &why)),
            Err(TryLockError::Error(_)) | Ok(()) => return Ok(Some(file)),
        }
    }
}
