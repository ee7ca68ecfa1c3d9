//! Results as text: takes data and returns strings; prints nothing and does not depend on the insides of engines.
//!
//! The order of a full report is that of the run: one block for each exploration
//! ([`exploration`]), the node lines (written by the observer of the search), then
//! [`conclusion()`]: candidates, statistics, trace, and the answer on a line of its own. For people there is a line
//! per stage ([`explored`], [`searched`]), then [`plain_conclusion`].

mod conclusion;
pub mod document;
mod dot;
mod github;
mod grouped;
mod induction;
mod junit;
mod mutation;
mod page;
mod plain;
mod progress;
mod properties;
mod runs;
mod sarif;
mod stages;
mod statistics;
mod tested;
mod trace;
mod vacuity;
mod validation;

pub use conclusion::{answer, axioms, conclusion, unknown};
pub use cubicle_run::style::Style;
pub use dot::{DotLevel, dot};
pub use github::{findings, github};
pub use induction::{induction, refinement};
pub use junit::{JunitCase, JunitOutcome, junit, junit_of_run};
pub use mutation::{MutantsShown, kill, listed, mutation};
pub use page::{induction_page, mutation_page, refinement_page, run_page, validation_page};
pub use plain::{explored, plain_conclusion, searched};
pub use progress::{Progress, duration};
pub use properties::properties;
pub use runs::runs;
pub use sarif::{sarif, survivors_sarif};
pub use stages::{approximation, bad_candidate, node, restart, stage};
pub use statistics::{exploration, profile};
pub use tested::{test_summary, tested, tests_junit, tests_sarif};
pub use trace::{EndedRun, TraceStates, history, open_run, states};
pub use vacuity::{diagnostics as vacuity, note as unpopulated};
pub use validation::{validated, validated_all, validation_case, witness};
