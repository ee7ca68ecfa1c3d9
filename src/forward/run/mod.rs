//! The data of an exploration besides its states: its findings and the runs to them.
//!
//! In reading order: `finding`, `trace` (from stored states to concrete runs), `outside`,
//! `findings`, `growth`, `curve`, `searched`, `tally`, `levels` (the loop of a breadth-first search), `pipeline` (its helpers).

pub mod curve;
pub mod finding;
pub mod findings;
pub mod growth;
pub mod levels;
pub mod outside;
pub mod pipeline;
pub mod searched;
pub mod tally;
pub mod trace;
