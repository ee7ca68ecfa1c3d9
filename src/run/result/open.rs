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
