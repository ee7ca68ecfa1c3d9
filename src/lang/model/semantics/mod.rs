//! Reference semantics: concrete states of an instance, truth of formulas, steps, runs.
//!
//! Slow and simple on purpose. Every trace is replayed here before it is reported, and the
//! engines are tested against it. Nothing here depends on an engine.

mod eval;
mod lasso;
mod matching;
mod replay;
mod state;
mod step;
#[cfg(test)]
mod tests;
mod tuples;

pub use eval::Env;
pub use lasso::{FairStep, Lasso, LassoError, Served, replay_lasso};
pub use matching::{Matcher, forbidden_at, interchangeable, is_forbidden};
pub use replay::{ReplayError, replay, replay_steps};
pub use state::{Layout, PROC_STRIDE, Point, State, Step, Trace, Value};
pub use step::{ArgumentsError, Semantics, StateError, StepError, admits, satisfies, with_counts};
pub use tuples::{
    arrangements, choices, choices_of_arguments, different_namings, distinct_tuples, namings, other_tuples,
    rising_tuples, rising_tuples_of, tuples,
};
