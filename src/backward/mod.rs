//! Backward reachability over cubes, and BRAB (its loop with approximations).
//!
//! In: a system, options and, for BRAB, an oracle. Out: an outcome: the verdict, an invariant when it is safe,
//! figures.
//!
//! In reading order, each folder knows only those before it: `cube` (the algebra), `theory`
//! (satisfiability), `preimage`, `fixpoint`, `safety`, `search` (one run), `lemmas` (what is proved of numbers), `brab` (the loop around
//! runs). Beside them `tuning` (the constants), `profile` (where the time goes); for benches and
//! tests `kernels` and `testing`.

mod brab;
mod cube;
mod fixpoint;
#[doc(hidden)]
pub mod kernels;
mod lemmas;
mod preimage;
mod profile;
mod safety;
mod search;
#[doc(hidden)]
pub mod testing;
#[cfg(test)]
mod tests;
mod theory;
mod tuning;

pub use brab::{Brab, Shared, search};
pub use lemmas::Lemmas;
