//! What the expansion of a model to the core language leaves to say about the text.

use indexmap::IndexSet;

use super::families::Families;
use super::sort_table::SortTable;
use crate::diagnostic::Span;

/// What a model in the core language was made of.
#[derive(Clone, Debug, Default)]
pub struct MadeOf {
    /// The declarations that stand for several variables, or for one of another type.
    pub families: Families,
    /// Types that are indices of such declarations: all of their values are in use.
    pub indices: IndexSet<String>,
    /// The sorts of its processes, in a model that declares any.
    pub sorts: Option<SortTable>,
    /// For each `invariant` of the text, where it is, the variables that it mentions there, also those that are not in the core any more.
    pub mentioned: Vec<(Span, Vec<String>)>,
}
