//! Distributed breadth-first exploration: each worker owns the orbits with certain hashes.
//!
//! Workers and the coordinator exchange [`Parcel`](message::Parcel)s; the transport is up to the caller. All proceed in
//! rounds: a [`Command`](message::Command) to each worker, states to their owners, a [`Summary`](message::Summary) from each
//! worker. A round ends when every state that was sent has arrived. In reading order: `message` (successors
//! on their way to their owners, too), `worker` (the states of one), `expand` and `parents` (its work), `files` and `saving` (its part
//! of a checkpoint), `findings` (those of all), `coordinator` (the next command), `pause` (between two levels),
//! `instance` (before and after the exploration).
//!
//! The outcome is a function of the model and the options, whatever the number of workers and the order in which states
//! arrive: every choice is the least element of a total order. That is the level, then the packed words, for findings and
//! parents; the smallest [`SleepId`](crate::program::sleep::SleepId) for how a state was found. Any step from
//! the level before may be chosen for that, as the argument in `program::sleep` does not depend on which one it is.

pub mod coordinator;
pub mod expand;
pub mod files;
pub mod findings;
pub mod instance;
pub mod message;
pub mod parents;
pub mod pause;
pub mod saving;
pub mod worker;
