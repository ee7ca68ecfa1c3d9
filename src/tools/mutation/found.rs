//! Properties that hold for a model but are not claimed by it.

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use cubicle_run::{Forbidden, Reason, words};
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

/// A property that was not decided.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "OpenPropertyRecord")]
pub struct OpenProperty {
    /// The declaration.
    pub line: String,
    /// Why it was not decided.
    #[serde(serialize_with = "in_words")]
    #[schemars(with = "String")]
    pub reason: Reason,
}

fn in_words<S: Serializer>(reason: &Reason, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(&words::reason(reason))
}
