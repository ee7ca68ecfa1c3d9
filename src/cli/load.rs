//! Models from files, and what there is to say about them.

use std::path::Path;

use cubicle::diagnostic::{Diagnostic, MAX_ERRORS, Severity, Source};
use cubicle::model::System;
use cubicle::report::Style;

use super::input;
use super::output::complain;

/// Errors and warnings shown of one model: who sees more scrolls back to the first ones.
const MOST_DIAGNOSTICS: usize = 20;

/// The model in `file`, its text, and how many warnings there were; `None` after telling on standard error what
/// is wrong with it. Warnings are told with `warn`.
pub fn load(file: &Path, warn: bool, style: Style) -> Option<(System, String, usize)> {
    let input = match input::read(file) {
        Ok(input) => input,
        Err(error) => {
            complain(&format!("error: {error}"));
            return None;
        }
    };
    let (system, diagnostics) = match cubicle::load(&input.text) {
        Ok(loaded) => (Some(loaded.system), loaded.warnings),
        Err(error) => (None, error.diagnostics),
    };
    if system.is_none() || warn {
        show(&diagnostics, &Source { name: &input.name, text: &input.text }, style);
    }
    if system.is_none() {
        complain(&format!("could not check {}: {}", input.name, count(&diagnostics)));
    }
    let warnings = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning).count();
    Some((system?, input.text, warnings))
}

/// Tells on standard error what there is to say about the model, the first messages in full.
pub fn show(diagnostics: &[Diagnostic], source: &Source<'_>, style: Style) {
    for diagnostic in diagnostics.iter().take(MOST_DIAGNOSTICS) {
        complain(&format!("{}\n", diagnostic.render(source.name, source.text, style.colored).trim_end()));
    }
    let more = diagnostics.len().saturating_sub(MOST_DIAGNOSTICS);
    if more > 0 {
        complain(&format!("note: {more} more errors and warnings"));
    }
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count();
    if errors >= MAX_ERRORS {
        complain(&format!(
            "note: the rest of the model is not looked at: it has {MAX_ERRORS} errors already"
        ));
    }
}

/// `3 errors, 1 warning`.
fn count(diagnostics: &[Diagnostic]) -> String {
    let of = |severity, what: &str| {
        let number = diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
        (number > 0).then(|| format!("{number} {what}{}", if number == 1 { "" } else { "s" }))
    };
    let counts = [of(Severity::Error, "error"), of(Severity::Warning, "warning")];
    counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
