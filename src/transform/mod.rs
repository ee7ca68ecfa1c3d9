//! From a system to another that is easier to decide, and the way back for what is found there.
//!
//! In: a system. Out: another one, and how its runs become runs of the first. `owner`: ghost variables for
//! universal guards.

mod owner;

pub use owner::{Instrumented, excluded_initially, gives, with_owners};
