//! Checkpoints of a breadth-first search, from which it resumes as if it had never stopped.
//!
//! A folder has a manifest, files with the states of all finished levels, and a file with everything else. Files are
//! written under a temporary name, flushed to the disk and renamed; the manifest comes last. Everything that is read is
//! validated first. In reading order: `bytes`, `files`, `manifest`, `states`, `course`, `keeper`; `share` has the
//! states of one of several owners, whose checkpoint is kept by `forward::spread`.

pub mod bytes;
pub mod course;
pub mod files;
pub mod keeper;
pub mod manifest;
pub mod share;
pub mod states;
