//! Where visited states are kept.
//!
//! In go packed states, one by one or in batches that several threads made; out come their numbers, in the
//! order in which one thread alone would have met them. In reading order: `hash`, `origin`, `batch`, `table`,
//! `compact` (the same in less memory), `disk` (in as little as one likes), `lossy` (four bits of each), `visited` (the states of a search and where each was found from).

pub mod batch;
pub mod compact;
pub mod disk;
pub mod hash;
pub mod lossy;
pub mod origin;
pub mod table;
pub mod visited;
