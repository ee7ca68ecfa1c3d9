//! What the backward engine may ask about forward states.

use serde::{Deserialize, Serialize};

use crate::observer::Observer;
use crate::verdict::{Forbidden, Trace};

/// What an oracle knows of a candidate.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum OracleAnswer {
    /// Some explored state satisfies it: it is reachable.
    Reached,
    /// No explored state of any instance that is large enough satisfies it.
    Unseen,
    /// It could not be tested: it has more processes than every instance, or it mentions
    /// something that the instances do not represent.
    Untested,
}

impl OracleAnswer {
    /// The answer of several: one that has reached it is enough, and else one that could test it. No more answers are taken than needed.
    pub fn of_all(answers: impl IntoIterator<Item = Self>) -> Self {
        let mut known = Self::Untested;
        for answer in answers {
            match answer {
                Self::Reached => return Self::Reached,
                Self::Unseen => known = Self::Unseen,
                Self::Untested => {}
            }
        }
        known
    }
}

/// What an oracle found when it was asked to explore further.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OracleGrowth {
    /// Nothing new: there is nothing left, or this oracle does not grow.
    Nothing,
    /// This many more states, so that some answers may change from [`OracleAnswer::Unseen`] to [`OracleAnswer::Reached`].
    More(u64),
    /// A run to a bad state.
    Unsafe(Box<Trace>),
}

/// What a search for one candidate did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sought {
    /// Whether a state satisfies it: it is [`OracleAnswer::Reached`] from then on.
    pub found: bool,
    /// States that were looked at.
    pub states: u64,
}

/// Explored forward states, which tell whether a cube is known to be reachable. An oracle only steers the
/// backward search: soundness never depends on it.
pub trait Oracle {
    /// Whether some explored state is among those of a candidate. If the system has rigid process constants, they appear
    /// as `ProcRef::Const` and every parameter differs from them.
    fn ask(&self, candidate: &Forbidden) -> OracleAnswer;

    /// Searches for a state that satisfies an unseen candidate, among at most `most` states of each instance of which not all are known. Deterministic.
    fn seek(&self, _candidate: &Forbidden, _most: u64) -> Sought {
        Sought::default()
    }

    /// Adds a run of the system (to a candidate that turned out to be reachable, say), so that
    /// cubes which the states of the run satisfy are [`OracleAnswer::Reached`] from now on.
    fn learn(&self, _trace: &Trace) {}

    /// Called before questions, with the effort that the search has spent: explores what waits until a search asks, and further where the
    /// search has become long. Mostly there is nothing to do. Deterministic.
    fn prepare(&self, _spent: u64, _observer: &mut dyn Observer) -> OracleGrowth {
        OracleGrowth::Nothing
    }

    /// Explores further, for at most `most` states and about the cost of its work so far; worthwhile when too
    /// many candidates turn out to be reachable. Deterministic.
    fn grow(&self, _most: u64, _observer: &mut dyn Observer) -> OracleGrowth {
        OracleGrowth::Nothing
    }

    /// Explores an instance with one process more; worthwhile when the search becomes long.
    /// Deterministic.
    fn widen(&self) -> OracleGrowth {
        OracleGrowth::Nothing
    }
}
