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
pub use model::{LoadError, Loaded, ModelSource, core, core_values, meaning};
pub use modern::modern;
pub use strict::beyond_original;

/// Reads a model.
///
/// # Errors
/// What is wrong with it, at least one thing; after [`MAX_ERRORS`](crate::diagnostic::MAX_ERRORS) the rest is not
/// read. Warnings about a model with errors would only mislead, so errors come alone.
pub fn load(text: &str) -> Result<Loaded, LoadError> {
    let mut loaded = meaning(text).map_err(|diagnostics| LoadError::new(diagnostics, text))?;
    loaded.warnings.extend(advice::wrong_way_round(&loaded.system, text));
    let (allowed, wrong) = Allowed::read(text, &loaded.file);
    loaded.allowed = allowed;
    loaded.warnings.extend(wrong);
    loaded.warnings = loaded.allowed.filter(loaded.warnings);
    loaded.warnings.sort_by_key(|warning| warning.primary.span.start);
    Ok(loaded)
}
