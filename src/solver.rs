//! Z3, so that it starts fast: most questions are small, and most runs ask few of them.

use std::sync::Once;

use z3::{Solver, set_global_param};

static SET_UP: Once = Once::new();

/// A solver of the current context.
///
/// Z3's SMT engine answers all questions. By default Z3 also makes its chain of preprocessing tactics for
/// each solver, which takes ten times as long as a small question does. The setting is the whole process's.
pub fn new() -> Solver {
    SET_UP.call_once(|| set_global_param("tactic.default_tactic", "smt"));
    Solver::new()
}
