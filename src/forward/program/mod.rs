//! The compiled program of an instance: its ground transitions and bad cubes, made for speed.
//!
//! In go the system and a number of processes; out comes a compiled instance that takes steps from packed
//! states. In reading order: `code` (what a transition is compiled to), `lower` (literals to tests),
//! `guard_index` (which guards a state does not refute), `sleep` (which steps are in vain), `compiled` (all
//! of it together), `compile`; then what it does: `eval`, `lazy` (cells that nothing has read yet), `step`,
//! `bad`, `deadlock`; `enumerate`, `needed` and `initial`: the states that runs begin with.

pub mod bad;
pub mod code;
pub mod compile;
pub mod compiled;
pub mod deadlock;
pub mod enumerate;
pub mod eval;
pub mod guard_index;
pub mod initial;
pub mod lazy;
pub mod lower;
pub mod needed;
pub mod sleep;
pub mod step;
