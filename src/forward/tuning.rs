//! Numbers that trade one thing for another in explorations.

/// Most walks in one epoch.
pub const EPOCH: usize = 32;
/// Walks in the first epochs: the earlier walks are told what others found, the better they aim.
pub const FIRST_EPOCH: usize = 2;
/// So many states known allow for one walk more.
pub const STATES_A_WALK: usize = 1024;
/// States expanded breadth first before the fuzzing begins.
pub const BREADTH_START: usize = 128;
/// Steps of a walk towards a target.
pub const GUIDED_STEPS: u32 = 200;
/// Steps of a random walk before it starts again from an initial state.
pub const RESTART: u32 = 1000;
/// Epochs without a new state after which random walks take up untaken exits.
pub const STALLED: usize = 8;
/// States after which a depth-first walk ends, unless the options say otherwise.
pub const DIVE_STATES: usize = 500;
/// An epoch is dry when only one step in so many led to a new state.
pub const DRY: u64 = 20;
/// Breadth-first searches begin five and ten steps before an error...
pub const JUMP_BACK: usize = 10;
/// ...and have so many levels.
pub const JUMP_LEVELS: u32 = 5;
/// A search around a deadlock begins so many steps before it...
pub const BACK: usize = 4;
/// ...has so many levels...
pub const LEVELS: u32 = 12;
/// ...and expands so many states at a time.
pub const AROUND: usize = 64;
/// Steps for each state asked for, after which an exploration that is resumed gives up.
pub const PATIENCE: u64 = 8;
/// Epochs without progress towards any target after which fewer walks are guided.
pub const UNGUIDED: usize = 64;

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
