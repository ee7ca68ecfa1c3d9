//! The limits of the analysis: beyond each it says less.

/// Most columns: with more the elimination takes longer than most searches.
pub const MOST_COLUMNS: usize = 72;

/// Most cases of a transition; with more the columns that it writes are given up.
pub const MOST_CASES: usize = 3_000;

/// Most equations that are only said of some states.
pub const MOST_EQUATIONS: usize = 24;

/// Most choices of finite values that are looked at for a transition.
pub const MOST_CHOICES: usize = 20_000;

/// Most cubes that violate an equation: with more it says little of each.
pub const MOST_VIOLATIONS: usize = 16;

/// Most classes of which it is told apart whether they have processes, one after the other.
pub const MOST_OCCUPIED: usize = 6;

/// Most classes of a group of several arrays.
pub const MOST_CLASSES: usize = 40;

/// Most ways in which comparisons of numbers decide what a step assigns.
pub const MOST_COMPARED: usize = 8;

/// Most pairs of arrays that are looked at one after the other.
pub const MOST_PAIRS: usize = 6;
