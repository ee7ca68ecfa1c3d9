//! The data of an exploration besides its states: its findings and the runs to them.
//!
//! In reading order: `finding`, `trace` (from stored states to concrete runs), `outside`,
//! `findings`, `growth`, `curve`, `searched`, `tally`, `levels` (the loop of a breadth-first search), `pipeline` (its helpers).

mod curve;
mod finding;
mod findings;
pub mod growth;
pub mod levels;
mod outside;
pub mod pipeline;
mod searched;
mod tally;
pub mod trace;

pub use curve::Curve;
pub use finding::Finding;
pub use findings::Findings;
pub use levels::{Level, Levels, breadth_first};
pub use outside::goes_outside;
pub use pipeline::Pipeline;
pub use searched::{Problem, Searched};
pub use tally::Tally;
pub use trace::{RealStep, TraceError, real_instance, states};
