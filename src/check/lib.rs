//! The session of a run: which engine works on the problem when, to one report.
//!
//! In: a system, options, an interrupt and an observer. Out: a [`Report`](cubicle_run::Report). In reading order:
//! `run` (the pipeline), `explore` and `sizes` (the explorations that the options ask for), `demand` (those that wait until a search asks for states), `search` (one
//! backward search, and a forward search where it is not to be trusted), `auto` and `schedule` (rounds of searches), `all_sizes` (models that bound their processes), `turn` and `beside` (one turn of a search, and two
//! of them side by side), `runs` (properties of runs), `accept` (has proofs checked), `coverage`, `assumptions`, `vacuity` and `populated` (what the answer is worth),
//! `advice` (what may help where there is no verdict); below them `session` (what all of them share), `numbers` (what is known of counts), `tuning` (the constants),
//! `size` (how many processes an instance has, and what it is explored for).
//!
//! ```text
//! --brab k            backward search; when it asks for states: explore k processes -> unsafe state met? UNSAFE
//!                                         -> else: they are its oracle
//! --only-forward      explore, and say what was seen
//! --engine classic   backward search without approximation
//! (none of these)     rounds of both kinds of backward search, see `schedule`
//! ```

mod accept;
mod advice;
mod all_sizes;
mod assumptions;
mod auto;
mod beside;
mod claims;
mod closing;
mod coverage;
mod demand;
mod explore;
mod numbers;
mod populated;
mod ranking;
mod run;
mod runs;
mod schedule;
mod search;
mod session;
mod size;
mod sizes;
mod tails;
mod tuning;
mod turn;
mod vacuity;

pub use accept::{Refusal, check_claim, not_accepted, runs_claim};
pub use assumptions::of as assumptions;
pub use claims::{claimed, states_of};
pub use explore::only_instance;
pub use numbers::Numbers;
pub use run::{Checker, InternalError, Problem};
pub use schedule::effort_of_level;
pub use session::{Origin, RemoteExplorer};
pub use tuning::{DEFAULT_PROCS, STACK_BYTES};
