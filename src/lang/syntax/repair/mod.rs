//! Typing errors and habits from other languages: finds what was meant where a declaration fails to parse, so that
//! the error can name it and the rest of the declaration is still read.
//!
//! Rules look at the failing place only, never at text that parses: no correct model is read differently.
//! Each returns the tokens to go on with; the parser tries again with them, and gives up without another
//! message when that brings it no further.

mod counts;
mod declarations;
mod elsewhere;
mod formulas;
mod lists;
mod rule;
mod site;
mod special;
mod spelled;
mod updates;
mod walker;
mod words;

pub use counts::miscounted;
pub use site::{DeclaredNames, Repair, Site};
pub use walker::{of_a_branch, repair, start};
