//! Property-directed search: cubes are shown to be unreachable within one step, two steps and so on, until the cubes
//! shown for one number of steps hold for one more (Bradley, VMCAI 2011; over any number of processes, as Karbyshev et al.,
//! CAV 2015).
//!
//! In: a run with its bad cubes. Out: how it ends; where it is safe, the visited cubes of the run are the inductive
//! frame.
//!
//! Differences from the textbook: predecessors are exact pre-images, so obligations are cubes over some processes and
//! not single states; and each obligation is first replaced by a candidate that no forward state satisfies, so that
//! learned cubes are general from the start. A reachable candidate ends its own branch only, where BRAB
//! restarts; and no frame depends on one.
//!
//! In reading order: `frames` (cubes known to be unreachable within a number of steps), `block` (obligations to
//! block a cube), `drive` (frame by frame).

mod block;
mod drive;
mod frames;

pub use drive::drive;
