//! One run of the backward search: nodes, the order in which they are taken, and what becomes of each.
//!
//! In: initial cubes of the search. Out: how the run ends, with the visited cubes and figures.
//!
//! In reading order: `run` (the guarantees stand there), `state`, `node`, `frontier`, `drive_end`; `tell` reports to observers.

mod drive_end;
mod frontier;
mod node;
mod open;
mod run;
mod state;
mod tell;
mod to_init;

pub use drive_end::DriveEnd;
pub use node::{NodeId, Origin};
pub use open::open;
pub use run::{Next, Run, RunEnd, Setting, Totals, as_ranged};
pub use state::{RunCounts, RunState};
