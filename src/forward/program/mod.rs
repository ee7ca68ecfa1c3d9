//! The compiled program of an instance: its ground transitions and bad cubes, optimized for speed.
//!
//! The input is the system and a number of processes; the result is a compiled instance that takes steps from packed
//! states. In reading order: `code` (compiled transitions), `lower` (literals to tests), `counted` (those with counts),
//! `guard_index` (which guards a state does not refute), `sleep` (which steps are redundant), `dead` (cells that do not matter any more), `choosing` (which values
//! of witnesses a state leaves), `compiled` (all of it together), `compile`; then its operations: `eval`, `lazy` (cells that no step has read yet), `step`,
//! `bad`, `deadlock`; `enumerate`, `orbits`, `needed`, `choices` (of witnesses) and `initial`: the initial
//! states.

mod bad;
mod choices;
mod choosing;
pub mod code;
mod compile;
mod compiled;
mod counted;
mod dead;
mod deadlock;
mod enumerate;
mod eval;
mod guard_index;
mod initial;
mod lazy;
mod lower;
pub mod needed;
mod orbits;
pub mod sleep;
mod step;

pub use code::{BadInstance, Guard, Instance, Test, Write, WrittenValue};
pub use compiled::{Program, ranges};
pub use dead::Initially;
pub use lazy::{Gaps, Refinement};
pub use sleep::{AWAKE, LevelSleep, SleepId};
pub use step::{ALL_WAYS, FirstWays, Scratch};
