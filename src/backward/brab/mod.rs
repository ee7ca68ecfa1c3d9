//! BRAB: the search with approximations, begun again when one of them turns out reachable (Conchon et al.,
//! FMCAD 2013). Without an oracle it is the classical search, with one run more when only spurious paths were
//! found.
//!
//! In: a system and, for approximations, an oracle. Out: the outcome of the search.
//!
//! In reading order: `engine` (the loop of restarts), `pool` (candidates and their fate), `approximate` (one
//! node replaced), `candidates` (what may replace it).

mod approximate;
mod candidates;
mod engine;
mod pool;

pub use candidates::{CandidateLimits, candidates};
pub use engine::{Shared, search};
pub use pool::Brab;
