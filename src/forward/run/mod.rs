//! The data of an exploration besides its states: its limits, its findings and the runs to them.
//!
//! In reading order: `limits`, `finding`, `trace` (from stored states to concrete runs), `outside`,
//! `findings`, `growth`, `curve`, `searched`.

pub mod curve;
pub mod finding;
pub mod findings;
pub mod growth;
pub mod limits;
pub mod outside;
pub mod searched;
pub mod trace;
