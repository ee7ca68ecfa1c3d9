//! Properties that hold for a model but are not claimed by it.

use cubicle_run::{Forbidden, Reason};
use cubicle_transform::strengthen::PropertyOperator;

/// Properties that were tried.
#[derive(Clone, Debug, Default)]
pub struct Properties {
    /// Proved for any number of processes, and stronger than the claims of the model; strongest first.
    pub stronger: Vec<TrueProperty>,
    /// Used by the proof of the model, and not claimed by it; the most useful first.
    pub suggested: Vec<TrueProperty>,
    /// Number of properties that were tried and are false.
    pub refuted: usize,
    /// Undecided properties.
    pub open: Vec<OpenProperty>,
    /// Number of properties that were not tried, because there are too many.
    pub left_out: usize,
    /// Number of mutants that were examined to rank the properties.
    pub mutants: usize,
    /// Why the run ended before all were tried.
    pub stopped: Option<Reason>,
}

/// Where a property comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PropertyOrigin {
    /// A claim of the model, by its number in [`System::bad`](cubicle_lang::model::SystemParts::bad), and the last change of it.
    Claim(usize, PropertyOperator),
    /// The invariant of the proof.
    Proof,
}

/// A property that is proved for any number of processes, with a certificate that was checked.
#[derive(Clone, PartialEq, Debug)]
pub struct TrueProperty {
    /// The states that it forbids.
    pub claim: Forbidden,
    /// The property as a declaration that can be pasted into the model.
    pub line: String,
    /// Where it comes from.
    pub origin: PropertyOrigin,
    /// Mutants that it kills and that no claim of the model kills, as far as small instances show.
    pub notices: usize,
}

/// An undecided property.
#[derive(Clone, PartialEq, Debug)]
pub struct OpenProperty {
    /// The property as a declaration.
    pub line: String,
    /// Where it comes from.
    pub origin: PropertyOrigin,
    /// Why it is undecided.
    pub reason: Reason,
}
