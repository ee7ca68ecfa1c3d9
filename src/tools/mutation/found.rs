//! Properties that a model has and does not claim.

use cubicle_run::verdict::{Forbidden, Reason};
use cubicle_transform::strengthen::PropertyOperator;

/// Properties that were tried.
#[derive(Clone, Debug)]
pub struct Properties {
    /// Those that hold for any number of processes: stronger than what the model claims, strongest first.
    pub stronger: Vec<TrueProperty>,
    /// Those that the proof of the model rests on, and that the model does not claim: the most useful first.
    pub suggested: Vec<TrueProperty>,
    /// How many were tried and are not true.
    pub refuted: usize,
    /// Those of which nobody knows.
    pub open: Vec<OpenProperty>,
    /// How many more were there that nobody tried, since there are too many.
    pub left_out: usize,
    /// How many mutants were looked at to tell what properties are worth.
    pub mutants: usize,
    /// Why the run ended before all were tried.
    pub stopped: Option<Reason>,
}

/// Where a property comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyOrigin {
    /// A claim of the model, by its number in [`System::bad`](cubicle_lang::model::System::bad), and the last change of it.
    Claim(usize, PropertyOperator),
    /// The invariant of the proof.
    Proof,
}

/// A property that is proved for any number of processes, with a certificate that was checked.
#[derive(Clone, PartialEq, Debug)]
pub struct TrueProperty {
    /// The states that it forbids.
    pub claim: Forbidden,
    /// The same as a declaration to be pasted into the model.
    pub line: String,
    /// Where it comes from.
    pub origin: PropertyOrigin,
    /// Mutants that it kills and no claim of the model does, as far as small instances show.
    pub notices: usize,
}

/// A property of which nobody knows.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenProperty {
    /// As a declaration.
    pub line: String,
    /// Where it comes from.
    pub origin: PropertyOrigin,
    /// Why.
    pub reason: Reason,
}

impl Properties {
    /// Of a run that has done nothing yet.
    pub const fn none() -> Self {
        Self {
            stronger: Vec::new(),
            suggested: Vec::new(),
            refuted: 0,
            open: Vec::new(),
            left_out: 0,
            mutants: 0,
            stopped: None,
        }
    }
}
