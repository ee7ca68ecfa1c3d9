//! From syntax to meaning: name resolution, typing, macro expansion, value ranges, the [`System`] IR,
//! and the reference semantics of states and steps.

mod ir;
mod rational;
pub mod semantics;

pub use ir::*;
pub use rational::Rational;
