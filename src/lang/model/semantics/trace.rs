//! Runs.

use serde::{Deserialize, Serialize};

use super::state::{Layout, State, Step};
use crate::model::System;

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

impl Trace {
    /// The run in the variables of a system, which are the first of those of its states.
    #[must_use]
    pub fn within(mut self, system: &System) -> Self {
        let cells = Layout::new(system, self.initial.procs).len();
        let after = self.steps.iter_mut().map(|step| &mut step.after);
        std::iter::once(&mut self.initial).chain(after).for_each(|it| it.values.truncate(cells));
        self
    }
}
