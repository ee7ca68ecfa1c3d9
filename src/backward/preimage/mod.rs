//! Pre-images: the cubes from which a step of a transition leads into a cube.
//!
//! In: a transition of the model and a cube. Out: cubes, each with its step.
//!
//! In reading order: `pre` (the result, merged into fewer cubes with the same union), `transition` (the effect of an update on a cell), `pre_image` (the
//! choice of arguments), `step` (the cube before one step, with `choices`, what is left of disjunctions), `project` (eliminates the values that `?`
//! chose), `axioms` and `witness` (processes that universal guards are about besides), `pointer` (processes that pointers hold).

mod axioms;
mod choices;
mod pointer;
mod pre;
mod pre_image;
mod project;
mod step;
mod transition;
mod witness;

pub use choices::{Choice, narrow};
pub use pointer::by_holders;
#[cfg(test)]
pub use pre::merge;
pub use pre::{Pre, PreCounts, PreOptions};
pub use pre_image::pre_image;
#[cfg(test)]
pub use project::{eliminate_constants, eliminate_ghosts};
pub use transition::{Prepared, prepare};
