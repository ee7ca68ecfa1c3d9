//! Backward reachability over cubes, BRAB (backward reachability with approximations), and property-directed search.
//!
//! In: a system, options and, for the last two, an oracle. Out: an outcome: the verdict, an invariant when it is safe,
//! figures.
//!
//! In reading order, each folder uses only those before it: `cube` (the algebra), `theory`
//! (satisfiability), `counting` (what numbers of processes add to it), `preimage`, `fixpoint`, `safety`, `search` (one run), `lemmas` (proved cubes about numbers),
//! `approximation` (candidates in place of cubes), `brab` and `pdr` (two ways to drive a run), `restarts` (the loop around
//! runs), `searches` (one after the other). Beside them `tuning` (the constants), `profile` (where the time goes); for benches and
//! tests `kernels` and `testing`.

mod approximation;
mod brab;
mod counting;
mod cube;
mod fixpoint;
#[doc(hidden)]
pub mod kernels;
mod lemmas;
mod pdr;
mod preimage;
mod profile;
mod restarts;
mod safety;
mod search;
mod searches;
#[doc(hidden)]
pub mod testing;
#[cfg(test)]
mod tests;
mod theory;
mod tuning;

pub use lemmas::Lemmas;
pub use searches::{Searches, engine};
