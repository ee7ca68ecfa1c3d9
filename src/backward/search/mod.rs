//! One run of the backward search: nodes, the order in which they are taken, and what becomes of each.
//!
//! In: cubes to begin with. Out: how the run ends, with the visited cubes and figures.
//!
//! In reading order: `run` (the guarantees stand there), `node`, `frontier`; `tell` has the words for observers.

mod frontier;
mod node;
mod open;
mod run;
mod tell;

pub use node::NodeId;
pub use open::open;
pub use run::{Next, Run, RunCounts, RunEnd, Setting, Totals, as_ranged};
