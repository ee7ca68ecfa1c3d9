//! The safety test: does a cube contain an initial state, and is there a run from one?
//!
//! In: a cube, or the steps from it to where it came from. Out: whether it meets init, and a run that a solver
//! found, which is replayed before anybody sees it.
//!
//! In reading order: `initial`, `concretize`, `forgotten` (why there is no run).

mod concretize;
mod forgotten;
mod initial;

pub use concretize::{NamedPath, RunGoal, concretize};
pub use forgotten::forgotten;
pub use initial::Initial;
