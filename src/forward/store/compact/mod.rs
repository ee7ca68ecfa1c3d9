//! A store that takes a fraction of the memory of [`table`](crate::store::table), without loss.
//!
//! `codec` turns states into numbers, by the few records that processes and the rest consist of (`dictionary`);
//! `quotient` is the set of those numbers; `log` has them in the order in which they were found, with parents.

pub mod codec;
pub mod dictionary;
pub mod log;
pub mod quotient;
pub mod states;
