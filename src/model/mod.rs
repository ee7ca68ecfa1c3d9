//! From syntax to meaning: name resolution, typing, macro expansion, value ranges, the [`System`] IR,
//! and the reference semantics of states and steps.

mod axioms;
pub mod classes;
mod compare;
mod context;
mod dnf;
mod elaborate;
mod formula;
mod initially;
mod ir;
mod limits;
mod linear;
mod lints;
mod liveness;
mod ltl;
mod mismatch;
mod names;
mod number;
mod origins;
mod owner;
mod properties;
mod ranges;
mod rational;
pub(crate) mod rename;
mod scope;
pub mod semantics;
mod subsumes;
mod symbols;
mod system;
mod temporal;
mod terms;
mod transitions;
mod tuning;
pub mod union_find;
mod updates;

pub(crate) use axioms::negated;
pub use elaborate::elaborate;
pub use initially::is_initially;
pub use ir::*;
pub use ltl::Ltl;
pub use owner::{Owner, owner_names};
pub use rational::{Rational, gcd, lcm};
pub use subsumes::forbids_all_of;
pub use system::System;
pub use temporal::{Case, Condition, Fairness, LtlProperty, Temporal, TemporalKind};
