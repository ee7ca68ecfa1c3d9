//! How a search offers states to its store, and what the store asks the search about them.

use std::ops::Range;

use crate::limits::Limits;
use crate::program::Program;
use crate::store::batch::Batch;
use cubicle_run::Stop;

/// What a search makes of new states.
pub trait Examiner {
    /// Whether a state may be bad; a quick test.
    fn may_be_bad(&mut self, state: &[u64]) -> bool;

    /// Checks whether a new state with this number is bad; the reason to end the search, if it is one.
    fn examine(&mut self, number: usize, state: &[u64]) -> Option<Stop>;
}

/// The side of a search that a store sees while it takes states.
pub struct Intake<'s> {
    pub program: &'s Program,
    /// The store sets [`Limits::stop`] when it is full.
    pub limits: &'s mut Limits,
    pub examiner: &'s mut dyn Examiner,
}

impl Intake<'_> {
    pub fn examine(&mut self, number: usize, state: &[u64]) {
        if let Some(stop) = self.examiner.examine(number, state) {
            self.limits.stop = Some(stop);
        }
    }
}

/// A state in canonical form that a store may add.
#[derive(Clone, Copy, Debug)]
pub struct Offer<'s> {
    pub state: &'s [u64],
    pub hash: u64,
    /// The number of the state that it was found from.
    pub parent: u32,
    pub suspect: bool,
}

/// A store cannot hold a state in its form: there are too many records for numbers to pay.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Incompressible;

/// A store in memory, which takes each state as it is offered.
pub trait InMemory {
    /// What reading ahead has computed.
    type Touched;

    /// Reads the memory that taking these states of a batch will read; no more of them than
    /// [`TOUCH_GROUP`](crate::tuning::TOUCH_GROUP).
    fn touch(&self, batch: &Batch, places: Range<usize>, words: usize) -> Self::Touched;

    /// Adds a state unless it is known, and has it examined; whether it was added. `touched` was computed for a batch, in
    /// which the state has this place. A full store sets [`Limits::stop`].
    fn take(
        &mut self,
        offer: Offer<'_>,
        touched: &Self::Touched,
        place: usize,
        intake: &mut Intake<'_>,
    ) -> Result<bool, Incompressible>;
}
