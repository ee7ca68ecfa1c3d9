//! From the text of a model to a system, with everything that there is to say about it.
//!
//! In: a text. Out: [`Loaded`], or [`LoadError`]. `model` is the way there; `advice` helps who wrote an
//! `invariant` the wrong way round.

mod advice;
mod error;
mod model;

pub use advice::on_refuted_invariant;
pub use error::LoadError;
pub use model::Loaded;
pub(crate) use model::meaning;

/// Reads a model.
///
/// # Errors
/// What is wrong with it, at least one thing; after [`MAX_ERRORS`](crate::diagnostic::MAX_ERRORS) the rest is not
/// looked at. Warnings about a model that means nothing yet would only mislead, so errors come alone.
pub fn load(text: &str) -> Result<Loaded, LoadError> {
    let mut loaded = meaning(text).map_err(|diagnostics| LoadError::new(diagnostics, text))?;
    loaded.warnings.extend(advice::wrong_way_round(&loaded.system, text));
    loaded.warnings.sort_by_key(|warning| warning.primary.span.start);
    Ok(loaded)
}
