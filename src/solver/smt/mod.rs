//! Questions about instances: encoding of model terms, satisfiability of formulas over a state, and exact unrolling of runs.
//!
//! Enums are one-hot booleans, processes and outside values are integers (points of the process order),
//! abstract values are integers. `unknown` is always passed on as such.

mod encode;
mod session;
mod unroll;

pub use crate::Answer;
pub use crate::queries::{Query, hardest as hardest_queries, record as record_queries};
pub use session::SolverSession;
pub use unroll::{Path, RunStart, RunTarget, Unrolled, unroll};

use cubicle_lang::model::Literal;

/// A quantifier-free formula over an instance: its processes are `ProcRef::Var(0..)`.
#[derive(Clone, PartialEq, Debug)]
pub enum InstanceFormula {
    /// An atom.
    Literal(Literal),
    /// Conjunction; empty is true.
    All(Vec<InstanceFormula>),
    /// Disjunction; empty is false.
    Any(Vec<InstanceFormula>),
    /// Negation.
    Not(Box<InstanceFormula>),
}
