//! The data of an exploration besides its states: its findings and the runs to them.
//!
//! In reading order: `trace` (from stored states to concrete runs), `findings`,
//! `growth`, `curve`, `tally`, `pipeline` (the loop of a breadth-first search, and its helpers).

mod curve;
mod findings;
mod growth;
pub mod pipeline;
mod tally;
pub mod trace;

pub use curve::Curve;
pub use findings::{Findings, goes_outside};
pub use growth::growth;
pub use pipeline::{Level, Levels, Pipeline, breadth_first};
pub use tally::{Problem, Searched, Tally, add_counts};
pub use trace::{Finding, RealStep, TraceError, real_codes, real_instance, states};
