//! One run of the backward search: nodes, the order in which they are taken, and what becomes of each.
//!
//! In: initial cubes of the search. Out: how the run ends, with the visited cubes and figures.
//!
//! In reading order: `run` (the guarantees stand there), `state` (with the frontier), `node`; `tell` reports to observers.

mod node;
mod open;
mod run;
mod state;
mod tell;
mod to_init;

pub use node::{NodeId, Origin};
pub use open::open;
pub use run::{DriveEnd, Next, Run, RunEnd, Setting, Totals, as_ranged};
pub use state::{RunCounts, RunState};
