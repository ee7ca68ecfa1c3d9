//! What the names of a file mean, and what was found so far.

use indexmap::{IndexMap, IndexSet};

use super::types::{Symbols, Trouble};
use crate::diagnostic::{Diagnostic, Reporter, Span};
use crate::model::SortTable;
use crate::syntax::ast::Predicate;

/// Most nodes that the declarations of a file become.
const MOST_NODES: usize = 1 << 21;

/// What the names of a file mean.
#[derive(Clone, Debug, Default)]
pub struct Expander {
    pub(super) symbols: Symbols,
    pub(super) sorts: Option<SortTable>,
    /// The constant that stands for `nil`.
    pub(super) nil: Option<String>,
    /// The predicates so far, and whether they are written out.
    pub(super) predicates: IndexMap<String, (Predicate, bool)>,
    pub(super) witnesses: IndexSet<String>,
    /// Arrays that stand for relations and witnesses, and which of both.
    pub(super) rigid: IndexMap<String, &'static str>,
    /// Variables that note bad states of which something holds for all processes, and the transitions that assign them.
    pub(super) watches: IndexMap<String, String>,
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Errors that transitions end in, with the values that say so.
    pub(super) troubles: IndexMap<Trouble, String>,
    /// The variable with these values.
    pub(super) trouble: Option<String>,
    /// Variables that have any value, by type and number.
    pub(super) any: IndexMap<(String, usize), String>,
    pub(super) spent: usize,
}

impl Reporter for Expander {
    fn add(&mut self, diagnostic: Diagnostic) {
        self.push(diagnostic);
    }
}

impl Expander {
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let known =
            |it: &Diagnostic| it.code == diagnostic.code && it.primary.span == diagnostic.primary.span;
        if self.diagnostics.len() < crate::diagnostic::MAX_ERRORS && !self.diagnostics.iter().any(known) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Counts nodes; whether there may be more.
    pub fn spend(&mut self, nodes: usize) -> bool {
        self.spent += nodes;
        if self.spent > MOST_NODES && self.spent - nodes <= MOST_NODES {
            let message = format!("the model becomes more than {MOST_NODES} nodes in the core language");
            Diagnostic::error("C0504", Span::default(), message)
                .help("use smaller ranges and queues")
                .report(self);
        }
        self.spent <= MOST_NODES
    }
}
