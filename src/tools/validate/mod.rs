//! Whether a run of a model explains the log of a program.
//!
//! In: a model, a [`Vocabulary`] (its names, and a map), a [`Log`]. Out: [`Validated`]. In reading order: `vocabulary` and `map`
//! (what the words of a log mean), `event` (what a line says), `reader`, `watch` (which process has which name; events in
//! their order), `merge` (events of each process in an order of their own), `nearest` (why an event is not explained), `run` (all of it).
//!
//! The set of all states in which the run may be is moved by each event ([`cubicle_forward::Follower`]); a log is refused only when
//! no state is left and nothing was guessed. A bad state is reported with a run that the reference semantics replays.

mod event;
mod map;
mod merge;
mod nearest;
mod reader;
mod run;
mod vocabulary;
mod watch;

pub use map::MapError;
pub use nearest::{CellValue, Lost, NearStep, named};
pub use run::{Judge, Log, LogAnswer, Validated};
pub use vocabulary::Vocabulary;
pub use watch::ValidateOptions;
