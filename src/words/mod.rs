//! How values, literals, ends of runs and reasons are written: what certificates, traces as files and reports
//! share.
//!
//! In go results and the model, out come words. Knows no engine.

mod literals;
mod reason;
mod values;
mod violation;

pub(crate) use literals::literal;
pub use reason::{cause, reason, reason_help};
pub(crate) use values::{Names, cells, processes};
pub(crate) use violation::{Violation, ending, violated};
