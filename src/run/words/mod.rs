//! Text for reasons, and advice to a user without a verdict.

mod advice;
mod count;
mod reason;

pub use advice::{how_far, suggestion};
pub use count::{count, listed_sizes, numbers, sizes};
pub use reason::{cause, reason, unproved};
