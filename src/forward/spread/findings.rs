//! What a distributed exploration has found so far, as its checkpoint keeps it.

use serde::{Deserialize, Serialize};

use crate::checkpoint::{Valid, are_cubes, require};
use crate::spread::message::{Deadlocks, NotableState, Traffic};
use crate::tuning::MAX_DEADLOCK_TRACES;

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SpreadFindings {
    /// For each bad cube that was met, the first state, and the cube, in order.
    pub bads: Vec<(NotableState, usize)>,
    /// Deadlocked states: how many, and the first of those that count, and of the others.
    pub deadlocks: Deadlocks,
    /// States exchanged between workers.
    pub traffic: Traffic,
}

impl SpreadFindings {
    /// The states to which runs are built.
    pub fn states(&self) -> impl Iterator<Item = &NotableState> {
        let Deadlocks { first, first_outside, .. } = &self.deadlocks;
        self.bads.iter().map(|(state, _)| state).chain(first).chain(first_outside)
    }

    /// Checks findings that were read, among this many states up to this level.
    pub fn check(&self, valid: &Valid<'_>, level: usize, states: usize) -> Result<(), &'static str> {
        let Deadlocks { states: all, outside, first, first_outside } = &self.deadlocks;
        let few = |found: &[NotableState], most: usize| found.len() <= most.min(MAX_DEADLOCK_TRACES);
        let counts = *all <= states && outside <= all;
        let fits = counts && few(first, all - outside) && few(first_outside, *outside);
        require(fits, "its deadlocks do not fit each other")?;
        let cubes: Vec<Option<usize>> = self.bads.iter().map(|(_, bad)| Some(*bad)).collect();
        require(are_cubes(&cubes, &valid.program.system), "it has a bad state twice")?;
        let known =
            |it: &NotableState| it.level <= level && valid.cells(&it.state) && valid.cells(&it.refined);
        require(self.states().all(known), "it has a state that the model does not have")
    }
}
