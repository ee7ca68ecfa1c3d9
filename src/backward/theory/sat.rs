//! The answer of a satisfiability test.

use cubicle_solver::smt::Answer;

/// Answer of a satisfiability test.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sat {
    /// Some state satisfies it.
    Yes,
    /// No state does.
    No,
    /// Not decided here.
    Unknown,
}

impl From<Answer> for Sat {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Sat => Self::Yes,
            Answer::Unsat => Self::No,
            Answer::Unknown(_) => Self::Unknown,
        }
    }
}
