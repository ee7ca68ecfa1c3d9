//! Results as text: takes data, returns strings; prints nothing and knows no engine's inside.
//!
//! The order of a full report is that of the run: one block for each exploration
//! ([`exploration`]), the node lines (written by whoever listens to the search), then
//! [`conclusion()`]: candidates, statistics, trace, and the answer on a line of its own.

mod assumptions;
mod block;
mod conclusion;
mod forward;
mod json;
mod literals;
mod progress;
mod reason;
mod snapshot;
mod stages;
mod statistics;
mod style;
mod trace;
mod vacuity;
mod values;

pub use assumptions::axioms;
pub use conclusion::{TraceStates, answer, conclusion};
pub use forward::exploration;
pub use json::statistics as statistics_json;
pub(crate) use literals::literal;
pub use progress::{approximation, bad_candidate, node, restart};
pub use reason::{reason, reason_help};
pub use snapshot::{Snapshot, unknown};
pub use stages::stage;
pub use statistics::profile;
pub use style::Style;
pub(crate) use trace::{Violation, ending, violated};
pub use trace::{history, states};
pub use vacuity::diagnostics as vacuity;

pub(crate) use values::Names;
