//! Follows a run of which only parts are known: the set of all states in which it may be.
//!
//! Packed states, without renaming of processes. In reading order: `known` (what is known of a state), `front` (the set of
//! states), `alike` (processes that nothing distinguishes), `history` (where they come from), `follower` (the steps of the set), `explain` (from the history to a run, which the
//! reference semantics replays).
//!
//! A state may have undefined cells, which stand for all their values; what is known of a cell defines it. Nothing is left out
//! but for numbers ([`Follower::is_partial`]).

mod alike;
mod explain;
mod follower;
mod front;
mod history;
mod known;

pub use explain::{FollowedRun, Unexplained};
pub use follower::Follower;
pub use front::Front;
pub use history::Kept;
pub use known::{Known, Seen};
