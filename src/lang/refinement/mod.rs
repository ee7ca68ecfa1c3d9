//! The meaning of a map between two models: what the variables of an abstract model are in terms of a concrete one, and which abstract
//! steps a concrete step may be.
//!
//! `text` reads a map, `both` has the variables of both models in one system, `meaning` resolves the names of the map there. All that follows
//! takes the meaning: the models whose safety is the refinement, the certificate checker, the explanation of a run.

mod both;
mod meaning;
mod text;

pub use both::{BothModels, InText, NoRefinement, RefinedModel, refused};
pub use meaning::{ArgTerm, Image, RefinementMap, TOO_MANY, held, parts, reads, transitions};
