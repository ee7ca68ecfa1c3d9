//! What a run should do: plain data, filled in by the command line or by a program.
//!
//! Options may grow, so they are made from their defaults, by setters that are called as the fields are:
//!
//! ```
//! use std::time::Duration;
//!
//! use cubicle_run::{ForwardOptions, Options, Strategy};
//!
//! let forward = ForwardOptions::default().strategy(Strategy::Cfl).max_states(100_000).deadlock(true);
//! let options = Options::brab(2).forward(forward).time_limit(Duration::from_secs(60)).jobs(4);
//! assert_eq!((options.forward.jobs, options.backward.jobs), (4, 4));
//! ```

use std::num::NonZero;
use std::time::Duration;

pub use crate::keeping::{Checkpoint, Spill, StoreKind};
use crate::named;
use crate::setters::options;
use crate::verdict::Forbidden;
pub use cubicle_lang::load::KnownVacuity;
use cubicle_lang::model::Conj;

named! {
    /// How a forward exploration chooses its next state.
    #[derive(Default)]
    pub enum Strategy {
        /// Breadth first.
        #[default]
        Bfs = "bfs",
        /// Depth first.
        Dfs = "dfs",
        /// Restarting random walks.
        Random = "random",
        /// Coverage-guided fuzzing: walks steered to unseen combinations of values.
        ///
        /// Conchon and Korneva, SEFM 2023.
        Cfl = "cfl",
    }
}

named! {
    /// How [`Strategy::Cfl`] chooses where and how to walk.
    #[derive(Default)]
    pub enum CflChoice {
        /// By what found new combinations lately, half of them towards guards that never held.
        ///
        /// Bad cubes that never held count as guards do; a short breadth-first search comes first.
        #[default]
        Adaptive = "adaptive",
        /// Uniformly, as published.
        Uniform = "uniform",
    }
}

options! {
    /// Depth-first search that restarts again and again in another random order (RERS): wide and deep,
    /// without memory of dead ends.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub struct Restart {
        /// Depth bound of each search; 30 to 80 is usual.
        pub depth: u32 = 60,
        /// New states after which a search begins anew.
        pub every: usize = 500,
    }
    optional {}
}

options! {
    /// Options of a forward exploration.
    #[derive(Clone, Debug)]
    pub struct ForwardOptions {
        /// Which strategy.
        pub strategy: Strategy = Strategy::Bfs,
        /// Of models with sorts: only the instances with these numbers of processes of sorts, and none of others. Empty: all with the
        /// number of processes.
        pub of_sorts: Vec<(String, usize)> = Vec::new(),
        /// Use process symmetry where the model allows it.
        pub symmetry: bool = true,
        /// Leave cells that init or `:= ?` leaves open undefined until something reads them. Exact, and mostly
        /// fewer states are stored; without it every stored state is one concrete state (numbers aside).
        pub undefined_cells: bool = true,
        /// With `undefined_cells`: leave cells of finite types undefined again where what they hold does not matter, since nothing reads it before it is written
        /// again. Exact, too: states that differ in such cells only are one. Not for the states of an oracle, which candidates ask for what cells hold.
        pub merge_dead: bool = false,
        /// Look for deadlocks.
        pub deadlock: bool = false,
        /// Seed of the random strategies.
        pub seed: u64 = 0,
        /// Stop at the first unsafe state. Otherwise a run to each bad cube that is met is kept.
        pub stop_at_unsafe: bool = true,
        /// Walks only: after an error (bad state or deadlock), search breadth first from the states shortly
        /// before it.
        pub jumpstart: bool = false,
        /// What every process satisfies at an expected end, over `ProcRef::Var(0)`: such a state is not a
        /// deadlock. Empty: no end is expected.
        pub expected_end: Conj = Conj::new(),
        /// How [`Strategy::Cfl`] chooses.
        pub cfl_choice: CflChoice = CflChoice::Adaptive,
        /// Number of threads; at least 1. The outcome does not depend on it.
        pub jobs: usize = 1,
        /// How states are kept.
        pub store: StoreKind = StoreKind::Table,
    }
    optional {
        /// States at this depth are stored and not expanded.
        pub depth: usize,
        /// Stop when this many states have been stored.
        pub max_states: usize,
        /// Breadth-first search: stop already at this many states if levels still grow fast there.
        pub steep: usize,
        /// Breadth-first search: stop soon after a transition of each of these declarations has fired
        /// ([`Transition::origin`](cubicle_lang::model::Transition::origin)), and there is a state.
        pub until_fired: Vec<u16>,
        /// Stop after this much CPU time per worker.
        pub time: Duration,
        /// Keep numbers within these bounds: a step that leaves them is disabled, and a number that init or
        /// `:= ?` leaves open is one of them. An exploration that this cuts ends in
        /// [`Stop::Numbers`](crate::result::Stop::Numbers).
        pub number_range: (i64, i64),
        /// With [`Strategy::Dfs`]: restart it, in random orders.
        pub restart: Restart,
        /// Stop [`Strategy::Random`] and [`Strategy::Cfl`] after this many epochs. With the same seed, a run
        /// that took N epochs is repeated exactly with N here, whatever ended it.
        pub epochs: usize,
        /// Stop when the states take about this many bytes.
        pub memory: usize,
        /// [`Strategy::Bfs`] only: keep a checkpoint, or resume one.
        pub checkpoint: Checkpoint,
        /// [`Strategy::Bfs`] only: continue on disk when the memory is full.
        pub spill: Spill,
    }
}

named! {
    /// Order in which the backward search takes nodes.
    #[derive(Default)]
    pub enum SearchOrder {
        /// First in, first out.
        #[default]
        Bfs = "bfs",
        /// Last in, first out.
        Dfs = "dfs",
        /// Smallest cube first, then the shallowest.
        ///
        /// A heap: few processes, few literals, candidates, shallow.
        Bfsh = "bfsh",
        /// Smallest cube first, then the deepest.
        ///
        /// A heap: few processes, few literals, candidates, deep.
        Dfsh = "dfsh",
        /// As bfs, approximations first.
        Bfsa = "bfsa",
        /// As dfs, approximations first.
        Dfsa = "dfsa",
    }
}

/// Which nodes wait until the queue is empty.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Postpone {
    /// None.
    Never,
    /// Those with more processes than their child.
    MoreProcesses,
    /// Those with a universal part, or that say nothing new about their child's processes.
    NoInformation,
}

named! {
    /// Which solver decides the tests that syntactic subsumption does not settle.
    #[derive(Default)]
    pub enum SolverMode {
        /// The finite-domain procedure, Z3 only where it is not complete.
        #[default]
        Layered = "layered",
        /// Always Z3.
        Z3 = "z3",
    }
}

options! {
    /// Options of the backward search.
    #[derive(Clone, Debug)]
    pub struct BackwardOptions {
        /// Threads. The result does not depend on it.
        pub jobs: usize = 1,
        /// Cubes that may be unreachable: candidates from the start, which are proved, or dropped where they are reachable.
        pub proposed: Vec<Forbidden> = Vec::new(),
        /// Give up beyond this many nodes.
        pub max_nodes: usize = 100_000,
        /// Effort of a search with approximations from which candidates are chosen anew, with others in mind, where it has not closed; nine times
        /// that with an oracle of fewer than three processes. With a limit on the effort this is done at its end.
        pub network_at: u64 = 800,
        /// Give up beyond this depth.
        pub max_depth: usize = 100,
        /// Which solver decides hard tests.
        pub solver: SolverMode = SolverMode::Layered,
        /// Remove visited nodes that a new one subsumes.
        pub delete: bool = true,
        /// Use the value ranges of enum symbols.
        pub ranges: bool = true,
        /// Eliminate positive constants (over-approximation).
        pub eliminate_constants: bool = true,
        /// Take user invariants for granted instead of proving them.
        pub trust_invariants: bool = false,
        /// Admit numeric literals into candidates.
        pub numeric_candidates: bool = false,
        /// Time limit of one solver call.
        pub solver_timeout: Duration = Duration::from_secs(10),
        /// Measure the phases of the search; costs a few percent.
        pub profile: bool = false,
    }
    optional {
        /// Order of the queue. Without one: first in, first out, or what [`BackwardMode::Auto`] chooses.
        pub order: SearchOrder,
        /// Which nodes to postpone; the default depends on the order.
        pub postpone: Postpone,
        /// Candidates have at most this many literals plus one, and at most as many processes as the oracle's
        /// instance (three, once larger ones were explored). `None`: as many literals as processes, plus one.
        pub candidate_size: NonZero<usize>,
        /// Try at most this many candidates a node.
        pub max_candidates: usize,
        /// Give up beyond this effort, over all restarts: nodes, calls of Z3, and what the nodes ask for, in
        /// units that take about as long (transition instances, questions to the oracle, clauses of hard tests).
        pub max_effort: u64,
    }
}

named! {
    /// Methods of a proof for any number of processes.
    pub enum Method {
        /// Short searches first, with approximations and without, then longer ones.
        Auto = "auto",
        /// Backward search with approximations (BRAB), K = 2 unless `brab K` says otherwise.
        Brab = "brab",
        /// Property-directed search (IC3/PDR) with the same approximations, K likewise.
        Pdr = "pdr",
        /// Backward search without approximations.
        Classic = "classic",
    }
}

/// How to search for a proof for any number of processes: a [`Method`], with its number of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum BackwardMode {
    /// Short searches first, exact and approximate with oracles of two processes and more, then longer
    /// ones, until one of them decides.
    #[default]
    Auto,
    /// Exact backward reachability, without approximation.
    Classic,
    /// BRAB with an oracle of this many processes.
    Brab(usize),
    /// Property-directed search (IC3/PDR), with candidates that an oracle of this many processes has not seen.
    Pdr(usize),
}

impl BackwardMode {
    /// The method alone.
    pub const fn method(self) -> Method {
        match self {
            Self::Auto => Method::Auto,
            Self::Classic => Method::Classic,
            Self::Brab(_) => Method::Brab,
            Self::Pdr(_) => Method::Pdr,
        }
    }

    /// The processes of the instance that guides approximation, if there is one.
    pub const fn oracle_procs(self) -> Option<usize> {
        match self {
            Self::Brab(procs) | Self::Pdr(procs) => Some(procs),
            Self::Auto | Self::Classic => None,
        }
    }
}

/// Size of a forward exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Procs {
    /// This many processes.
    Exactly(usize),
    /// Increasing numbers of processes, until larger instances look the same; see
    /// [`Enough`](crate::result::Enough).
    Auto,
}

named! {
    /// What to do about a verdict that may be vacuous; see [`Vacuous`](crate::result::Vacuous).
    #[derive(Default)]
    pub enum Vacuity {
        /// Warn.
        #[default]
        Warn = "warn",
        /// Give no answer: exit code 3.
        Error = "error",
        /// Do not check.
        Ignore = "ignore",
    }
}

options! {
    /// Options of a whole run.
    #[derive(Clone, Debug)]
    pub struct Options {
        /// How to search for a proof.
        pub proof: BackwardMode = BackwardMode::Auto,
        /// Explore all smaller instances too.
        pub up_to: bool = false,
        /// Stop after the forward exploration.
        pub only_forward: bool = false,
        /// An exploration that finds nothing wrong answers nothing unless it has seen all states.
        pub require_complete: bool = false,
        /// Do not check properties of runs; the report says nothing about them.
        pub only_states: bool = false,
        /// SAFE only with a proof, which a certificate can be made of: not because all instances were explored.
        pub needs_proof: bool = false,
        /// The forward exploration.
        pub forward: ForwardOptions = ForwardOptions::default(),
        /// How the states of the instances that [`procs`](field@Self::procs) asks for are kept, when nothing is proved.
        pub store: StoreKind = StoreKind::Table,
        /// The backward search.
        pub backward: BackwardOptions = BackwardOptions::default(),
        /// What to do about a verdict that may be vacuous.
        pub vacuity: Vacuity = Vacuity::Warn,
        /// What is already known about vacuity.
        pub known_vacuity: KnownVacuity = KnownVacuity::default(),
        /// Do not have proofs checked: the answer is that of the search alone, and the report says so.
        pub unchecked: bool = false,
    }
    optional {
        /// Size of a forward exploration without [`BackwardMode::Brab`].
        pub procs: Procs,
        /// Where the exploration of an instance keeps its checkpoint. There must be only one to explore, breadth first.
        pub checkpoint: Checkpoint,
        /// Where that exploration continues when its memory is full, instead of keeping a checkpoint.
        pub spill: Spill,
        /// [`BackwardMode::Auto`]: give up after this many rounds of searches, each with more effort than the one before.
        pub rounds: u32,
        /// [`BackwardMode::Auto`]: give up once its searches together took this effort, in the unit of [`BackwardOptions::max_effort`].
        pub most_effort: u64,
        /// End the whole run after this time.
        pub time_limit: Duration,
    }
}

impl Options {
    /// Proves with BRAB, with an oracle of this many processes.
    #[must_use]
    pub fn brab(procs: usize) -> Self {
        Self::default().proof(BackwardMode::Brab(procs))
    }

    /// Proves without approximation.
    #[must_use]
    pub fn classic() -> Self {
        Self::default().proof(BackwardMode::Classic)
    }

    /// Only explores the instance with this many processes.
    #[must_use]
    pub fn explore(procs: usize) -> Self {
        Self::default().procs(Procs::Exactly(procs)).only_forward(true)
    }

    /// Sets the number of threads of all engines. The outcome does not depend on it.
    #[must_use]
    pub const fn jobs(mut self, jobs: usize) -> Self {
        self.forward.jobs = jobs;
        self.backward.jobs = jobs;
        self
    }

    /// Looks for deadlocks, too.
    #[must_use]
    pub const fn deadlocks(mut self) -> Self {
        self.forward.deadlock = true;
        self
    }

    /// Sets the seed of the random strategies.
    #[must_use]
    pub const fn seed(mut self, seed: u64) -> Self {
        self.forward.seed = seed;
        self
    }
}
