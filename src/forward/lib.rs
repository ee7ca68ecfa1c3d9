//! Explicit-state exploration of an instance with k processes.
//!
//! A concrete state gives each cell a value of its type; a proc cell may hold a value that is not one of
//! the processes. Cells that no step has read yet may stay *undefined*: they stand for all their values
//! and split when a guard, a condition, a copy or a bad cube reads them. This neither loses nor adds
//! behaviour, only counts differ ([`Exploration::compressed`](cubicle_run::Exploration::compressed)).
//!
//! The input is a system, a number of processes and options; the result is an
//! [`Exploration`](cubicle_run::Exploration), which is plain data, and separately the states,
//! which the backward search may query ([`StateSpace`]). In reading order, where no module uses a later
//! one: `error`, `folder` (which one run uses), `clock` (time), `limits` (when to end), `ground` (formulas of the instance), `state` (how states are
//! encoded), `symmetry` (when two states are equivalent), `program` (how to step), `store` (where
//! states are kept), `run` (levels, findings, runs), `exhaustive` and `fuzz` (the two ways to search),
//! `conclude` (from findings to runs), `explored` (states for queries), `follow` (a run known in part), `explore` (all of it) and
//! `oracle`. `tuning` has the trade-off constants.

// Codes are small numbers or stored integers, and cells, states and instances are numbered from 0 far
// below the sign bit; where a conversion could wrap, it is checked or masked before.
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)]
// Shares and probabilities need no more than the mantissa holds.
#![allow(clippy::cast_precision_loss)]

mod agreement;
mod checkpoint;
mod clock;
mod conclude;
mod error;
mod exhaustive;
mod explore;
mod explored;
mod folder;
mod follow;
mod fuzz;
mod ground;
mod limits;
mod live;
mod oracle;
mod program;
mod run;
mod spread;
mod state;
mod store;
mod symmetry;
#[cfg(test)]
mod tests;
mod tuning;

pub use agreement::agreement;
pub use checkpoint::manifest::Manifest;
pub use error::StorageError;
pub use explore::{
    Explored, Remote, explore, explore_oracle, explore_together, explore_within, follow_campaign,
    oracle_states, walked_states, walks,
};
pub use explored::graph::Fingerprint;
pub use explored::views::Views;
pub use follow::{FollowedRun, Follower, Front, Kept, Known, Seen, Unexplained};
pub use fuzz::swarm::Peers;
pub use live::{RunAnswer, RunSample, RunsChecked, SeenStep, check_runs, sample_runs};
pub use oracle::StateSpace;
pub use spread::coordinator::{Coordinator, Outcome};
pub use spread::instance::Instance;
pub use spread::message::{Command, Parcel, Summary, Traffic};
pub use spread::worker::Worker;
