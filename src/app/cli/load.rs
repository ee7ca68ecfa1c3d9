//! Models from files, and their diagnostics.

use std::path::Path;

use cubicle_lang::diagnostic::{Diagnostic, Severity, Source};
use cubicle_lang::load::{Allowed, Loaded, ModelSource, beyond_original};
use cubicle_lang::model::System;
use cubicle_lang::syntax::ast::File;
use cubicle_run::words;
use cubicle_transform::{Crash, with_crashes};

use super::ending::Ending;
use super::failure::Failure;
use super::input;
use super::messages::Messages;

pub struct LoadedModel {
    /// Its name in diagnostics.
    pub name: String,
    pub system: System,
    /// Its syntax tree.
    pub file: File,
    pub text: String,
    /// The warnings that are suppressed.
    pub allowed: Allowed,
    /// The warnings of the model itself.
    pub known: Vec<Diagnostic>,
    /// How many of them were reported.
    pub warnings: usize,
}

impl LoadedModel {
    /// Its text, with its name.
    pub fn source(&self) -> Source<'_> {
        Source { name: &self.name, text: &self.text }
    }

    /// Its meaning, with its text.
    pub fn model(&self) -> ModelSource<'_> {
        ModelSource::new(&self.system, &self.text)
    }
}

/// The model in `file` for a run that ends as `ending` says, which then knows its text. As [`load_as`], with warnings.
pub fn load_for(
    ending: &Ending,
    file: &Path,
    allow: &[&'static str],
    strictly: bool,
) -> Result<LoadedModel, Failure> {
    load_as(file, Some(allow), strictly, &ending.messages, |text| ending.know_model(text))
}

/// The model in `file`. Reports its errors, and its warnings but for those with a code in `allow`; without such a list,
/// no warnings.
pub fn load(
    file: &Path,
    allow: Option<&[&'static str]>,
    messages: &Messages,
) -> Result<LoadedModel, Failure> {
    load_as(file, allow, false, messages, |_| Ok(()))
}

/// Like [`load`]; `strictly`: what the original Cubicle does not have is an error. `know` gets the text.
pub fn load_as(
    file: &Path,
    allow: Option<&[&'static str]>,
    strictly: bool,
    messages: &Messages,
    know: impl FnOnce(&str) -> Result<(), Failure>,
) -> Result<LoadedModel, Failure> {
    let input = input::read(file).map_err(|failure| {
        messages.error(&failure.error);
        failure.reported()
    })?;
    know(&input.text)?;
    let (system, mut diagnostics) = match cubicle_lang::load(&input.text) {
        Ok(Loaded { system, allowed, warnings, file, .. }) => {
            let beyond = if strictly { beyond_original(&file, &input.text) } else { Vec::new() };
            if beyond.is_empty() { (Some((system, allowed, file)), warnings) } else { (None, beyond) }
        }
        Err(error) => (None, error.diagnostics),
    };
    let allow_all = allow.unwrap_or_default();
    let known = diagnostics.clone();
    diagnostics.retain(|it| it.is_error() || !allow_all.contains(&it.code));
    if system.is_none() || allow.is_some() {
        messages.diagnostics(&diagnostics, &Source { name: &input.name, text: &input.text });
    }
    let warnings = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Warning).count();
    let Some((system, mut allowed, file)) = system else {
        let error = format!("could not check {}: {}", input.name, count(&diagnostics));
        messages.summary(&error);
        return Err(Failure::usage(error).reported());
    };
    for code in allow_all {
        allowed.everywhere(code);
    }
    Ok(LoadedModel { name: input.name, system, file, text: input.text, allowed, known, warnings })
}

/// Notes which properties of a model are ignored by a command that is about bad states only.
pub fn passes_over_runs(system: &System, messages: &Messages) {
    let names: Vec<&str> = system.temporal.iter().map(|it| it.name.as_str()).collect();
    if !names.is_empty() {
        messages.note(&format!("this command is about bad states; it ignores {}", names.join(", ")));
    }
}

/// The system with failing processes; reports what makes that impossible.
pub fn crashing(
    system: &System,
    crash: Crash,
    file: &Path,
    text: &str,
    messages: &Messages,
) -> Result<System, Failure> {
    with_crashes(system, crash).map_err(|why| {
        let name = file.display().to_string();
        let error = format!("--crash: {}", why.message);
        messages.diagnostics(&[*why], &Source { name: &name, text });
        Failure::usage(error).reported()
    })
}

/// `3 errors, 1 warning`.
fn count(diagnostics: &[Diagnostic]) -> String {
    let of = |severity, what: &str| {
        let number = diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
        (number > 0).then(|| words::count(number, what))
    };
    let counts = [of(Severity::Error, "error"), of(Severity::Warning, "warning")];
    counts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}
