//! How values, literals, ends of runs and reasons are written: what certificates, traces as files and reports
//! share.
//!
//! In go results and the model, out come words. Knows no engine.

mod advice;
mod literals;
mod reason;
mod values;
mod violation;

pub use advice::{how_far, suggestion};
pub(crate) use literals::literal;
pub use reason::{cause, reason, unproved};
pub(crate) use values::{ValueNames, cells, constant, processes};
pub(crate) use violation::{Violation, ending, violated};
