//! From the text of a model to a system, with all errors and warnings.
//!
//! In: a text. Out: [`Loaded`], or [`LoadError`]. `model` does the reading; `advice` detects an
//! `invariant` that is the wrong way round; `allow` removes warnings that the model allows;
//! `modern` rewrites words; `formula` reads formulas that stand by themselves, `ltl` those about its runs; `strict` finds what the original
//! Cubicle does not have.

mod advice;
mod allow;
mod formula;
mod ltl;
mod model;
mod modern;
mod strict;

pub use advice::{any_numbers, any_numbers_are, on_violated_property};
pub use allow::{Allowed, KnownVacuity, warning};
pub use formula::{
    FormulaScope, MAX_NUMBERED, formula_with_counts, in_a_line, numbered, parse_claims_with_counts,
    parse_formula,
};
pub use ltl::ltl;
pub use model::{LoadError, ModelSource, core, core_values, meaning};
pub use modern::modern;
pub use strict::beyond_original;

use self::model::Meaning;
use crate::diagnostic::Diagnostic;
use crate::model::System;
use crate::syntax::ast::File;

/// A model that can be checked.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// Its meaning.
    pub system: System,
    /// The warnings for its author.
    pub warnings: Vec<Diagnostic>,
    /// The warnings that its author allows; they are not among the others.
    pub allowed: Allowed,
    /// Its syntax tree.
    pub file: File,
}

/// Reads a model.
///
/// # Errors
/// What is wrong with it, at least one thing; after [`MAX_ERRORS`](crate::diagnostic::MAX_ERRORS) the rest is not
/// read. Warnings about a model with errors would only mislead, so errors come alone.
pub fn load(text: &str) -> Result<Loaded, LoadError> {
    let meaning = meaning(text).map_err(|diagnostics| LoadError::new(diagnostics, text))?;
    let Meaning { system, mut warnings, file } = meaning;
    warnings.extend(advice::wrong_way_round(&system, text));
    let (mut allowed, wrong) = Allowed::read(text, &file);
    warnings.extend(wrong);
    let mut warnings = allowed.filter(warnings);
    warnings.sort_by_key(|warning| warning.primary.span.start);
    Ok(Loaded { system, warnings, allowed, file })
}
