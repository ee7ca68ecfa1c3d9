//! The safety test: does a cube contain an initial state, and is there a run from one?
//!
//! In: a cube, or the steps from it to its root. Out: whether it meets init, and a run that a solver
//! found, which is replayed before it is returned.
//!
//! In reading order: `initial`, `follow` (without a solver), `concretize`, `forgotten` (what excludes a run).

mod concretize;
mod follow;
mod forgotten;
mod initial;

pub use concretize::{NamedPath, RunGoal, concretize};
pub use follow::follow;
pub use forgotten::{forgotten, lost};
pub use initial::InitialOf;
