//! Properties of runs on an instance, exactly: all states, all steps with their labels, and fair cycles among them.
//!
//! In: a system with properties of runs, a number of processes, limits. Out: an answer for each property. In reading
//! order: `graph` (states and steps), `conditions` (where a condition holds), `arrows` (a graph to be searched, and its
//! ways), `constraints` (which steps fairness asks for), `components` (fair cycles), `lasso` (from a fair component to a
//! cycle), `automaton` and `product` (formulas), `concrete` (from states as they are stored to a run), `instance` (the properties).
//!
//! Nothing that explorations leave out is left out here: states are not stored up to renaming, no step sleeps, and finite
//! cells always have a value. What stays is that values without a name are numbered anew in each state, which is a
//! bisimulation that neither conditions nor labels see. A property holds for an instance only when the graph is complete.
//!
//! By symmetry it is enough to look at the tuple `#1, #2, ..` where processes can be exchanged: the graph has each state
//! under all names, so that a run for another tuple is there under other names too.

mod arrows;
mod automaton;
mod components;
mod concrete;
mod conditions;
mod constraints;
mod graph;
mod instance;
mod lasso;
mod product;
#[cfg(test)]
mod spin;

pub use instance::{RunAnswer, RunsChecked, check_runs};
