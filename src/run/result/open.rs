//! How far an undecided run got: what was left, what grew, and what may help.

use std::time::Duration;

use cubicle_lang::model::{Forbidden, Rational, VarId};

/// Something that grew again and again on one path, as if nothing bounded it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Growth {
    /// What grew.
    pub what: Growing,
    /// Its value where the path begins, and where it had come farthest.
    pub values: (Rational, Rational),
    /// The names of the transitions between the last two times that it grew, in the order in which they fire.
    pub cycle: Vec<String>,
}

/// What can grow.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Growing {
    /// The number of processes that a cube names.
    Processes,
    /// A number: the variables of a form (`X - Y`) that cubes bound, or the variable of a cell in explored states.
    Number(Vec<VarId>),
}

/// What a backward search left when it ended without a verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Open {
    /// Nodes that were not examined.
    pub waiting: usize,
    /// All nodes with fewer steps than this to their root were examined.
    pub steps: usize,
    /// For each declaration of bad states that has nodes, in the order of [`System::bad`](cubicle_lang::model::SystemParts::bad);
    /// then for all candidates together.
    pub roots: Vec<OpenRoot>,
    /// What grew on the way to the deepest nodes.
    pub growth: Vec<Growth>,
    /// No run with at most this many steps reaches a bad state, for any number of processes; property-directed search
    /// knows.
    pub proved_steps: Option<usize>,
    /// The states of the smallest nodes that were not examined.
    pub cubes: Vec<Forbidden>,
}

/// The nodes that stem from one declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpenRoot {
    /// `unsafe at line 12`, or `candidates`.
    pub name: String,
    /// Nodes that were examined: expanded, or found covered.
    pub seen: usize,
    /// Nodes that were not.
    pub waiting: usize,
}

/// Something that may lead to a verdict.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Try {
    /// To believe the search that found a proof.
    Unchecked,
    /// An `invariant` of the model that bounds a number.
    Bound {
        /// The variables of the form that grew.
        vars: Vec<VarId>,
        /// Where it began, and how far it came.
        values: (Rational, Rational),
    },
    /// An `invariant` that forbids a state on the path, which is shown with the reason.
    Forbid,
    /// A model that says which process a variable holds.
    Hold,
    /// All kinds of searches in turn.
    Auto,
    /// BRAB with an oracle of this many processes.
    Brab(usize),
    /// Exact search alone, which a short trial has shown to close.
    Classic,
    /// Property-directed search with an oracle of this many processes.
    Pdr(usize),
    /// `invariant`s of the model that no explored state violates, and with which the proof closes if they hold.
    Lemmas(Vec<String>),
    /// An `invariant` of the model that no explored state violates, and that has all states of some nodes that were not examined.
    Lemma {
        /// The `invariant`.
        line: String,
        /// How many nodes, of how many that were looked at.
        nodes: (usize, usize),
    },
    /// An exploration of the instance with this many processes.
    Explore {
        /// Its size.
        procs: usize,
        /// Whether by walks, which go deeper and see less.
        walks: bool,
    },
    /// Breadth-first search instead of walks.
    Exhaustive,
    /// Numbers of the explored states that are kept within bounds, and candidates that bound numbers.
    NumberRange,
    /// Fewer states in the oracle.
    FewerStates,
    /// A model with at most this many processes.
    NumberProcs(usize),
    /// A larger limit.
    More(Limit),
}

/// A limit that ended a run, with its value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Limit {
    /// On the time of the run; `None` when the system set it.
    Time(Option<Duration>),
    /// On memory.
    Memory,
    /// On the nodes of the backward search.
    Nodes(usize),
    /// On its depth.
    Depth(usize),
    /// On the time of one call of the solver.
    SolverTime(Duration),
    /// On the states of an exploration.
    States(usize),
    /// On its time.
    ForwardTime(Duration),
    /// On its depth.
    ForwardDepth(usize),
    /// On its epochs.
    Epochs(usize),
}

/// How often a value must have risen to count as growing.
const LEAST_RISES: usize = 3;

/// Where on a path a value reached its maximum for the last time but one, and for the last time: when it was raised
/// at least three times, and still in the second half of the path. `None` in between: the value is not known there.
pub fn last_rise(values: &[Option<Rational>]) -> Option<(usize, usize)> {
    let mut records: Vec<(usize, Rational)> = Vec::new();
    for (at, value) in values.iter().enumerate() {
        if let Some(value) = *value
            && records.last().is_none_or(|(_, best)| value > *best)
        {
            records.push((at, value));
        }
    }
    let (before, last) = (records.iter().rev().nth(1)?.0, records.last()?.0);
    (records.len() > LEAST_RISES && 2 * last >= values.len()).then_some((before, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rise(values: &[i64]) -> Option<(usize, usize)> {
        last_rise(&values.iter().map(|&n| (n >= 0).then(|| Rational::integer(n))).collect::<Vec<_>>())
    }

    #[test]
    fn a_value_that_rises_three_times_grows() {
        assert_eq!(rise(&[0, 1, 2, 3]), Some((2, 3)));
        assert_eq!(rise(&[0, 0, 1, 1, 2, 2, 3]), Some((4, 6)));
        assert_eq!(rise(&[0, 1, 0, 2, -1, 1, 3, 0]), Some((3, 6)));
    }

    #[test]
    fn a_value_that_stops_rising_does_not_grow() {
        assert_eq!(rise(&[]), None);
        assert_eq!(rise(&[0, 1, 2]), None);
        assert_eq!(rise(&[3, 2, 1, 0]), None);
        assert_eq!(rise(&[0, 1, 2, 3, 3, 3, 3, 3, 3]), None, "it stopped rising");
    }
}
