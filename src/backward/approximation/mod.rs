//! Approximation: candidates for unreachable cubes, chosen with the forward states, and their fate (Conchon et al.,
//! BRAB, FMCAD 2013).
//!
//! In: a cube of a search. Out: a candidate in its place, if there is one. Property-directed search uses the same
//! candidates as BRAB does.
//!
//! In reading order: `pool` (candidates and their fate), `candidates` (what may replace a cube), `replace` (the choice
//! among these), `reject` (learning from a candidate that is reachable), `network` (candidates that are chosen together).

mod candidates;
mod network;
mod pool;
mod reject;
mod replace;

pub use candidates::{CandidateLimits, candidates};
#[cfg(test)]
pub use candidates::{Numeric, folded};
pub use pool::{Brab, Pool};
pub use reject::Reached;
pub use replace::Approximation;
