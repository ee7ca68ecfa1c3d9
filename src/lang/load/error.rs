//! Why a text is not a model.

use std::fmt;

use crate::diagnostic::Diagnostic;

/// The errors in the text of a model, as one `Error`: its message is the first one and how many there
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
    /// The errors, at least one, in the order in which they are shown.
    pub diagnostics: Vec<Diagnostic>,
    /// Line of the first.
    line: usize,
}

impl LoadError {
    /// From the diagnostics of `text`.
    pub(super) fn new(diagnostics: Vec<Diagnostic>, text: &str) -> Self {
        let start = diagnostics.first().map_or(0, |first| first.primary.span.start as usize).min(text.len());
        let line = text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count() + 1;
        Self { diagnostics, line }
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.diagnostics.first() else { return f.write_str("the text is not a model") };
        write!(f, "line {}: {} ({})", self.line, first.message, first.code)?;
        match self.diagnostics.len() - 1 {
            0 => Ok(()),
            1 => f.write_str(", and 1 more error"),
            more => write!(f, ", and {more} more errors"),
        }
    }
}

impl std::error::Error for LoadError {}
