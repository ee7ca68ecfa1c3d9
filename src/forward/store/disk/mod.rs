//! States on a disk, for explorations that are larger than the memory.
//!
//! Whether a successor is known is asked once a level, of all successors at once (*delayed duplicate detection*): they
//! are sorted, runs of them that fill the buffer on the disk, and held against sorted files of the states met so far. What is
//! new is sorted once more, by who met it first. All files are written from their beginning to their end, and read in
//! order. In reading order: `folder`, `records`, `sort`, `seen`, `states`.

pub mod folder;
pub mod records;
pub mod seen;
pub mod sort;
pub mod states;
