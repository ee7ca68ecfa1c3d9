//! Equivalence of states up to the names of processes.
//!
//! The input is the system, its cells and their packing; the result is `canonical`, which replaces a state by the
//! representative of its orbit (by sorting `lanes`, or in `general` by the `hints` of cells and the `moves` of their bits, with `refinement` of colours where
//! needed), and knows the steps that equal processes make redundant.

pub mod canonical;
pub mod general;
pub mod hints;
pub mod lanes;
pub mod moves;
pub mod refinement;
#[cfg(test)]
mod tests;
