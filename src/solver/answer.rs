//! What became of a query.

/// What became of a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// There is a state: [`Solver::get_model`](super::Solver::get_model).
    Sat,
    /// There is none: [`Solver::get_unsat_core`](super::Solver::get_unsat_core).
    Unsat,
    /// Z3 did not find out, for this reason.
    Unknown(String),
}

impl Answer {
    /// [`Query::answer`](super::queries::Query::answer) for the result of a query.
    pub(super) const fn word(answer: Option<&Self>) -> &'static str {
        match answer {
            Some(Self::Sat) => "sat",
            Some(Self::Unsat) => "unsat",
            Some(Self::Unknown(_)) => "unknown",
            None => "no answer",
        }
    }
}
