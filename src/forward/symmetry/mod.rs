//! Equivalence of states up to the names of processes.
//!
//! The input is the system, its cells and their packing; the result is `canonical`, which replaces a state by the
//! representative of its orbit (by sorting `lanes`, or in `general`, with `refinement` of colours where needed),
//! and `exchangeable`, the steps that equal processes make redundant.

pub mod canonical;
pub mod exchangeable;
pub mod general;
pub mod lanes;
pub mod refinement;
#[cfg(test)]
mod tests;
