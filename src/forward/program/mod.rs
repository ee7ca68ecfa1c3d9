//! The compiled program of an instance: its ground transitions and bad cubes, made for speed.
//!
//! In go the system and a number of processes; out comes a compiled instance that takes steps from packed
//! states. In reading order: `code` (what a transition is compiled to), `lower` (literals to tests),
//! `guard_index` (which guards a state does not refute), `sleep` (which steps are in vain), `compiled` (all
//! of it together), `compile`; then what it does: `eval`, `lazy` (cells that nothing has read yet), `step`,
//! `bad`, `deadlock`.

pub(in crate::forward) mod bad;
pub(in crate::forward) mod code;
pub(in crate::forward) mod compile;
pub(in crate::forward) mod compiled;
pub(in crate::forward) mod deadlock;
pub(in crate::forward) mod eval;
pub(in crate::forward) mod guard_index;
pub(in crate::forward) mod lazy;
pub(in crate::forward) mod lower;
pub(in crate::forward) mod sleep;
pub(in crate::forward) mod step;
