//! Bounds on what is elaborated; each is named in the error that it causes.

/// Most types in a file.
pub(super) const MAX_TYPES: usize = 1 << 15;
/// Most variables, constants and arrays in a file.
pub(super) const MAX_VARS: usize = 1 << 15;
/// Most transitions in a file, after disjunctive guards have been split.
pub(super) const MAX_TRANSITIONS: usize = 1 << 15;
pub(super) const MAX_ARITY: usize = 8;
/// Most process parameters of a declaration.
pub(super) const MAX_PARAMS: usize = 32;
/// Most process variables in the scope of one declaration, bound ones and hidden ones included.
pub(super) const MAX_PROCESS_VARS: u8 = 200;
/// Greatest k of a process constant `#k`.
pub(super) const MAX_PROC_CONSTANT: u32 = 64;
/// Most cells of a sum.
pub(super) const MAX_SUMMANDS: usize = 256;
/// Most disjuncts of a formula in disjunctive normal form.
pub(super) const MAX_DISJUNCTS: usize = 4096;
/// Most literals of a formula in disjunctive normal form, over all disjuncts.
pub(super) const MAX_LITERALS: usize = 1 << 19;
/// Most nodes of a declaration's formulas once predicates, `<=>` and quantifiers are expanded.
pub(super) const MAX_STEPS: usize = 1 << 20;
/// Most such nodes for all declarations of a file together.
pub(super) const MAX_ALL_STEPS: usize = 4 * MAX_STEPS;
/// Most ways in which the globals used as indices of one declaration can name processes.
pub(super) const MAX_VARIANTS: usize = 1024;
