//! What an exploration keeps besides its states: how long it may go on, what it found and how to show that.
//!
//! In reading order: `clock`, `limits`.

pub mod clock;
pub mod limits;
