//! The states that an exploration has found, for queries.
//!
//! The input is the visited states; the results are answers about cubes (`bitmap_index`), the views of a few processes
//! (`views`), the instance as a graph (`graph`), and more states on demand (`states`).

pub mod bitmap_index;
pub mod graph;
pub mod states;
pub mod views;
