//! The safety test: does a cube contain an initial state, and is there a run from one?
//!
//! In: a cube, or the steps from it to its root. Out: whether it meets init, and a run that a solver
//! found, which is replayed before it is returned.
//!
//! In reading order: `initial`, `follow` (without a solver), `concretize` (a run, or what excludes it).

mod concretize;
mod follow;
mod initial;

pub use concretize::{NamedPath, RunGoal, concretize, forgotten, lost};
pub use follow::follow;
pub use initial::InitialOf;
