//! Constants that trade one resource for another in explorations, by subject.
//!
//! They were chosen by measurement on the models of `benches/` and of the literature; `cargo bench --bench forward`
//! shows the effect of each.

use std::time::Duration;

// Compiling an instance: larger ones are refused, or lack something that would cost more than it saves.

/// The number of clauses among which an equal one is sought.
pub const EQUAL_CLAUSE_WINDOW: usize = 64;
/// With more disjuncts than this the instance is refused as too large.
pub const MAX_DISJUNCTS: usize = 1 << 18;
/// Instances of no more cells than this are explored.
pub const MAX_CELLS: usize = 1 << 12;
/// ...and of no more cells than this with those at processes of other sorts than those of the indices, which states do not have.
pub const MAX_POSITIONS: usize = 1 << 18;
/// Instances of no more ground transitions than this are explored.
pub const MAX_INSTANCES: usize = 1 << 20;
/// Instances of no more processes than this are explored.
pub const MAX_PROCS: usize = 100;
/// Beyond this many instances no steps are left out: the sets would not stay in the caches.
pub const MAX_SLEEPING: usize = 2048;
/// Tables of renamed instances have at most this size.
pub const MAX_RENAMED: usize = 1 << 16;
/// Bounded numbers with no more values than this are enumerated; others are sampled.
pub const MAX_INTERVAL: i128 = 4096;
/// With more ways to satisfy init than this, the values that an initial state needs are not determined.
pub const MAX_COMPARED: usize = 1 << 10;
/// Of the choices of init, this many are made before those are left out that only rename processes: small models have
/// fewer, and need no canonical forms of them.
pub const PLAIN_CHOICES: usize = 256;
/// The most bytes of partly defined initial states that are kept to leave out others.
pub const MAX_ORBIT_BYTES: usize = 1 << 26;
/// Groups of the guard index have at most this many bits.
pub const MAX_GROUP_BITS: u8 = 9;
/// All rows of the guard index should stay within this many words, so that they stay in cache.
pub const MAX_ROW_WORDS: usize = 1 << 15;
/// The largest denominator of stored reals: products of them should stay within 64 bits.
pub const MAX_SCALE: i64 = 1 << 20;
/// The most samples for an unbounded number.
pub const MAX_SAMPLES: usize = 6;
/// Rows of `Exchangeable` for no more processes than this.
pub const MAX_EXCHANGEABLE: usize = 9;
/// The most permutations tried of one state: all those of eight processes. Beyond, the best
/// one so far stands for the orbit; a large orbit that is all ties may then be stored in a few parts,
/// which costs states and nothing else.
pub const MAX_TRIED: u32 = 40_320;

// The store: memory against memory latency.

/// Parts of the table of a large set.
pub const SHARDS: usize = 64;
/// Initial buckets of a part.
pub const FIRST_BUCKETS: usize = 16;
/// Buckets and states read ahead at a time.
pub const TOUCH_GROUP: usize = 64;
/// Assumed bytes of a packed state: room for them is kept free as long as states may be packed.
pub const PACKED_BYTES: usize = 10;
/// The least bytes of the sort buffer for states on a disk: less makes many files...
pub const LEAST_SPILL: usize = 1 << 20;
/// ...and the most: more does not reduce their number.
pub const MOST_SPILL: usize = 1 << 30;
/// A part is at most this full, in percent.
pub const MAX_LOAD: usize = 88;
/// Slots of `Recent`. Eight times as many keep one state in thirteen from being sent again to its owner in a distributed
/// exploration, and cost a fifth of the time, since they do not stay in the caches.
pub const RECENT_SLOTS: usize = 1 << 14;

// Limits and runs: how soon a limit is noticed against the cost of checking, how many runs against their time.

/// The least time between readings of the CPU clock, which is a system call.
pub const READ_EVERY: Duration = Duration::from_micros(300);
/// The clock is read once in this many ticks. A tick is one successor, one expansion, or one permutation that is tried for a canonical form, below
/// ten microseconds each.
pub const TICKS_PER_READING: u32 = 64;
/// The least time between progress reports.
pub const REPORT_EVERY: Duration = Duration::from_millis(500);
/// The most runs to deadlocks of each kind.
pub const MAX_DEADLOCK_TRACES: usize = 256;
/// No more runs to deadlocks are built when the first ones have this many steps in all.
pub const MAX_DEADLOCK_STEPS: usize = 5_000;
/// A search of clean runs after a smaller search, or after walks, may store this many states.
pub const LEAST_STATES: usize = 20_000;

// Exhaustive search: idle threads against work that is repeated or kept.

pub const CHUNK_STATES: usize = 128;
/// ...unless they have more successors than this in all. Tests have chunks cut like this, too.
pub const CHUNK_SUCCESSORS: usize = if cfg!(test) { 1 << 8 } else { 1 << 16 };
/// Fewer states than this are not worth starting threads.
pub const MIN_SHARED_STATES: usize = 2048;
/// Levels grow fast when each has this many times the states of the one before.
pub const STEEP_GROWTH: f64 = 1.4;
/// Chunks handed out and not yet stored, for each thread.
pub const CHUNKS_AHEAD: usize = 16;
/// ...of this many at most: with more, helpers wait for the one that stores, and chunks take memory.
pub const MOST_HELPED: usize = 8;
/// How often a thread looks for work, or for its result, before it leaves the core to others...
pub const IDLE_LOOKS: usize = 2_000;
/// ...helpers for this long.
pub const HELPER_NAP: Duration = Duration::from_micros(100);

// Walks: breadth against depth, known ways against new ones.

/// Nearest states kept for each goal.
pub const NEAREST_STATES: usize = 32;
/// Weight of a goal, times [`HALVING_WALKS`], which is the number of walks without progress that halve it.
pub const GOAL_WEIGHT: u32 = 1 << 16;
pub const HALVING_WALKS: u32 = 4;
/// After this many, walks towards it do without plans: these are costly, and they lead nowhere.
pub const PLANNED_WALKS: u32 = 16;
/// A goal becomes no less likely after this many.
pub const MAX_STALE_WALKS: u32 = 60;
/// Triples are tracked while their bitmap stays within this many bits; pairs otherwise.
pub const MAX_COVERAGE_BITS: usize = 1 << 28;
/// Triples of at most this many items are examined: the cost grows with the third power.
pub const MAX_TRIPLE_ITEMS: usize = 40;
/// Each arm keeps at least this share of the choices.
pub const MIN_ARM_SHARE: f64 = 0.02;
/// The value of a new state, in new combinations.
pub const NEW_STATE_VALUE: f64 = 0.02;
/// The fraction of earlier gains that remains after an epoch.
pub const GAIN_DECAY: f64 = 0.9;
/// The cost of starting a walk, in steps.
pub const WALK_START_STEPS: f64 = 20.0;
/// Instances with more conditions and effects than this get no plans: each step would cost too
/// much.
pub const MAX_PLANNED_SIZE: usize = 1 << 15;
/// The highest cost of a value: a plan this long says little.
pub const MAX_PLAN_COST: u32 = 200;
/// In instances with more conditions and effects than this, candidates are not searched for: more than for walks, since a search makes plans for
/// some hundred states only.
pub const MAX_SOUGHT_SIZE: usize = 1 << 18;
/// Renamings of a candidate that such a search looks at.
pub const MAX_SOUGHT: usize = 256;
/// States that such a search begins with.
pub const SOUGHT_ROOTS: usize = 128;
/// Of the ways to define what a transition reads, a step considers this many.
pub const MAX_SPLITS: usize = 16;
/// Taking all successors by an instance ends at this many.
pub const MAX_BREADTH_SUCCESSORS: usize = 1 << 16;
/// A breadth-first walk that has found this many states expands no more.
pub const MAX_WALK_STATES: usize = 1 << 16;
/// One step in this many of a guided walk is random.
pub const RANDOM_STEP_EVERY: u32 = 8;
/// Steps without coming nearer after which a walk with plans ends.
pub const IDLE_STEPS: u32 = 50;
/// Among more states than this no shortest ways are sought.
pub const MAX_SHORTENED: usize = 300_000;

/// The most walks in one epoch.
pub const EPOCH_WALKS: usize = 32;
/// Walks in the first epochs: the earlier walks get the results of others, the better they aim.
pub const FIRST_EPOCH_WALKS: usize = 2;
/// An epoch has one more walk for each this many known states.
pub const STATES_PER_WALK: usize = 1024;
/// States expanded breadth first before the fuzzing begins.
pub const BREADTH_START: usize = 128;
/// Steps of a walk towards a goal.
pub const GUIDED_STEPS: u32 = 200;
/// Steps of a random walk before it starts again from an initial state.
pub const RESTART_STEPS: u32 = 1000;
/// Epochs without a new state after which random walks take untaken exits.
pub const STALLED_EPOCHS: usize = 8;
/// States after which a depth-first walk ends, unless the options say otherwise.
pub const DIVE_STATES: usize = 500;
/// An epoch is dry when fewer than one step in this many led to a new state.
pub const DRY_STEPS: u64 = 20;
/// Breadth-first searches begin five and ten steps before an error...
pub const JUMP_BACK_STEPS: usize = 10;
/// ...and have this many levels.
pub const JUMP_LEVELS: u32 = 5;
/// A search around a deadlock begins this many steps before it...
pub const DEADLOCK_BACK_STEPS: usize = 4;
/// ...has this many levels...
pub const DEADLOCK_LEVELS: u32 = 12;
/// ...and expands this many states at a time.
pub const DEADLOCK_STATES: usize = 64;
/// Steps for each requested state, after which a resumed exploration gives up.
pub const STEPS_PER_WANTED_STATE: u64 = 8;
/// Epochs without progress towards any goal after which fewer walks are guided.
pub const UNGUIDED_EPOCHS: usize = 64;

// The oracle: the information in more states against the time they take.

/// States of an oracle without limits, when all cells are finite.
pub const ORACLE_STATES: usize = 300_000;
/// ...and when its end is not in sight: walks soon find more of the relevant states.
pub const STEEP_STATES: usize = 100_000;
/// States of an oracle without limits, when there are numbers: counters seldom have a bound.
pub const ORACLE_STATES_WITH_NUMBERS: usize = 10_000;
/// Walks after a breadth-first search that was ended by this limit add three quarters of it.
pub const WALKED_SHARE: (usize, usize) = (3, 4);

/// Most states of an instance that is explored because the search takes long.
pub const WIDER_STATES: usize = 100_000;

/// States expanded together when run properties are checked: few enough that their successors stay in the cache.
pub const RUN_CHUNK_STATES: usize = 128;
/// Steps of a walk when run properties are checked.
pub const RUN_WALK_STEPS: usize = 400;
/// States explored around the end of a walk where a property is pending.
pub const RUN_NEAR_STATES: usize = 300;
/// Walks of an epoch when run properties are checked.
pub const RUN_EPOCH_WALKS: usize = 32;
/// Fewer states than this are not worth waking helpers.
pub const RUN_SHARED_STATES: usize = 3 * RUN_CHUNK_STATES + 1;

// Distributed explorations: large messages, which cost little, against work that waits.

/// Words of states in one message to another worker.
pub const PARCEL_WORDS: usize = 1 << 13;
/// A worker that has sent this many words in a round waits for the others: each has at most this much in transit.
pub const ROUND_WORDS: usize = if cfg!(test) { 1 << 10 } else { 1 << 21 };
/// A worker that has worked this long in a round waits for the others, so that all notice soon when one must end.
pub const ROUND_TIME: Duration = Duration::from_millis(50);

/// States of an instance with more processes of two sorts only: mostly all that it has. By measurement of Multi-Paxos.
pub const SMALL_STATES: usize = 10_000;
