//! Compares the algebra of cubes, and the modules built on it, with brute force over small systems.

mod algebra;
mod candidates;
mod counting;
mod covers;
mod others;
mod pre_images;
mod texts;
mod theory;
mod world;
