//! The states that an exploration has seen, as something to be asked.
//!
//! In go the visited states; out come answers about cubes (`bitmap_index`), what few processes look like
//! together (`views`), and more states when they are wanted (`states`).

pub mod bitmap_index;
pub mod states;
pub mod views;
