//! Run properties of an instance, exactly: all states, all steps with their labels, and fair cycles among them.
//!
//! The input is a system with run properties, a number of processes, and limits; the result is an answer for each property.
//! In reading order: `arrows` (steps with renamings, and shortest ways along them), `graph`, `walks` and `explore` (states and
//! steps), `conditions` (where a condition holds), `constraints` (the steps that fairness is about), `components` (fair cycles),
//! `lasso` (from a fair component to a cycle, and to a run), `automaton`, `product` (both for formulas), `instance`
//! (the properties), `sample` (states and steps for others).
//!
//! No step is left out and finite cells always have a value. Values without a name are renumbered in each state, which is
//! a bisimulation that neither conditions nor labels observe. A property holds for an instance only when the graph is complete.
//!
//! By symmetry it suffices to examine the tuple `#1, #2, ..` where processes can be exchanged: a run for another tuple is
//! one for this under other names. States are then stored up to exchanges of all other processes, and arrows record how
//! they rename them. `docs/liveness.md` has the proof that fairness is decided on the threads of such a graph.

mod arrows;
mod automaton;
mod components;
mod conditions;
mod constraints;
mod explore;
mod graph;
mod instance;
mod lasso;
mod product;
mod sample;
mod walks;

pub use instance::{RunAnswer, RunsChecked, check_runs};
pub use sample::{RunSample, SeenStep, sample_runs};
