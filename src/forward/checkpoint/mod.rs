//! Checkpoints of a breadth-first search, from which it resumes as if it had never stopped.
//!
//! A folder has a manifest, files with the states of all finished levels, how those of the last one were found, and a file with everything
//! else. Files are written under a temporary name, flushed to the disk and renamed; the manifest comes last. Everything that is read is
//! validated first. In reading order: `files`, `manifest`, `states`, `course`, `keeper` (the folder, and a search
//! of one process); `forward::spread` has the part of each owner of several.

mod course;
mod files;
mod keeper;
pub mod manifest;
mod states;

pub use course::{Course, are_cubes, require};
pub use files::{LOCK, is_ours, lock, sweep, sync_folder};
#[cfg(test)]
pub use files::{Part, checksum};
pub use keeper::{Keeper, SearchKeeper, folder_of};
pub use manifest::{ClusterSizes, Manifest, OwnerParts};
pub use states::{Levels, NewLevels, Valid};
