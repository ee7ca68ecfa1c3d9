//! What an exploration keeps besides its states: its limits, what it found and how to show that.
//!
//! In reading order: `limits`, `finding`, `trace` (from stored states to what really happens), `outside`,
//! `findings`, `growth`, `curve`, `searched`.

pub mod curve;
pub mod finding;
pub mod findings;
pub mod growth;
pub mod limits;
pub mod outside;
pub mod searched;
pub mod trace;
