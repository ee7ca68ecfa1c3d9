//! The verdict type of all engines.

use serde::{Deserialize, Serialize};

use crate::named;

pub use cubicle_lang::model::Forbidden;
pub use cubicle_lang::model::semantics::Trace;

named! {
    /// Why an exploration ended.
    #[derive(Default, Deserialize)]
    pub enum Stop {
        /// Every reachable state was seen.
        #[default]
        Complete = "complete",
        /// All states that were found were expanded, but some may have been mistaken for others.
        ///
        /// See [`StoreKind::Bitstate`](crate::options::StoreKind::Bitstate).
        Bitstate = "bitstate",
        /// States at the bound on depth were not expanded.
        Depth = "depth",
        /// The limit on states.
        States = "states",
        /// The limit on time.
        ///
        /// That of the exploration or of the run.
        Time = "time",
        /// The limit on memory.
        Memory = "memory",
        /// An unsafe state was met.
        ///
        /// And the options ask to stop there.
        Unsafe = "unsafe",
        /// A number left its range.
        ///
        /// Not every number could be followed: one left the 64-bit range or `number_range`, or one that
        /// nothing bounds was read before it was written. All states found are real, but others may be missing.
        Numbers = "numbers",
        /// The given number of epochs of walks.
        Epochs = "epochs",
        /// Each transition had fired.
        ///
        /// Each of the given ones.
        Fired = "fired",
        /// A signal.
        Interrupted = "interrupted",
        /// A state with too many successors.
        Wide = "wide",
        /// The instance is too large.
        ///
        /// It has too many cells, values or ground transitions to be explored at all.
        TooLarge = "too_large",
        /// The model has no instance of this size.
        NoInstance = "no_instance",
        /// A file could not be written or read.
        Storage = "storage",
        /// A process of the cluster was lost, or did not join.
        Cluster = "cluster",
    }
}

/// An exploration that did not see all states.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Cut {
    /// Processes of the instance.
    pub procs: usize,
    /// States that were seen.
    pub states: usize,
    /// Why it ended.
    pub stop: Stop,
}

/// Why there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Reason {
    /// The node limit was reached.
    Nodes(usize),
    /// The limit on effort was reached.
    Effort(u64),
    /// The depth limit was reached.
    Depth(usize),
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The solver answered `unknown` where the proof depends on it.
    SolverUnknown(String),
    /// Only error traces were found that no instance executes; the shortest one, as text, with the condition that it fails to meet, where one is known.
    Spurious(String),
    /// A number left the 64-bit range, or a cube names more processes than one can hold.
    Overflow,
    /// The operating system gave no thread to run on: its error.
    Threads(String),
    /// A checkpoint could not be written or read: why.
    Storage(String),
    /// A process of the cluster was lost, or did not connect: which one, and why.
    Cluster(String),
    /// The checker refuses the proof, which is a bug of this program: the obligation that failed, as text.
    Uncertified(String),
    /// A proof was found, but it is not known whether the checker accepts it: what ended the check, or the obligation that is open, as in
    /// [`Reason::Uncertified`].
    Unconfirmed(Box<Self>),
    /// Deadlocks were met, but every explored run to one needs an outside value that nothing
    /// forces. The number of deadlocked states of which that is not known.
    Deadlocks(usize),
    /// Nothing wrong was found, but not all states were seen, and the options do not allow that.
    Partial(Cut),
    /// There is an answer, but also this number of reasons why it is vacuous
    /// ([`Report::vacuous`](crate::result::Report::vacuous)).
    Vacuous(usize),
    /// There is an answer, but also this number of warnings, which the user denied.
    Denied(usize),
    /// A property of runs holds in the instances with these numbers of processes, and is open for others.
    Runs {
        /// The first such property.
        property: Box<str>,
        /// Numbers of processes.
        procs: Vec<usize>,
        /// How many are of each sort, where the options say so.
        of_sorts: Box<[(String, usize)]>,
        /// Why it is not proved.
        why: Option<Unproved>,
    },
    /// No run reaches what these properties ask for, in instances that were explored completely.
    NotReached(Vec<String>),
    /// The user interrupted the run (signal number).
    Interrupted(i32),
}

/// Why a property of runs is not proved for any number of processes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Unproved {
    /// No ranking is looked for, for this reason.
    Unranked(String),
    /// No ranking was found that could be proved. A state in which nothing is known to help, and its number of processes; `None` where rankings of small
    /// instances were found, but not proved.
    NoRanking(Option<(usize, String)>),
    /// The search for the proof ended without an answer.
    Search(Box<Reason>),
}

/// Why an exploration ends when the run as a whole must.
impl From<Reason> for Stop {
    fn from(why: Reason) -> Self {
        match why {
            Reason::Interrupted(_) => Self::Interrupted,
            Reason::Memory => Self::Memory,
            Reason::Cluster(_) => Self::Cluster,
            _ => Self::Time,
        }
    }
}

/// The verdict of a run. Every reader of verdicts has to handle each case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// No bad state is reachable, for any number of processes.
    Safe,
    /// A bad state is reachable; here is a run.
    Unsafe(Box<Trace>),
    /// Not decided.
    Unknown(Reason),
}

impl Verdict {
    /// For a log: the verdict without its run, and why there is none.
    pub fn words(&self) -> (&'static str, Option<tracing::field::DebugValue<&Reason>>) {
        match self {
            Self::Safe => ("safe", None),
            Self::Unsafe(_) => ("unsafe", None),
            Self::Unknown(reason) => ("unknown", Some(tracing::field::debug(reason))),
        }
    }
}
