//! How reasons are written, and advice to somebody who has no answer.

mod advice;
mod reason;

pub use advice::{how_far, suggestion};
pub use reason::{cause, reason, unproved};
