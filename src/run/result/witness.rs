//! A run that shows something harmless.

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
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessCoverage {
    /// Names of transitions, in order of the file, each with whether it is taken.
    pub transitions: Vec<(String, bool)>,
    /// `X = C` for each variable of a finite type and each of its constructors, with whether some cell holds it once.
    pub values: Vec<(String, bool)>,
}
