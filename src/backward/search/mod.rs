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
<<<<<<< HEAD
pub use run::{Next, Run, RunCounts, RunEnd, Setting, Totals};
=======
pub use run::{End, Next, Run, RunCounts, Setting, Totals, as_ranged};
>>>>>>> 5c7da6d (Lemmas about numbers are proved before the search: ticket locks and the bakery need no hand-written invariants)
