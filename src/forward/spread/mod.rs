//! Breadth-first exploration that is spread over members, each of which owns the orbits whose hash says so.
//!
//! Members and the one that leads them exchange [`Parcel`](message::Parcel)s; who carries these is not known here. All go in
//! rounds: a [`Command`](message::Command) to each member, states to their owners, a [`Summary`](message::Summary) of each
//! member. A round ends when every state that was sent has arrived. In reading order: `message`, `outbox` (successors
//! on their way to their owners), `member` (what one owns), `expand` and `parents` (its work), `files` and `saving` (its part
//! of a checkpoint), `keeper` (the checkpoint of all), `lead` (what is to be done next), `pause` (between two levels),
//! `instance` (before and after it).
//!
//! The outcome is a function of the model and the options, whatever the number of members and the order in which states
//! arrive: what is chosen is the least in a total order. That is the level, then the packed words, for findings and
//! parents; the smallest [`SleepId`](crate::program::sleep::SleepId) for how a state was found. Any step from
//! the level before may stand for that, as the argument in `program::sleep` says nothing of which one it is.

pub mod expand;
pub mod files;
pub mod instance;
pub mod keeper;
pub mod lead;
pub mod member;
pub mod message;
pub mod outbox;
pub mod parents;
pub mod pause;
pub mod saving;
