//! What the Gallina checker needs for one case.

use super::facts::Fact;
use super::formula::{CountCell, Formula};
use crate::cubes::CubeInstance;
use crate::ground::Overflow;
use crate::obligation::Obligation;
use cubicle_lang::model::Rational;
use cubicle_run::Interrupted;

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

/// Why there are no hints.
#[derive(Debug)]
pub enum NoHints {
    /// A number is too large.
    Overflow,
    /// A case has more processes than masks have bits.
    Processes,
    /// Nothing was found that refutes a case.
    NotFound(Obligation),
    /// The run must end.
    Stopped(Interrupted),
}

impl From<Overflow> for NoHints {
    fn from(_: Overflow) -> Self {
        Self::Overflow
    }
}

impl From<Interrupted> for NoHints {
    fn from(stopped: Interrupted) -> Self {
        Self::Stopped(stopped)
    }
}
