//! Whether a cube has a state at all, decided without a solver where that is possible.
//!
//! In: a cube under construction. Out: yes, no, or not decided here.
//!
//! In reading order: `sat` (the answer), `satisfiable` (splits on finite domains; equality and
//! the process order), `feasible` (linear arithmetic), `fourier_motzkin` (its projection).

mod feasible;
mod fourier_motzkin;
mod sat;
mod satisfiable;

pub use feasible::{rows_seen, satisfiable as linearly_satisfiable};
pub use fourier_motzkin::{consequences, project};
pub use sat::Sat;
pub use satisfiable::{counted, satisfiable};
