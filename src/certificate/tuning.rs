//! The constants of the search for refutations: what each trades off. None decides about soundness.

/// Most processes of a case: one bit of a mask each, and one for everything else.
pub const MAX_PROCS: usize = 62;

/// Cases that propagation may distinguish in one case of an obligation. Z3 decides what takes more.
pub const SPLITS: usize = 20;

/// Cases in which propagation may guess literals where nothing else is left to distinguish.
pub const FREE_GUESSES: usize = 8;

/// Further such cases for each one that guessing refuted: where it does not help, it only delays Z3.
pub const GUESSES_PER_SUCCESS: usize = 3;

/// Instances that propagation takes where one of their literals is open: more decide more cases, which are few, and each takes time to leave out
/// again.
pub const MOST_INSTANCES: usize = 100;

/// Such instances of one cube at once.
pub const INSTANCES_AT_ONCE: usize = 16;

/// Further processes that a case may name, one after the other, each because it may be what a cube says that no other process is: a
/// proof that distinguishes whether there are such processes needs them.
pub const BEYOND: u8 = 2;

/// Instances that a search begins with, those most recently needed: more make each call slower, fewer cost a
/// counterexample each.
pub const FIRST_INSTANCES: usize = 32;

/// Instances added after one counterexample: fewer cost more calls, more add what is not needed.
pub const INSTANCES_PER_COUNTEREXAMPLE: usize = 8;

/// Cases examined again to drop cubes, in a proof of any size.
pub const FREE_TRIALS: usize = 300;

/// Beside these, one case in this many: dropping cubes should cost a small part of the proof.
pub const CASES_PER_TRIAL: usize = 32;

/// Calls of Z3 spent on dropping cubes, in a proof of any size.
pub const FREE_CALLS: u64 = 100;

/// Beside these, one call for this many that the proof took.
pub const CALLS_PER_TRIAL_CALL: u64 = 16;

/// Cells of one witness that a case is split by: each doubles the number of cases. Pre-images split by at most as many.
pub const MOST_WITNESSED: usize = 4;

/// Classes of the unnamed processes of a case, of all partitions. Where there would be more, they become coarser.
pub const CLASSES: usize = 32;

/// As many when fewer do not suffice for a proof: each makes calls of Z3 slower.
pub const MORE_CLASSES: usize = 64;

/// Unnamed processes that are in a class each, where the model bounds the number of processes. With more, classes are fewer.
pub const EACH: usize = 4;

/// Most witnesses of each other that a case names: a witness of a witness of an argument is named in the second step. Pre-images name as many.
pub const MOST_STEPS: usize = 3;
