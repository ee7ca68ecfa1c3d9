//! The meaning of each name of a model, and where it is defined, read and written: for editors.
//!
//! Works on the tree alone, and so on models with errors as well.

mod build;
mod rename;
mod scopes;

pub use build::Index;
pub(crate) use rename::replaced;
pub use rename::{Denied, rename};
pub use scopes::{NameKind, NamedSymbol, Role, Use};
