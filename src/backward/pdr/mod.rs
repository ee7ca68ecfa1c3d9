//! Property-directed search: cubes are shown to be unreachable within one step, two steps and so on, until what was
//! shown for one number of steps holds for one more (Bradley, VMCAI 2011; over any number of processes, as Karbyshev et al.,
//! CAV 2015).
//!
//! In: a run with its bad cubes. Out: how it ends; where it is safe, the visited cubes of the run are the frame that is
//! inductive.
//!
//! What differs from the textbook: predecessors are exact pre-images, so obligations are cubes over some processes and
//! not single states; and each obligation is first replaced by a candidate that no forward state satisfies, so that
//! what is learned is general from the start. A candidate that is reachable ends its own branch only, where BRAB
//! begins again; and no frame rests on one.
//!
//! In reading order: `frames` (what is known to be unreachable within how many steps), `obligation` (what is to be
//! shown), `block` (how), `drive` (frame by frame).

mod block;
mod drive;
mod frames;
mod obligation;

pub use drive::drive;
