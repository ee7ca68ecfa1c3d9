//! Checkpoints of a breadth-first search, from which it goes on as if it had never ended.
//!
//! A folder has a manifest, files with the states of all finished levels, and one with what else is known. Files are
//! written under another name, brought to the disk and renamed; the manifest comes last. What is read is checked
//! before it is believed. In reading order: `bytes`, `files`, `manifest`, `states`, `course`, `keeper`; `share` has the
//! states that one of several owners has, whose checkpoint is kept by `forward::spread`.

pub mod bytes;
pub mod course;
pub mod files;
pub mod keeper;
pub mod manifest;
pub mod share;
pub mod states;
