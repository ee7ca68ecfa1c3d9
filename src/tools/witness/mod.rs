//! A run that shows something harmless: that a transition is taken, a state reached, or a mutant does what the model
//! does not.
//!
//! In: a model and a [`WitnessGoal`]. Out: a run without bad states that reaches it and covers much on the way, or the proof
//! that no instance has one. In reading order: `goal` (what is looked for), `graph` (states and steps of a small instance,
//! by the reference semantics), `cover` (a way through them), `find` (small instances, then the engines).
//!
//! A run is replayed by the reference semantics before it is shown. The absence of a run is reported only when the backward
//! search proves it for every number of processes.

mod cover;
mod find;
mod goal;
mod graph;
#[cfg(test)]
mod tests;

pub use find::{NoWitness, WitnessAnswer, WitnessOptions, declares, find};
pub use goal::WitnessGoal;
