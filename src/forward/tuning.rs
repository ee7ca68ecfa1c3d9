//! Numbers that trade one thing for another in explorations, by room.
//!
//! They were chosen by measurement on the models of `benches/` and of the literature; what a number is worth
//! is seen in `cargo bench --bench forward`.

use std::time::Duration;

// Compiling an instance: larger ones are refused, or do without something that would cost more than it brings.

/// Clauses among which an equal one is looked for.
pub const NEAR: usize = 64;
/// With more disjuncts than this the instance is refused as too large.
pub const MAX_DISJUNCTS: usize = 1 << 18;
/// Instances of no more cells than this are explored.
pub const MAX_CELLS: usize = 1 << 12;
/// Instances of no more ground transitions than this are explored.
pub const MAX_INSTANCES: usize = 1 << 20;
/// Instances of no more processes than this are explored.
pub const MAX_PROCS: usize = 100;
/// Beyond this many instances nothing is left out: the sets would not stay in the caches.
pub const MAX_SLEEPING: usize = 2048;
/// Tables of renamed instances are no larger.
pub const MAX_RENAMED: usize = 1 << 16;
/// Bounded numbers with no more values than this are enumerated; others are sampled.
pub const MAX_INTERVAL: i128 = 4096;
/// With more ways to meet init than this, what an initial state needs is not asked.
pub const MAX_COMPARED: usize = 1 << 10;
/// No group is wider.
pub const MAX_GROUP_BITS: u8 = 9;
/// All rows together should stay within this many words, so that they stay in cache.
pub const MAX_ROW_WORDS: usize = 1 << 15;
/// Reals are stored as multiples of one over at most this: products of them should stay within 64 bits.
pub const MAX_SCALE: i64 = 1 << 20;
/// No more samples than this stand for an unbounded number.
pub const MAX_SAMPLES: usize = 6;
/// Rows of `Exchangeable` for no more processes than this.
pub const MAX_EXCHANGEABLE: usize = 9;
/// No more permutations of one state than this are tried: all those of eight processes. Beyond, the best
/// one so far stands for the orbit; a large orbit that is all ties may then be stored in a few parts,
/// which costs states and nothing else.
pub const MAX_TRIED: u32 = 40_320;

// The store: memory against the wait for it.

/// Parts of the table of a large set.
pub const SHARDS: usize = 64;
/// Buckets of a part to begin with.
pub const FIRST_BUCKETS: usize = 16;
/// Buckets and states read ahead at a time.
pub const TOUCHED: usize = 64;
/// Bytes that a state is taken to have as a number: room for them is kept free as long as states may become numbers.
pub const PACKED_BYTES: usize = 10;
/// Bytes that states on a disk are sorted in, at least: less makes many files...
pub const LEAST_SPILL: usize = 1 << 20;
/// ...and at most: more makes none fewer.
pub const MOST_SPILL: usize = 1 << 30;
/// A part is at most this full, in percent.
pub const MAX_LOAD: usize = 88;
/// Places of `Recent`.
pub const RECENT: usize = 1 << 14;

// Limits and runs: how soon a limit is seen against what looking costs, how many runs against their time.

/// The CPU clock is read no more often: that is a call of the system.
pub const READ_EVERY: Duration = Duration::from_micros(300);
/// The clock is read once in this many ticks. A tick is one successor, one expansion, or one permutation that is tried for a canonical form, below
/// ten microseconds each.
pub const TICKS: u32 = 64;
/// Progress is reported no more often.
pub const REPORT_EVERY: Duration = Duration::from_millis(500);
/// Runs to no more deadlocks of each kind than this are kept.
pub const MAX_DEADLOCK_TRACES: usize = 256;
/// No more runs to deadlocks are made when those to the first ones have this many steps in all.
pub const MAX_DEADLOCK_STEPS: usize = 5_000;
/// A search of clean runs that belongs to a smaller one, or to walks, may see this many states.
pub const LEAST_STATES: usize = 20_000;

// Exhaustive search: threads that wait against work that is done twice or kept.

/// States of one chunk.
pub const CHUNK: usize = 128;
/// ...unless they have more successors than this together. Tests see chunks cut like this, too.
pub const CHUNK_SUCCESSORS: usize = if cfg!(test) { 1 << 8 } else { 1 << 16 };
/// Fewer states than this are not worth starting threads.
pub const WORTHWHILE: usize = 2048;
/// Levels grow fast when each has this many times the states of the one before.
pub const STEEP: f64 = 1.4;
/// With this many threads or more, each does all of the work on its share of the states; fewer make a pipeline.
/// With two threads, shares take 1.26 times as long as the pipeline on `flash` and 1.47 times on `german` (8 processes,
/// medians of 7 pairs; with three threads 1.25 times), for the same CPU time: between two shares all wait for the merge,
/// while helpers of a pipeline never do. With more threads the one that leads a pipeline keeps the others waiting.
pub const MANY: usize = 4;
/// States that a thread expands at a time.
pub const SHARE: usize = 512;
/// No more states than this are expanded before the results are merged.
pub const ROUND: usize = 1 << 14;
/// ...or this many new states, as far as past states tell: they are kept until then.
pub const ROUND_NEW: usize = 1 << 18;
/// Chunks handed out and not yet stored, for each thread.
pub const AHEAD: usize = 16;
/// How often a thread looks for work, or for its result, before it leaves the core to others...
pub const LOOKS: usize = 2_000;
/// ...helpers for no longer than this.
pub const NAP: Duration = Duration::from_millis(1);

// Walks: breadth against depth, known ways against new ones.

/// Nearest states kept for each goal.
pub const KEEP: usize = 32;
/// Weight of a goal, times [`HALVED`], which is the number of walks without progress that halve it.
pub const WEIGHT: u32 = 1 << 16;
pub const HALVED: u32 = 4;
/// After this many, walks towards it do without plans: these are dear, and they lead nowhere.
pub const UNPLANNED: u32 = 16;
/// No goal becomes less likely than after this many.
pub const MOST_STALE: u32 = 60;
/// Triples are followed while their bitmap stays within this many bits; pairs otherwise.
pub const MAX_BITS: usize = 1 << 28;
/// Triples of no more items than this are looked at: the cost grows with the third power.
pub const MAX_TRIPLE_ITEMS: usize = 40;
/// Each arm keeps at least this share of the choices.
pub const FLOOR: f64 = 0.02;
/// What a new state is worth, in new combinations.
pub const STATE: f64 = 0.02;
/// How much of the past remains after an epoch.
pub const MEMORY: f64 = 0.9;
/// Steps that starting a walk is worth.
pub const START: f64 = 20.0;
/// Instances with more conditions and effects than this are not looked at: each step would cost too
/// much.
pub const MAX_SIZE: usize = 1 << 15;
/// No value costs more: a plan this long says little.
pub const MOST: u32 = 200;
/// Of the ways to define what a transition reads, a step considers this many.
pub const SPLITS: usize = 16;
/// Taking all successors by an instance ends at this many.
pub const WIDEST: usize = 1 << 16;
/// A breadth-first walk that has found this many states expands no more.
pub const MOST_NEW: usize = 1 << 16;
/// One step in this many of a guided walk is any.
pub const ASTRAY: u32 = 8;
/// Steps without coming nearer after which a walk with plans ends.
pub const IDLE: u32 = 50;
/// Among more states than this no shortest way is looked for.
pub const MAX_SHORTENED: usize = 300_000;

/// Most walks in one epoch.
pub const EPOCH: usize = 32;
/// Walks in the first epochs: the earlier walks are told what others found, the better they aim.
pub const FIRST_EPOCH: usize = 2;
/// An epoch has one walk more for each this many states known.
pub const STATES_A_WALK: usize = 1024;
/// States expanded breadth first before the fuzzing begins.
pub const BREADTH_START: usize = 128;
/// Steps of a walk towards a goal.
pub const GUIDED_STEPS: u32 = 200;
/// Steps of a random walk before it starts again from an initial state.
pub const RESTART: u32 = 1000;
/// Epochs without a new state after which random walks take up untaken exits.
pub const STALLED: usize = 8;
/// States after which a depth-first walk ends, unless the options say otherwise.
pub const DIVE_STATES: usize = 500;
/// An epoch is dry when fewer than one step in this many led to a new state.
pub const DRY: u64 = 20;
/// Breadth-first searches begin five and ten steps before an error...
pub const JUMP_BACK: usize = 10;
/// ...and have this many levels.
pub const JUMP_LEVELS: u32 = 5;
/// A search around a deadlock begins this many steps before it...
pub const BACK: usize = 4;
/// ...has this many levels...
pub const LEVELS: u32 = 12;
/// ...and expands this many states at a time.
pub const AROUND: usize = 64;
/// Steps for each state asked for, after which an exploration that is resumed gives up.
pub const PATIENCE: u64 = 8;
/// Epochs without progress towards any goal after which fewer walks are guided.
pub const UNGUIDED: usize = 64;

// The oracle: what more states tell against the time they take.

/// States of an oracle without limits, when all cells are finite.
pub const ORACLE_STATES: usize = 300_000;
/// ...and when its end is not in sight: walks soon see more of what is asked for.
pub const STEEP_STATES: usize = 100_000;
/// States of an oracle without limits, when there are numbers: counters seldom end by themselves.
pub const ORACLE_STATES_WITH_NUMBERS: usize = 10_000;
/// Walks that look deeper than a breadth-first search which this limit ended add three quarters of it.
pub const DEEPER: (usize, usize) = (3, 4);

/// Most states of an instance that is looked at because the search became long.
pub const WIDER_STATES: usize = 100_000;

/// States whose steps are taken in one go where runs are looked at: few enough that what they lead to stays in the cache.
pub const RUN_CHUNK: usize = 128;
/// Steps of a walk where runs are looked at.
pub const RUN_WALK: usize = 400;
/// States that are looked at around the end of a walk on which something waits.
pub const RUN_NEAR: usize = 300;
/// Walks of an epoch there.
pub const RUN_EPOCH: usize = 32;
/// States whose steps are taken before what they lead to is stored.
pub const RUN_ROUND: usize = 1 << 13;

// Explorations that are spread over machines: messages that are large enough to cost little against work that waits.

/// Words of states that go to another member in one message.
pub const PARCEL_WORDS: usize = 1 << 13;
/// Places for states that a member has sent lately. Eight times as many keep one state in thirteen from being sent again, and
/// cost a fifth of the time, since they do not stay in the caches.
pub const SENT: usize = 1 << 14;
/// A member that has sent so many words in a round waits for the others: no more than this is on the way from each.
pub const ROUND_WORDS: usize = if cfg!(test) { 1 << 10 } else { 1 << 21 };
/// A member that has worked so long in a round waits for the others, so that all see soon when one must end.
pub const ROUND_TIME: Duration = Duration::from_millis(50);
