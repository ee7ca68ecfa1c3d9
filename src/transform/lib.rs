//! Transformations of models.
//!
//! `equations`: what counts add up to in all reachable states. `crash`: to one whose processes may fail; `restart`: how they go back to the values of `init`.
//! `taken`, `again`: to ones in which a step is a bad state.
//! `refines`: to one in which a step that another model does not have is a bad state.
//! `tails`: to one with ghost arrays that say what holds of all processes. `announcements`: to one without arrays that only note what steps saw.
//! `relaxed`: to one whose guards ask for less.
//! `shrink`: to a smaller one with the same symptom. `strengthen`: to ones that claim more. `mutate`: from the text of a
//! model to texts with one small mistake. `edit`: changes of a text, which `mutate` and `shrink` are made of.

mod after;
mod again;
mod announcements;
mod counts;
mod crash;
pub mod edit;
mod equations;
pub mod mutate;
mod not_derived;
pub mod refines;
mod relaxed;
mod restart;
pub mod shrink;
pub mod strengthen;
mod tails;
mod taken;

pub use again::with_acts_again;
pub use announcements::{Reduced, without_announcements};
pub use counts::with_updates_of_counts;
pub use crash::{Crash, MOST_CRASHES, alive_array, with_crashes};
pub use equations::{
    WithEquations, bounds_moved, moves_numbers, open_numbers, with_counts_excluded, with_counts_seen,
    with_equations, with_lasting_counts,
};
pub use not_derived::NotDerived;
pub use relaxed::{Relaxed, relaxed};
pub use tails::{gaps, searched_system, tails_of, with_tails};
pub use taken::{has_name, own_run, with_one_taken, with_taken};
