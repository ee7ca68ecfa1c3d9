//! Checkpoints of a breadth-first search, from which it resumes as if it had never stopped.
//!
//! A folder has a manifest, files with the states of all finished levels, how those of the last one were found, and a file with everything
//! else. Files are written under a temporary name, flushed to the disk and renamed; the manifest comes last. Everything that is read is
//! validated first. In reading order: `bytes`, `files`, `manifest`, `states`, `course`, `keeper` (the folder), `alone` (a search
//! of one process); `forward::spread` has the part of each owner of several.

pub mod alone;
pub mod bytes;
pub mod course;
pub mod files;
pub mod keeper;
pub mod manifest;
pub mod states;
