//! From the text of a model to its meaning, or why it has none.

use super::allow::Allowed;
use crate::diagnostic::{Checked, Diagnostic, Lines, MAX_ERRORS};
use crate::expand::{self, Expander};
use crate::model::{self, System};
use crate::syntax;
use crate::syntax::ast::{File, Update};
use std::fmt;
use tracing::debug;

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

/// Like [`load`](super::load()), without the warnings that take longer than reading does; the others are there whether its author allows them or not.
///
/// # Errors
/// What is wrong with the text.
pub fn meaning(text: &str) -> Checked<Loaded> {
    let (file, mut diagnostics) = syntax::parse(text);
    let errors = diagnostics.iter().filter(|it| it.is_error()).count();
    if errors >= MAX_ERRORS {
        diagnostics.retain(Diagnostic::is_error);
        return Err(diagnostics);
    }
    let expansion = expand::expand(&file);
    // What follows from an error in a construct is not worth a line of its own; that sorts differ does not follow from one.
    let (system, more) = if expansion.diagnostics.is_empty() {
        let (system, mut more) = model::elaborate(&expansion.file, text, expansion.made_of);
        let without = system.iter().find_map(|it| it.without_values());
        more.extend(without.map(|at| {
            Diagnostic::error("C0222", at, "no instance satisfies this axiom")
                .label("it is false whatever the value of the witness is")
                .help("there is no system to check: demand less of its values")
        }));
        // What code reads in the step that wrote it, it does not read in a later one.
        let own: Vec<_> = file.processes().flat_map(|it| it.locals().map(|cell| cell.name.span())).collect();
        more.retain(|it| it.code != "C0918" || !own.contains(&it.primary.span));
        let axioms = system.iter().flat_map(|it| &it.axioms);
        let claimed =
            axioms.filter(|it| text.get(it.span.start as usize..).is_some_and(|it| it.starts_with("lemma")));
        more.extend(claimed.map(|axiom| {
            Diagnostic::error("C0726", axiom.span, "this `lemma` would be assumed, not proved")
                .label("no step changes what it is about")
                .help("write `invariant`, which is an axiom here; leave it out where `init` says it")
        }));
        (system, more)
    } else {
        let mut found = expansion.diagnostics;
        if expansion.made_of.sorts.is_some() {
            let of_sorts = |it: &Diagnostic| matches!(it.code, "C0106" | "C0218" | "C0505");
            found.extend(
                model::elaborate(&expansion.file, text, expansion.made_of).1.into_iter().filter(of_sorts),
            );
        }
        (None, found)
    };
    // An error on the line of a syntax error probably follows from how that one was repaired.
    let lines = Lines::new(text);
    let line = |d: &Diagnostic| lines.line(d.primary.span.start);
    let slips: Vec<usize> = diagnostics.iter().filter(|it| it.is_error()).map(line).collect();
    diagnostics.extend(more.into_iter().filter(|d| slips.is_empty() || !slips.contains(&line(d))));
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    match system {
        Some(system) if !failed => {
            debug!(bytes = text.len(), warnings = diagnostics.len(), "model loaded");
            Ok(Loaded { system, warnings: diagnostics, allowed: Allowed::default(), file })
        }
        _ => {
            diagnostics.retain(Diagnostic::is_error);
            diagnostics.truncate(MAX_ERRORS);
            debug!(bytes = text.len(), errors = diagnostics.len(), "model refused");
            Err(diagnostics)
        }
    }
}

/// A model in the core language. `file` has no errors.
pub fn core(file: &File) -> File {
    expand::expand(file).file
}

/// Updates whose right-hand sides are in the names of a model, in the core language.
///
/// # Errors
/// What is wrong with them.
pub fn core_values(model: &File, updates: &mut [Update]) -> Checked<()> {
    let mut expander = Expander::of(model);
    for update in updates {
        update.value = expander.value_of(&update.value)?;
    }
    Ok(())
}

/// A system, and the text of the model that it comes from. The system may have further variables or properties.
#[derive(Clone, Copy, Debug)]
pub struct ModelSource<'a> {
    /// The system.
    pub system: &'a System,
    /// The text.
    pub text: &'a str,
}

impl<'a> ModelSource<'a> {
    /// This system, which comes from this text.
    pub const fn new(system: &'a System, text: &'a str) -> Self {
        Self { system, text }
    }
}

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
        let start = diagnostics.first().map_or(0, |first| first.primary.span.start);
        Self { line: Lines::new(text).line(start), diagnostics }
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
