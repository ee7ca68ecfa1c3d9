//! Approximation: candidates for unreachable cubes, chosen with the forward states, and their fate (Conchon et al.,
//! BRAB, FMCAD 2013).
//!
//! In: a cube of a search. Out: a candidate in its place, if there is one. Property-directed search uses the same
//! candidates as BRAB does.
//!
//! In reading order: `pool` (candidates, their fate, and learning from one that is reachable), `candidates` (what may replace a cube), `replace` (the choice
//! among these, and the cases of a node without one), `network` (candidates that are chosen together).

mod candidates;
mod network;
mod pool;
mod replace;

pub use candidates::{CandidateLimits, candidates};
#[cfg(test)]
pub use candidates::{Numeric, folded};
pub use pool::{Brab, Pool, Reached};
pub use replace::Approximation;
