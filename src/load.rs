//! From the text of a model to a system, with everything that there is to say about it.

use crate::advice;
use crate::diagnostic::{Diagnostic, MAX_ERRORS, Severity};
use crate::model::{self, System};
use crate::syntax;
use crate::syntax::ast::File;

/// A model that can be checked.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What it means.
    pub system: System,
    /// What its author may want to know.
    pub warnings: Vec<Diagnostic>,
    /// What it says.
    pub file: File,
}

/// Reads a model.
///
/// # Errors
/// What is wrong with it, at least one thing; after [`MAX_ERRORS`] the rest is not looked at. Warnings about a model that means nothing yet
/// would only mislead, so errors come alone.
pub fn load(text: &str) -> Result<Loaded, Vec<Diagnostic>> {
    let mut loaded = meaning(text)?;
    loaded.warnings.extend(advice::wrong_way_round(&loaded.system, text));
    loaded.warnings.sort_by_key(|warning| warning.primary.span.start);
    Ok(loaded)
}

/// As [`load`], without the warnings that take longer than reading does.
pub(crate) fn meaning(text: &str) -> Result<Loaded, Vec<Diagnostic>> {
    let (file, mut diagnostics) = syntax::parse(text);
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error).count();
    if errors >= MAX_ERRORS || file.damage.cut {
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
        Some(system) if !failed => Ok(Loaded { system, warnings: diagnostics, file }),
        _ => {
            diagnostics.retain(|d| d.severity == Severity::Error);
            diagnostics.truncate(MAX_ERRORS);
            Err(diagnostics)
        }
    }
}
