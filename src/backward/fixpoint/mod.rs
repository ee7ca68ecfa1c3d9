//! The fixpoint test: is a cube contained in the union of those visited?
//!
//! In: cubes, one after the other. Out: whether the visited ones cover each, and how that was decided. A cube that is
//! not known to be covered counts as not covered.
//!
//! In reading order: `visited` (the set and the test), `table` and `matching` (one visited cube against the
//! tested one), `relations` and `union_cover` (several together), `tester` (shared tools of the tests, and the questions to Z3).

mod matching;
mod relations;
mod table;
mod tester;
mod union_cover;
mod visited;

#[cfg(test)]
pub use matching::Digest;
#[cfg(test)]
pub use table::{Tables, Tested};
pub use tester::{Covered, TestCounts, Tester};
pub use union_cover::EffortLeft;
pub use visited::Visited;
