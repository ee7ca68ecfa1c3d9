//! What numbers of processes say about a cube: whether it is empty because the processes that it names do not fit the
//! counts and the equations between numbers.
//!
//! In: a system with counts, equations that hold in its reachable states, a cube. Out: whether some reachable state may be in
//! it, decided only where that is certain.
//!
//! The normal form (Venn regions: V. Kuncak, M. Rinard, "Towards efficient satisfiability checking for Boolean algebra with
//! Presburger arithmetic", CADE 2007): the processes of a state by their *signature*, which of the counts they are part of. One number for
//! each signature, at least as large as the number of the cube's processes that certainly have it; a count is the sum of the numbers of its signatures. A sum of values, to
//! which no further process can contribute, is what the cube's processes add to it.
//!
//! In reading order: `signature` (those that a process may have), `facts` (what lemmas say of others), `theory` (the linear constraints).

mod facts;
mod signature;
mod theory;

pub use theory::{Counting, Everywhere};
