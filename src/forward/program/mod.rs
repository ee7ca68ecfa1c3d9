//! The compiled program of an instance: its ground transitions and bad cubes, optimized for speed.
//!
//! The input is the system and a number of processes; the result is a compiled instance that takes steps from packed
//! states. In reading order: `code` (compiled transitions), `counted` (literals to tests, those with counts too),
//! `guard_index` (which guards a state does not refute), `sleep` (which steps are redundant), `dead` (cells that do not matter any more), `choosing` (which values
//! of witnesses a state leaves), `compiled` (all of it together), `compile`; then its operations: `eval`, `lazy` (cells that no step has read yet), `step`,
//! `deadlock` (and whether a state is bad); `enumerate`, `orbits` and `initial`: the initial states.

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
mod orbits;
pub mod sleep;
mod step;

pub use code::{BadInstance, Guard, Instance, Test, Write, WrittenValue};
pub use compiled::{Program, ranges};
pub use dead::Initially;
pub use lazy::{Gaps, Refinement};
pub use sleep::{AWAKE, LevelSleep, SleepId};
pub use step::{ALL_WAYS, FirstWays, Scratch};
