//! Where visited states are kept.
//!
//! The input is packed states, one by one or in batches that several threads made; the result is their numbers, in
//! the order in which one thread alone would have found them. In reading order: `hash`, `origin`, `batch`,
//! `table`, `compact` (less memory), `disk` (hardly any memory), `lossy` (four bits of each), `visited` (the
//! states of a search and the parent of each).

pub mod batch;
pub mod compact;
pub mod disk;
pub mod hash;
pub mod lossy;
pub mod origin;
pub mod table;
pub mod visited;
