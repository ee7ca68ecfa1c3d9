//! Properties that a model has and does not claim, for programs.

use schemars::JsonSchema;
use serde::Serialize;

use cubicle_lang::model::System;
use cubicle_lang::named::Named;
use cubicle_tools::mutation::{OpenProperty, Properties, PropertyOrigin, TrueProperty};

/// Properties that a model has and does not claim.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct PropertyFigures {
    /// Those that forbid more than a claim of the model, strongest first.
    pub stronger: Vec<PropertyRecord>,
    /// Those that the proof rests on; those that notice most mutants come first.
    pub suggested: Vec<PropertyRecord>,
    /// How many were tried and are false.
    pub refuted: usize,
    /// Those that were not decided.
    pub undecided: Vec<OpenProperty>,
    /// How many more were not tried.
    pub left_out: usize,
    /// How many mutants were examined to rank the properties.
    pub mutants: usize,
}

/// A property that holds for any number of processes: proved, with a certificate that was checked.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct PropertyRecord {
    /// A declaration that can be pasted into the model.
    pub line: String,
    /// The claim of the model that it is a change of, `unsafe at line 12`; `null` for one of the proof.
    pub of: Option<String>,
    /// The last change: `drop-parameter`, `drop-literal`, `generalise` or `negate-literal`.
    pub operator: Option<String>,
    /// Mutants that it kills and no claim of the model does, as far as small instances show.
    pub notices: usize,
}

impl PropertyFigures {
    pub(super) fn new(found: &Properties, system: &System) -> Self {
        let record = |it: &TrueProperty| {
            let (of, operator) = match it.origin {
                PropertyOrigin::Claim(number, operator) => {
                    (Some(system.bad[number].name.clone()), Some(operator.name().to_owned()))
                }
                PropertyOrigin::Proof => (None, None),
            };
            PropertyRecord { line: it.line.clone(), of, operator, notices: it.notices }
        };
        Self {
            stronger: found.stronger.iter().map(record).collect(),
            suggested: found.suggested.iter().map(record).collect(),
            refuted: found.refuted,
            undecided: found.open.clone(),
            left_out: found.left_out,
            mutants: found.mutants,
        }
    }
}
