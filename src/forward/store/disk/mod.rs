//! States on a disk, for explorations that are larger than the memory.
//!
//! Whether successors are known is decided once a level, for all of them together (*delayed duplicate detection*): they
//! are sorted, each full buffer being written to the disk as a run, and compared with sorted files of the known states. New
//! states are then sorted by the step that first reached them. All files are written from beginning to end, and read in
//! order. In reading order: `records` (and their folder), `sort`, `states`.

pub mod records;
pub mod sort;
pub mod states;
