//! Examines the mutants of a model: is each of them wrong, and do the claims of the model notice it?
//!
//! In: a model, options, an interrupt. Out: a [`Mutation`]. In reading order: `plan` (which
//! mutants, and how much effort), `baseline` (what is known of the model itself, and which of its claims a mutant violates), `examine` (one mutant, with the cheapest
//! engine first), `examiner` (combines these, also for other processes), `pool` (threads), `run` (the whole run), `summary` (kill rates,
//! the smallest set of claims, the number of processes at which no more are killed); `properties` (mutants of the
//! claims: what the model could claim in addition).
//!
//! A mutant is *killed* by a run to a bad state, replayed by the reference semantics; it *survives* when it is proved
//! safe for any number of processes, by a certificate that was checked. There are no other grounds for either. Effort is
//! measured in work, never in time: the same command gives the same results, with any number of threads.

mod baseline;
mod examine;
mod examiner;
mod plan;
mod pool;
mod properties;
mod result;
mod run;
mod summary;

pub use examiner::{MutantExaminer, Others};
pub use plan::{MutantSelection, MutationOptions, Plan, mutant};
pub use pool::THREAD;
pub use properties::{PropertySelection, properties};
pub use result::{
    Change, Fate, Kill, KillFinder, MutantClaim, MutantResult, Mutation, OpenProperty, Properties, Survival,
    TrueProperty,
};
pub use run::run;
pub use summary::{KillCurve, KillsUpTo, Rate, curve, rate_by, rate_by_claim, smallest_set};
