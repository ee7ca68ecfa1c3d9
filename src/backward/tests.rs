//! The algebra of cubes and what is built on it, against brute force over small systems.

mod algebra;
mod candidates;
mod covers;
mod pre_images;
mod texts;
mod theory;
mod world;
