//! What the backward engine may ask about forward states.

use crate::model::Literal;

/// What an oracle knows of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Some explored state satisfies it: it is reachable.
    Reached,
    /// No explored state of any instance that is large enough satisfies it.
    Unseen,
    /// It could not be tested: it has more processes than every instance, or it speaks of
    /// something that the instances do not represent.
    Untested,
}

/// Explored forward states, asked whether a cube of theirs is known to be reachable. It only steers the
/// backward search: soundness never depends on it.
pub trait Oracle {
    /// Whether some explored state satisfies `exists distinct p0..p(procs-1). literals`, where the
    /// processes are `ProcRef::Var(0..procs)`. If the system has rigid process constants, they appear
    /// as `ProcRef::Const` and every variable differs from them.
    fn ask(&self, procs: u8, literals: &[Literal]) -> Answer;

    /// The largest instance explored; 0 when there is none.
    fn procs(&self) -> usize;
}

/// The oracle that has seen nothing.
#[derive(Clone, Copy, Debug)]
pub struct Blind;

impl Oracle for Blind {
    fn ask(&self, _procs: u8, _literals: &[Literal]) -> Answer {
        Answer::Untested
    }

    fn procs(&self) -> usize {
        0
    }
}
