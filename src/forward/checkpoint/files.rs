//! The files of a checkpoint: each appears complete or not at all, and is read up to its known length only.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Take, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crc32fast::Hasher;
use serde::{Deserialize, Serialize};

use crate::error::StorageError;
use crate::folder::{self, entries, failed, name_of};

/// The checksum of these bytes, which detects damage by a disk or an interrupted write, and does not protect against forgery.
pub fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = Hasher::new();
    sum.update(bytes);
    value(sum)
}

/// The checksum of all bytes so far; always 0 in fuzzing builds, so that changed bytes are accepted.
fn value(sum: Hasher) -> u32 {
    if cfg!(fuzzing) { 0 } else { sum.finalize() }
}

/// A file of a checkpoint, as its manifest knows it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Part {
    pub file: String,
    pub bytes: u64,
    pub checksum: u32,
}

/// A file that is being written, under a temporary name that is never read.
pub struct NewPart {
    path: PathBuf,
    file: String,
    to: BufWriter<File>,
    checksum: Hasher,
    bytes: u64,
}

impl NewPart {
    pub fn begin(folder: &Path, file: String) -> Result<Self, StorageError> {
        let path = folder.join(format!("{file}.new"));
        let to = File::create(&path).map_err(|why| failed("write", &path, &why))?;
        Ok(Self { path, file, to: BufWriter::with_capacity(1 << 16, to), checksum: Hasher::new(), bytes: 0 })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Result<(), StorageError> {
        self.checksum.update(bytes);
        self.bytes += bytes.len() as u64;
        self.to.write_all(bytes).map_err(|why| failed("write", &self.path, &why))
    }

    /// Renames it to its final name, once its contents are on the disk.
    pub fn finish(self, folder: &Path) -> Result<Part, StorageError> {
        let Self { path, file, to, checksum, bytes } = self;
        let end = || {
            to.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(&path, folder.join(&file))?;
            sync_folder(folder)
        };
        end().map_err(|why| failed("write", &path, &why))?;
        Ok(Part { file, bytes, checksum: value(checksum) })
    }
}

pub fn write(folder: &Path, file: &str, bytes: &[u8]) -> Result<Part, StorageError> {
    let mut part = NewPart::begin(folder, file.to_owned())?;
    part.write(bytes)?;
    part.finish(folder)
}

/// Flushes the names in a folder to the disk, where the system supports it.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(folder)?.sync_all() } else { Ok(()) }
}

impl Part {
    /// Its path. Names always stay inside the folder.
    fn path(&self, folder: &Path) -> Result<PathBuf, StorageError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.');
        if self.file.is_empty() || self.file.starts_with('.') || !self.file.chars().all(plain) {
            return Err(StorageError(format!(
                "the manifest in {} has an invalid file name",
                folder.display()
            )));
        }
        Ok(folder.join(&self.file))
    }

    /// Opens the file, once all of it was read and its checksum is right. Such a file never exceeds `most` bytes.
    pub fn open(&self, folder: &Path, most: u64) -> Result<PartReader, StorageError> {
        let path = self.path(folder)?;
        if self.bytes > most {
            return Err(failed("use", &path, &"it is longer than its contents can be"));
        }
        let length = regular(&path).map_err(|why| failed("read", &path, &why))?;
        if length != self.bytes {
            let why = format!("it should have {} bytes, and has {length}", self.bytes);
            return Err(failed("use", &path, &why));
        }
        let mut file = File::open(&path).map_err(|why| failed("read", &path, &why))?;
        let (mut checksum, mut buffer) = (Hasher::new(), vec![0; 1 << 16]);
        let mut left = self.bytes;
        while left > 0 {
            let n = file.read(&mut buffer).map_err(|why| failed("read", &path, &why))?;
            if n == 0 {
                break;
            }
            checksum.update(&buffer[..n]);
            left = left.saturating_sub(n as u64);
        }
        if value(checksum) != self.checksum {
            return Err(failed("use", &path, &"its checksum is wrong"));
        }
        let from = File::open(&path).map_err(|why| failed("read", &path, &why))?;
        Ok(PartReader { path, from: BufReader::with_capacity(1 << 16, from).take(self.bytes) })
    }
}

pub struct PartReader {
    path: PathBuf,
    pub from: Take<BufReader<File>>,
}

impl PartReader {
    pub fn rest(mut self) -> Result<Vec<u8>, StorageError> {
        let mut bytes = Vec::new();
        self.from.read_to_end(&mut bytes).map_err(|why| failed("read", &self.path, &why))?;
        Ok(bytes)
    }

    pub fn damaged(&self, why: &str) -> StorageError {
        failed("use", &self.path, &why)
    }
}

/// Manifests and models are never longer.
pub const MOST_TEXT: u64 = 64 << 20;

/// The length of a file, once it is known to be a regular one: reading a pipe would block.
fn regular(path: &Path) -> io::Result<u64> {
    let metadata = fs::metadata(path)?;
    if metadata.is_file() { Ok(metadata.len()) } else { Err(io::Error::other("it is not a regular file")) }
}

/// Reads a text, unless it is longer than any that this program writes.
pub fn read_text(path: &Path) -> Result<String, StorageError> {
    let read = || -> io::Result<String> {
        regular(path)?;
        let mut text = String::new();
        File::open(path)?.take(MOST_TEXT).read_to_string(&mut text)?;
        Ok(text)
    };
    read().map_err(|why| failed("read", path, &why))
}

/// Name of the file that is locked while a run writes to a folder.
pub const LOCK: &str = "lock";

/// How long a run that is ending may still write.
const ENDS: Duration = if cfg!(test) { Duration::from_millis(400) } else { Duration::from_secs(10) };

/// Keeps other runs from writing to a folder while the file is open: a run that was lost may still be alive.
pub fn lock(folder: &Path) -> Result<File, StorageError> {
    let lock = folder::lock(folder, LOCK, ENDS, false)?;
    lock.ok_or_else(|| failed("use", folder, &"another run uses it"))
}

/// Whether a checkpoint has a file of this name, complete or partly written; the manifest aside.
pub fn is_ours(name: &str) -> bool {
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let whole = name.strip_suffix(".new").unwrap_or(name);
    let states = |range: &str| range.split_once('-').is_some_and(|(from, to)| number(from) && number(to));
    whole == "model"
        || name == "manifest.new"
        || whole.strip_prefix("course-").is_some_and(number)
        || ["states-", "waiting-"].iter().any(|kind| whole.strip_prefix(kind).is_some_and(states))
}

/// Removes files that are no longer needed, and partly written files of a killed run.
pub fn sweep(folder: &Path, needed: impl Fn(&str) -> bool) -> Result<(), StorageError> {
    for path in entries(folder)?.iter().filter(|path| is_ours(name_of(path)) && !needed(name_of(path))) {
        fs::remove_file(path).map_err(|why| failed("clear", folder, &why))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn only_names_of_checkpoint_files_are_ours() {
        for name in [
            "model",
            "model.new",
            "course-12",
            "course-0.new",
            "states-0-17",
            "waiting-3-1.new",
            "manifest.new",
        ] {
            assert!(is_ours(name), "{name}");
        }
        for name in
            ["model.cub", "models", "states-notes.txt", "states-1", "course-", "course-1.bak", "manifest"]
        {
            assert!(!is_ours(name), "{name}");
        }
    }
}
