//! Makes tails explicit: a system with a ghost array for each, which guards that imply its clause mention.
//!
//! Let `C(x; n)` be the clause of a tail and G its array. The system keeps this: where C holds of all n, G is true. Initially G is true
//! everywhere. A step of a transition with parameters p sets `G[x]`, in this order,
//!
//! - to False where `C(x; p)` becomes false for a parameter p, or is false after the step where the next conditions may set it to True: then C does not
//!   hold of all n;
//! - to True where `C(x; p)` was false and is true after it, for a parameter p;
//! - to True where the same may be so for a process n that is not a parameter: what has to hold of n for that is left out, so that the
//!   condition is about x and p alone;
//! - otherwise it keeps its value. If that is False, C failed for some n before the step, and fails for this n after it.
//!
//! Where C is about several bound processes, which are different, p and n are tuples of different processes, of which each is a parameter or another process.
//!
//! A universal guard that implies C of all processes that are not parameters, beside a guard that implies it of the parameters, so implies
//! `G[x] = True`; that literal is added to the guard, which changes no behaviour. Cubes can then mention what the guard says of all processes,
//! where a pre-image would have lost it. That `G[x]` is true and `C(x; n)` false is mostly reachable in no run, and then proved by itself: a search may
//! begin with these cubes ([`gaps`]).
//!
//! In reading order: `effect` (formulas after a step), `explicit` (the system), `find` (which tails to try).

mod effect;
mod explicit;
mod find;

pub use explicit::{gaps, searched_system, with_tails};
pub use find::tails_of;
