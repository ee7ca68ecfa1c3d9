//! Pre-images: the cubes from which a step of a transition leads into a cube.
//!
//! In: a transition of the model and a cube. Out: cubes, each with the step that it stands for.
//!
//! In reading order: `pre` (what comes out), `transition` (what an update does to a cell), `pre_image` (which
//! processes the arguments are), `step` (the cube before one step), `project` (without the values that `?`
//! chose), `merge` (fewer cubes that say the same).

mod merge;
mod pre;
mod pre_image;
mod project;
mod step;
mod transition;

#[cfg(test)]
pub use merge::merge;
pub use pre::{Pre, PreCounts, PreOptions};
pub use pre_image::pre_image;
#[cfg(test)]
pub use project::{eliminate_constants, eliminate_ghosts};
pub use transition::{Prepared, prepare};
