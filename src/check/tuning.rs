//! The constants of a session: what each trades. None decides about soundness, and none is a time, so that the same
//! command takes the same path on any machine. Efforts and states of `auto` stand in `schedule`.

/// Processes of a forward exploration without a given number: each more multiplies the states, and with two
/// no process is a bystander. By estimate, as all of these.
pub const DEFAULT_PROCS: usize = 3;

/// Effort of the search that is tried before equations between numbers are looked for, in the unit of
/// [`max_effort`](field@cubicle_run::BackwardOptions::max_effort): more is lost where equations are needed, with less they are looked
/// for in vain where a search is short.
pub const EFFORT_WITHOUT_EQUATIONS: u64 = 200;

/// The same search ends at a cube of more processes: where numbers grow, each step adds one, and tests between large cubes take long.
pub const PROCS_WITHOUT_EQUATIONS: usize = 4;

/// Enough for the recursion of any engine on a model within the bounds of the language.
pub const STACK_BYTES: usize = 256 << 20;

/// The larger of the two instances whose runs are explored, when no number is given: with two processes one can starve
/// the other, with three two can do so in turns.
pub const RUN_PROCS: usize = 3;

/// The largest instance whose runs are explored because a ranking failed there: a run in which it does may be part of one
/// that breaks the property.
pub const LOOP_PROCS: usize = 6;

/// Rounds of searches for a proof about a derived system: what does not close within them mostly never does. By measurement.
pub const DERIVED_ROUNDS: u32 = 3;

/// States of one instance whose runs are explored, when no limit is given: with their steps they take some hundred bytes
/// each.
pub const RUN_STATES: usize = 1_000_000;

/// The largest instance of the oracle of a BRAB run, when the search asks for larger ones: more processes refute
/// more candidates, and cost several times the states each.
pub const WIDEST_ORACLE: usize = 8;

/// Processes of an oracle in a model with several sorts: it has as many of each as the search asks for, up to N in all. More take
/// seconds to compile where there are arrays with three indices. By measurement of Paxos.
pub const MOST_OF_SORTS: usize = 10;

/// States of the first exploration that serves a search with K processes, where the options set no limit: most proofs need no more to choose
/// candidates. By measurement of FLASH and German with data, which are proved with the same candidates as with all their states.
pub const FIRST_ORACLE_STATES: usize = 20_000;

/// States that are walked to in place of exploring all, where there are three sorts at least: breadth first, an instance with two processes of each takes longer than
/// the search, and shows no second round. By measurement of Multi-Paxos.
pub const WALKED_OF_SORTS: usize = 30_000;

/// Effort of a search from which all states are worth their time, which repeats the first ones: as long as half of a usual oracle.
pub const EFFORT_FOR_ALL_STATES: u64 = 800;

/// Effort of a turn of the first level from which walks from the states of its oracle are worth their time, which is several times that of exploring these:
/// most proofs of few nodes choose the same candidates without. Later turns would repeat the first one with the same states, so they begin with walks. By
/// measurement of FLASH, German and dispatch protocols.
pub const EFFORT_BEFORE_WALKS: u64 = 200;

/// States that a turn may walk to for each unit of its effort: ten take about as long as a small node.
pub const WALKED_PER_EFFORT: usize = 10;

/// The largest instance that `--procs auto` tries: models whose views never settle have to end somewhere.
pub const LARGEST_SIZE: usize = 16;

/// States of all instances of a model that bounds its processes, once all searches have ended without an answer, when no limit is given.
pub const ALL_SIZES_STATES: usize = 2_000_000;

/// States of one instance with `--procs auto`, when no limit is given: counters never end by themselves, while
/// an instance that is cut can no longer be compared.
pub const STATES_OF_A_SIZE: usize = 1_000_000;

/// Sizes that must look the same, one after the other, for `--procs auto` to end: fewer may be alike by chance, as
/// where only the parity matters; each more costs an instance larger than all so far.
pub const SAME_SIZES: usize = 3;

/// Limits of a search through instances of increasing size.
#[derive(Clone, Copy)]
pub struct SizeLimits {
    /// States that may be stored, over all instances.
    pub states: usize,
    /// The largest instance.
    pub procs: usize,
}

/// Limits of the search for a real trace after spurious ones: there would be no answer otherwise, so it may take
/// a while.
pub const REAL_TRACE_SEARCH: SizeLimits = SizeLimits { states: 300_000, procs: 8 };

/// Limits of the check whether trusted invariants hold: it follows every such proof, so it has to be cheap.
pub const ASSUMPTION_SEARCH: SizeLimits = SizeLimits { states: 20_000, procs: 3 };

/// States of one instance that is explored to see whether an answer is vacuous: this follows every proof, so it has to
/// be cheap. Where an instance is cut, nothing is reported.
pub const VACUITY_STATES: usize = 10_000;

/// Instances of transitions of one such instance: beyond that, compiling them is too expensive.
pub const VACUITY_INSTANCES: usize = 2_000;

/// Literals of the question whether a size has an initial state: a larger one is not passed to Z3.
pub const POPULATED_LITERALS: usize = 50_000;

/// Literals of that question up to which an exploration looks for an initial state first: a context of Z3 takes longer.
pub const EXPLORED_LITERALS: usize = 2_000;

/// Processes of the instances in which a bound is tested before it is proposed.
pub const BOUND_PROCS: usize = 4;

/// States of each of them: the answer is known, and advice must not delay it.
pub const BOUND_STATES: usize = 1_000;

/// How often a larger number is searched for in one of them.
pub const BOUND_STEPS: usize = 12;

/// Effort of searches in a system whose guards ask for less: where that was too little to ask for, they find only runs that the model does not have, and mostly soon.
/// By measurement of Multi-Paxos, which takes 8 000.
pub const RELAXED_EFFORT: u64 = 20_000;
