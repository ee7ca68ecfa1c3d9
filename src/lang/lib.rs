//! Models: from a text to a typed system, and what its author should know about it.
//!
//! In reading order: `syntax` (tokens, tree, printer), `expand` (ranges, records, queues in terms of the core language), `model` (names, types, the [`System`](model::System), and
//! [`model::semantics`], its meaning in slow and simple words), `load` (both together, with warnings). `format` and `index`
//! work on the text; `diagnostic` is the one type of errors, `explain` a page for each. `words` writes
//! values, literals and whole systems.

pub mod bits;
pub mod diagnostic;
pub mod digest;
mod expand;
pub mod explain;
pub mod format;
pub mod index;
pub mod list;
pub mod load;
pub mod model;
pub mod named;
pub mod refinement;
pub mod spelling;
pub mod syntax;
pub mod words;

pub use load::{LoadError, Loaded, load};
