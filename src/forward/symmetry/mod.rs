//! When two states are the same but for the names of processes.
//!
//! In go the system, its cells and their packing; out come `canonical`, which replaces a state by the
//! representative of its orbit (by `lanes`, that are sorted, or in `general`, with `refinement` of colours where that is needed), and `exchangeable`,
//! the steps that equal processes make superfluous.

pub mod canonical;
pub mod exchangeable;
pub mod general;
pub mod lanes;
pub mod refinement;
#[cfg(test)]
mod tests;
