//! Why a text is no model.

use std::fmt;

use crate::diagnostic::Diagnostic;

/// What is wrong with the text of a model, as an error among others: its text is the first thing and how many there
/// are. [`Diagnostic::render`] shows each in full.
///
/// ```
/// fn transitions(text: &str) -> Result<usize, Box<dyn std::error::Error>> {
///     Ok(cubicle_lang::load(text)?.system.transitions.len())
/// }
/// let error = transitions("var X : bool\ninit () { X = Fals }").unwrap_err();
/// assert_eq!(error.to_string(), "line 2: unknown name `Fals` (C0104)");
/// ```
#[derive(Clone, Debug)]
pub struct LoadError {
    /// What is wrong, at least one thing, in the order in which it is shown.
    pub diagnostics: Vec<Diagnostic>,
    /// Line of the first.
    line: usize,
}

impl LoadError {
    /// Of what was found in `text`.
    pub(super) fn new(diagnostics: Vec<Diagnostic>, text: &str) -> Self {
        let start = diagnostics.first().map_or(0, |first| first.primary.span.start as usize).min(text.len());
        let line = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() + 1;
        Self { diagnostics, line }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.diagnostics.first() else { return f.write_str("the text is no model") };
        write!(f, "line {}: {} ({})", self.line, first.message, first.code)?;
        match self.diagnostics.len() - 1 {
            0 => Ok(()),
            1 => f.write_str(", and 1 more error"),
            more => write!(f, ", and {more} more errors"),
        }
    }
}

impl std::error::Error for LoadError {}
