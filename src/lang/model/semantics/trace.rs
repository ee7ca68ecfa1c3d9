//! Runs.

use serde::{Deserialize, Serialize};

use super::state::{State, Step};

/// A concrete run of an instance that ends in a state satisfying a bad cube. Replayed by the reference
/// semantics before it is put in a verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trace {
    /// The initial state; its `procs` is the size of the instance.
    pub initial: State,
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Index in `System::bad` of the cube that the last state satisfies; `None` for a deadlock.
    pub bad: Option<usize>,
}
