//! What is looked at, and how hard.

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::System;
use cubicle_lang::syntax::ast::File;

/// How hard is looked.
#[derive(Clone, Debug)]
pub struct LintOptions {
    /// Instances of up to so many processes are explored.
    pub procs: usize,
    /// No more than so many states of each.
    pub max_states: usize,
    /// Effort of each proof: rounds of [`BackwardMode::Auto`](cubicle_run::options::BackwardMode::Auto).
    pub rounds: u32,
    /// Number of threads of a proof.
    pub jobs: usize,
}

impl Default for LintOptions {
    fn default() -> Self {
        Self { procs: 3, max_states: 20_000, rounds: 3, jobs: 1 }
    }
}

/// A model as it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct LintedModel<'a> {
    /// What it says.
    pub file: &'a File,
    /// The text that it was read from.
    pub text: &'a str,
    /// What it means.
    pub system: &'a System,
    /// What is known already: a part with a warning of its own gets no other.
    pub known: &'a [Diagnostic],
}

impl LintedModel<'_> {
    /// Whether there is a warning about this place, or about a part of it.
    pub(super) fn is_known(&self, place: Span) -> bool {
        let inside = |span: Span| place.start <= span.start && span.end <= place.end;
        self.known.iter().any(|it| inside(it.primary.span))
    }
}
