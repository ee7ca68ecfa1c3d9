//! The compiled program of an instance: its ground transitions and bad cubes, optimized for speed.
//!
//! The input is the system and a number of processes; the result is a compiled instance that takes steps from packed
//! states. In reading order: `code` (compiled transitions), `lower` (literals to tests), `counted` (those with counts),
//! `guard_index` (which guards a state does not refute), `sleep` (which steps are redundant), `dead` (cells that do not matter any more), `choosing` (which values
//! of witnesses a state leaves), `compiled` (all of it together), `compile`; then its operations: `eval`, `lazy` (cells that no step has read yet), `step`,
//! `bad`, `deadlock`; `enumerate`, `orbits`, `needed`, `choices` (of witnesses) and `initial`: the initial
//! states.

pub mod bad;
pub mod choices;
pub mod choosing;
pub mod code;
pub mod compile;
pub mod compiled;
pub mod counted;
pub mod dead;
pub mod deadlock;
pub mod enumerate;
pub mod eval;
pub mod guard_index;
pub mod initial;
pub mod lazy;
pub mod lower;
pub mod needed;
pub mod orbits;
pub mod sleep;
pub mod step;
