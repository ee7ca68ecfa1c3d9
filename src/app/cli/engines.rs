//! The engines of the program: its binary names them, so that what stands here is not compiled again with them.

use std::sync::OnceLock;

use cubicle_check::Checker;

static CHECKER: OnceLock<Checker> = OnceLock::new();

/// Sets them once, before anything else.
pub fn set(checker: Checker) {
    CHECKER.get_or_init(|| checker);
}

/// Decides with them.
///
/// # Panics
/// They are not set.
pub fn checker() -> Checker {
    *CHECKER.get().expect("the program begins with its engines")
}
