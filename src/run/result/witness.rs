//! A run that shows something harmless.

use schemars::JsonSchema;
use serde::Serialize;

use crate::verdict::Trace;

/// A run that shows what was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Witness {
    /// The run, without bad states; its `bad` says nothing.
    pub run: Trace,
    /// What it covers.
    pub coverage: WitnessCoverage,
}

/// Which transitions a run takes and which values it shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WitnessCoverage {
    /// Names of transitions, in order of the file, each with whether it is taken.
    pub transitions: Vec<Covered>,
    /// `X = C` for each variable of a finite type and each of its constructors, with whether some cell holds it once.
    pub values: Vec<Covered>,
}

/// Something that a run may cover.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "CoverageFigures")]
pub struct Covered {
    /// The transition or value.
    pub name: String,
    /// Whether the run covers it.
    pub covered: bool,
}
