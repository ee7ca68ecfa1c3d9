//! The states that an exploration has seen, as something to be asked.
//!
//! In go the visited states; out come answers about cubes (`bitmap_index`), what few processes look like
//! together (`views`), the instance as a graph (`graph`), and more states when they are wanted (`states`).

pub mod bitmap_index;
pub mod graph;
pub mod states;
pub mod views;
