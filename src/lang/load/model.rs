//! From the text of a model to its meaning.

use crate::diagnostic::{Diagnostic, MAX_ERRORS, Severity};
use crate::model::{self, System};
use crate::syntax;
use crate::syntax::ast::File;
use tracing::debug;

/// The meaning of a text.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The system.
    pub system: System,
    /// All warnings, including those that its author allows.
    pub warnings: Vec<Diagnostic>,
    /// The syntax tree.
    pub file: File,
}

/// Like [`load`](super::load()), without the warnings that take longer than reading does.
///
/// # Errors
/// What is wrong with the text.
pub fn meaning(text: &str) -> Result<Meaning, Vec<Diagnostic>> {
    let (file, mut diagnostics) = syntax::parse(text);
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    if errors >= MAX_ERRORS {
        diagnostics.retain(|d| d.severity == Severity::Error);
        return Err(diagnostics);
    }
    let (system, more) = model::elaborate(&file, text);
    // An error on the line of a syntax error probably follows from how that one was repaired.
    let line = |d: &Diagnostic| {
        let start = (d.primary.span.start as usize).min(text.len());
        text.as_bytes()[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1)
    };
    let slips: Vec<usize> = diagnostics.iter().filter(|d| d.severity == Severity::Error).map(line).collect();
    diagnostics.extend(more.into_iter().filter(|d| slips.is_empty() || !slips.contains(&line(d))));
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    match system {
        Some(system) if !failed => {
            debug!(bytes = text.len(), warnings = diagnostics.len(), "model loaded");
            Ok(Meaning { system, warnings: diagnostics, file })
        }
        _ => {
            diagnostics.retain(|d| d.severity == Severity::Error);
            diagnostics.truncate(MAX_ERRORS);
            debug!(bytes = text.len(), errors = diagnostics.len(), "model refused");
            Err(diagnostics)
        }
    }
}
