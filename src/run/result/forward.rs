//! What an exploration of one instance returns.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Growth;
use crate::verdict::{Stop, Trace};

/// The technique that does not look for new combinations.
pub const AROUND_DEADLOCKS: &str = "around deadlocks";

/// A technique of walks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "TechniqueFigures")]
pub struct TechniqueReport {
    /// Its name.
    pub name: &'static str,
    /// Walks.
    #[serde(rename = "walks")]
    pub runs: u64,
    /// Steps taken.
    pub steps: u64,
    /// States that were new.
    pub states: u64,
    /// Combinations that were new.
    pub combinations: u64,
    /// Time spent, summed over the workers.
    #[serde(skip)]
    pub time: Duration,
}

/// How far an exploration had come at some point.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CurvePoint {
    /// Steps of walks, or the depth that a breadth-first search had reached.
    pub work: u64,
    /// States stored.
    pub states: usize,
    /// Of these, how many each of [`Exploration::techniques`] found; empty without walks.
    pub techniques: Vec<u64>,
}

/// The result of exploring one instance.
#[derive(Clone, Debug, Default)]
pub struct Exploration {
    /// Number of processes.
    pub procs: usize,
    /// In an instance in which that is fixed: how many of them are of each sort.
    pub sorts: Vec<(String, usize)>,
    /// States stored (orbits, with symmetry).
    pub states: usize,
    /// Whether `states` counts orbits.
    pub symmetry: bool,
    /// Whether some cell may be undefined in stored states, so that one stands for several concrete
    /// states.
    pub compressed: bool,
    /// With [`StoreKind::Bitstate`](crate::options::StoreKind::Bitstate): how many states are expected to have been taken for others, beside
    /// what only they lead to.
    pub missed: Option<f64>,
    /// Largest depth of a stored state.
    pub depth: usize,
    /// Why it ended.
    pub stop: Stop,
    /// With [`Stop::Storage`]: the file that could not be written or read, and why.
    pub fault: Option<String>,
    /// A run to an unsafe state, when one was met.
    pub unsafe_trace: Option<Trace>,
    /// Runs to further bad cubes, one for each, when the exploration does not stop at the first.
    pub more_unsafe_traces: Vec<Trace>,
    /// Runs to the first deadlocked states that count; at most 256 of each kind, and fewer when they are long.
    /// A deadlock counts when some run leads to it without an outside value that init or `:= ?` merely
    /// allows; these are such runs. The others are apart, in `outside_deadlocks`.
    pub deadlocks: Vec<Trace>,
    /// Number of stored states that stand for a deadlocked one, of both kinds.
    pub deadlock_states: usize,
    /// Runs to deadlocked states that are known not to count.
    pub outside_deadlocks: Vec<Trace>,
    /// Number of deadlocked states of the second kind, as far as is known.
    pub outside_deadlock_states: usize,
    /// Deadlocked states of which it is not known whether they are of the second kind: a limit ended the
    /// search of runs without such values. 0 when `deadlocks` has a run.
    pub unclear_deadlock_states: usize,
    /// How often each transition fired, by its number. Exhaustive search leaves out steps to states that it
    /// meets anyway, but never the first step of a transition.
    pub fired: Vec<u64>,
    /// Numbers that grew on the way to the state that was met last, when not all states were seen.
    pub growth: Vec<Growth>,
    /// Seed of the random strategies.
    pub seed: u64,
    /// Epochs of walks: with the same seed and `epochs` set to this, the run repeats exactly.
    pub epochs: usize,
    /// Combinations of (cell, value) seen, up to renaming: how many cells each has, and how many there
    /// are. Only walks count them, and not those around deadlocks.
    pub combinations: Option<(usize, usize)>,
    /// What each technique of a walk contributed.
    pub techniques: Vec<TechniqueReport>,
    /// How the states grew, in order; at most some hundred points, none of a depth-first search.
    pub curve: Vec<CurvePoint>,
}

impl Exploration {
    /// The result for an instance of which no state was seen, for this reason.
    pub fn none(procs: usize, stop: Stop) -> Self {
        Self { procs, stop, ..Self::default() }
    }
}
