//! Text for reasons, and advice to a user without a verdict.

mod advice;
mod reason;

pub use advice::{how_far, suggestion};
pub use reason::{cause, count, listed_sizes, numbers, of_sorts, reason, sizes, unproved};
