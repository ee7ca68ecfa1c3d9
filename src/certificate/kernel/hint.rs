//! What the Gallina checker needs for one case.

use super::facts::Fact;
use super::formula::{CountCell, Formula};
use crate::cubes::CubeInstance;
use crate::ground::Overflow;
use crate::obligation::Obligation;
use cubicle_lang::model::Rational;
use cubicle_run::{Interrupted, Reason};

/// For one case: instances of cubes, and facts.
#[derive(Clone, Default, Debug)]
pub struct Hint {
    pub instances: Vec<CubeInstance>,
    pub facts: Vec<Fact>,
    /// Sums of cells of counts.
    pub sums: Vec<SumHint>,
}

/// Where what is assumed holds, no process without a name adds to a sum of multiples of cells of counts.
#[derive(Clone, Debug)]
pub struct SumHint {
    /// Atoms, of places or numbers.
    pub assumed: Vec<Formula>,
    /// The multiples and cells.
    pub cells: Vec<(Rational, CountCell)>,
    /// What refutes the case where one more process has a name and adds to the sum.
    pub hint: Hint,
}

impl Hint {
    /// Whether the case needs nothing.
    pub fn is_empty(&self) -> bool {
        self.instances.is_empty() && self.facts.is_empty() && self.sums.is_empty()
    }
}

/// Why there is no theorem.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoTheorem {
    /// The semantics in Coq does not have this.
    Unsupported(&'static str),
    /// A number leaves the 64-bit range.
    Overflow,
    /// A case has too many processes.
    Processes,
    /// No hint was found for this obligation.
    NotFound(Obligation),
    /// The run must end.
    Stopped(Reason),
}

impl From<Overflow> for NoTheorem {
    fn from(_: Overflow) -> Self {
        Self::Overflow
    }
}

impl From<Interrupted> for NoTheorem {
    fn from(Interrupted(reason): Interrupted) -> Self {
        Self::Stopped(*reason)
    }
}
