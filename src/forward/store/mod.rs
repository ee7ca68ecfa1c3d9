//! Where visited states are kept.
//!
//! The input is packed states, one by one or in batches that several threads made; the result is their numbers, in
//! the order in which one thread alone would have found them. In reading order: `hash`, `origin`, `batch`, `intake` (what a
//! search and its store ask each other), `table`, `tree` (a table with the parent of each state), `compact` (less memory),
//! `disk` (hardly any memory), `lossy` (four bits of each), `visited` (the states of a search, wherever they are: with `merge`,
//! how they come in, and `restore` the only place that asks which kind of store it is).

pub mod batch;
mod compact;
pub mod disk;
mod hash;
mod intake;
mod lossy;
mod merge;
pub mod origin;
mod restore;
pub mod table;
pub mod tree;
pub mod visited;

pub use batch::{Batch, Recent, Successors};
pub use hash::{equal, hash};
pub use intake::{Examiner, Intake, Offer};
pub use origin::{ROOT, way};
pub use restore::Restored;
pub use table::{Inserted, Store};
pub use tree::StateTree;
pub use visited::{TakeState, Visited, WaysTo};
