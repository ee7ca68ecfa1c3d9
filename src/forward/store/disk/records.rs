//! Records of equal length in a file, written and read block by block.
//!
//! Records that do not fill a block stay in memory, so that a few records make no file. Each block has its checksum, also
//! in memory: reading detects data that was cut or changed meanwhile.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
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
        let lock = lock(path, LOCK, Duration::ZERO, true)?;
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

/// Gets records, one after the other; false when this is enough.
pub type TakeRecord<'f> = dyn FnMut(&[u64]) -> Result<bool, StorageError> + 'f;

/// The most words of a block. Tests use several blocks.
const BLOCK: usize = if cfg!(test) { 1 << 6 } else { 1 << 13 };

/// Records of `width` words.
#[derive(Debug)]
pub struct Records {
    path: PathBuf,
    /// `None` until a block is full.
    file: Option<File>,
    pub width: usize,
    len: usize,
    /// The first record of each block.
    firsts: Vec<u64>,
    sums: Vec<u32>,
    /// Records that do not fill a block.
    tail: Vec<u64>,
}

impl Records {
    /// An empty file of records of `width` words.
    pub fn new(folder: &Folder, width: usize) -> Self {
        let path = folder.next();
        Self { path, file: None, width, len: 0, firsts: Vec::new(), sums: Vec::new(), tail: Vec::new() }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    pub fn bytes(&self) -> usize {
        8 * (self.firsts.capacity() + self.tail.capacity()) + 4 * self.sums.capacity()
    }

    /// Records of a block.
    const fn each(&self) -> usize {
        let each = BLOCK / self.width;
        if each == 0 { 1 } else { each }
    }

    #[inline]
    pub fn push(&mut self, record: &[u64]) -> Result<(), StorageError> {
        self.push_parts(record, &[])
    }

    /// Appends a record that consists of two parts.
    #[inline]
    pub fn push_parts(&mut self, first: &[u64], second: &[u64]) -> Result<(), StorageError> {
        self.tail.extend_from_slice(first);
        self.tail.extend_from_slice(second);
        self.len += 1;
        if self.tail.len() == self.each() * self.width { self.write() } else { Ok(()) }
    }

    /// Writes a block that is full.
    #[cold]
    fn write(&mut self) -> Result<(), StorageError> {
        let bytes: Vec<u8> = self.tail.iter().flat_map(|word| word.to_le_bytes()).collect();
        let at = self.sums.len() as u64 * bytes.len() as u64;
        let mut write = || {
            if self.file.is_none() {
                self.file = Some(File::options().read(true).write(true).create_new(true).open(&self.path)?);
            }
            let mut file = self.file.as_ref().expect("it is open now");
            file.seek(SeekFrom::Start(at))?;
            file.write_all(&bytes)
        };
        write().map_err(|why| failed("write", &self.path, &why))?;
        self.firsts.extend_from_slice(&self.tail[..self.width]);
        self.sums.push(crc32fast::hash(&bytes));
        self.tail.clear();
        Ok(())
    }

    fn read(&self, block: usize, to: &mut Vec<u64>) -> Result<(), StorageError> {
        to.clear();
        let (Some(file), true) = (&self.file, block < self.sums.len()) else {
            to.extend_from_slice(&self.tail);
            return Ok(());
        };
        let mut bytes = vec![0; 8 * self.each() * self.width];
        let mut read = || -> io::Result<()> {
            let mut file = file;
            file.seek(SeekFrom::Start(block as u64 * bytes.len() as u64))?;
            file.read_exact(&mut bytes)
        };
        read().map_err(|why| failed("read", &self.path, &why))?;
        to.extend(bytes.as_chunks::<8>().0.iter().map(|word| u64::from_le_bytes(*word)));
        if crc32fast::hash(&bytes) == self.sums[block] {
            Ok(())
        } else {
            Err(failed("use", &self.path, &"something else was written into it"))
        }
    }

    /// A cursor that begins at this record.
    pub fn from(&self, record: usize) -> Result<Cursor<'_>, StorageError> {
        let block = record / self.each();
        let mut cursor = Cursor { of: self, block, buffer: Vec::new(), at: 0 };
        self.read(block, &mut cursor.buffer)?;
        cursor.at = (record % self.each() * self.width).min(cursor.buffer.len());
        Ok(cursor)
    }

    /// The first words of the first record of a block, if there is such a block on the disk.
    fn first(&self, block: usize) -> Option<&[u64]> {
        self.firsts.get(block * self.width..(block + 1) * self.width)
    }

    /// Whether a block is there: on the disk, or as the tail.
    fn has(&self, block: usize) -> bool {
        block < self.sums.len() || block == self.sums.len() && !self.tail.is_empty()
    }
}

impl Drop for Records {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // If the file was removed before, there is no harm.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[derive(Debug)]
pub struct Cursor<'a> {
    of: &'a Records,
    block: usize,
    buffer: Vec<u64>,
    /// The index of the present record.
    at: usize,
}

impl Cursor<'_> {
    /// The present record; `None` at the end.
    #[inline]
    pub fn record(&self) -> Option<&[u64]> {
        self.buffer.get(self.at..self.at + self.of.width)
    }

    #[inline]
    pub fn advance(&mut self) -> Result<(), StorageError> {
        self.at += self.of.width;
        if self.at < self.buffer.len() { Ok(()) } else { self.enter(self.block + 1) }
    }

    #[cold]
    fn enter(&mut self, block: usize) -> Result<(), StorageError> {
        (self.block, self.at) = (block, 0);
        if self.of.has(block) {
            self.of.read(block, &mut self.buffer)
        } else {
            self.buffer.clear();
            Ok(())
        }
    }

    /// Moves to the first record that is not smaller than `key`, where records are sorted; returns whether it is `key`. Blocks
    /// that cannot have it are not read.
    #[inline]
    pub fn seek(&mut self, key: &[u64]) -> Result<bool, StorageError> {
        let width = self.of.width;
        let begins = |block: usize| match self.of.first(block) {
            Some(first) => first <= key,
            None => {
                block == self.of.sums.len() && self.of.tail.get(..width).is_some_and(|first| first <= key)
            }
        };
        if begins(self.block + 1) {
            let (mut last, mut end) = (self.block + 1, self.of.sums.len() + 1);
            while last + 1 < end {
                let middle = last.midpoint(end);
                if begins(middle) {
                    last = middle;
                } else {
                    end = middle;
                }
            }
            self.enter(last)?;
        }
        // Steps that double, then binary search.
        let mut step = 1;
        let smaller = |it: &Self, by: usize| {
            let at = it.at + by * width;
            it.buffer.get(at..at + width).is_some_and(|record| record < key)
        };
        while smaller(self, step - 1) {
            self.at += step * width;
            step *= 2;
        }
        let (mut low, mut high) = (self.at, (self.at + (step - 1) * width).min(self.buffer.len()));
        while low < high {
            let middle = low + (high - low) / width / 2 * width;
            if self.buffer[middle..middle + width] < *key {
                low = middle + width;
            } else {
                high = middle;
            }
        }
        self.at = low;
        if self.at < self.buffer.len() {
            return Ok(self.buffer[self.at..self.at + width] == *key);
        }
        self.enter(self.block + 1)?;
        Ok(self.record() == Some(key))
    }
}
