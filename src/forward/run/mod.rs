//! The data of an exploration besides its states: its findings and the runs to them.
//!
//! In reading order: `finding`, `trace` (from stored states to concrete runs), `findings`,
//! `growth`, `curve`, `tally`, `levels` (the loop of a breadth-first search), `pipeline` (its helpers).

mod curve;
mod finding;
mod findings;
pub mod growth;
pub mod levels;
pub mod pipeline;
mod tally;
pub mod trace;

pub use curve::Curve;
pub use finding::Finding;
pub use findings::{Findings, goes_outside};
pub use levels::{Level, Levels, breadth_first};
pub use pipeline::Pipeline;
pub use tally::{Problem, Searched, Tally};
pub use trace::{RealStep, TraceError, real_instance, states};
