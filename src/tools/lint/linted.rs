//! The model to examine, and the effort.

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::System;
use cubicle_lang::syntax::ast::File;

/// Effort of the examination.
#[derive(Clone, Debug)]
pub struct LintOptions {
    /// Instances of up to this number of processes are explored.
    pub procs: usize,
    /// Limit on the states of each instance.
    pub max_states: usize,
    /// Effort of each proof: rounds of [`BackwardMode::Auto`](cubicle_run::BackwardMode::Auto).
    pub rounds: u32,
    /// Number of threads of a proof.
    pub jobs: usize,
}

impl Default for LintOptions {
    fn default() -> Self {
        Self { procs: 3, max_states: 20_000, rounds: 3, jobs: 1 }
    }
}

/// A model to examine.
#[derive(Clone, Copy, Debug)]
pub struct LintedModel<'a> {
    /// Its syntax tree.
    pub file: &'a File,
    /// The text that it was read from.
    pub text: &'a str,
    /// The system that it describes.
    pub system: &'a System,
    /// Known warnings: a part that has one gets no other.
    pub known: &'a [Diagnostic],
}

impl LintedModel<'_> {
    /// Whether there is a warning about this place, or about a part of it.
    pub(super) fn is_known(&self, place: Span) -> bool {
        let inside = |span: Span| place.start <= span.start && span.end <= place.end;
        self.known.iter().any(|it| inside(it.primary.span))
    }
}
