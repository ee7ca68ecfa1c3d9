//! What each name of a model stands for, and where it is defined, read and written: for editors.
//!
//! Works on the tree alone, so that it knows what can be known of a model with errors as well.

mod build;
mod rename;
mod scopes;

pub use build::Index;
pub use rename::{Denied, rename};
pub use scopes::{NameKind, NamedSymbol, Role, Use};
