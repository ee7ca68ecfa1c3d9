//! From the text of a model to what it means.

use crate::diagnostic::{Diagnostic, MAX_ERRORS, Severity};
use crate::model::{self, System};
use crate::syntax;
use crate::syntax::ast::File;

/// What a text means.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// The system.
    pub system: System,
    /// What there is to say about it, whether its author wants to know or not.
    pub warnings: Vec<Diagnostic>,
    /// What it says.
    pub file: File,
}

/// As [`load`](super::load()), without the warnings that take longer than reading does.
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
    // What is wrong on the line of a slip of syntax probably follows from how the slip was read.
    let line = |d: &Diagnostic| {
        let start = (d.primary.span.start as usize).min(text.len());
        text.as_bytes()[..start].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1)
    };
    let slips: Vec<usize> = diagnostics.iter().filter(|d| d.severity == Severity::Error).map(line).collect();
    diagnostics.extend(more.into_iter().filter(|d| slips.is_empty() || !slips.contains(&line(d))));
    let failed = diagnostics.iter().any(|d| d.severity == Severity::Error);
    match system {
        Some(system) if !failed => Ok(Meaning { system, warnings: diagnostics, file }),
        _ => {
            diagnostics.retain(|d| d.severity == Severity::Error);
            diagnostics.truncate(MAX_ERRORS);
            Err(diagnostics)
        }
    }
}
