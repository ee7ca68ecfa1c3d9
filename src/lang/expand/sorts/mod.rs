//! Sorts of processes in terms of one kind of processes.
//!
//! The processes of a model with sorts are those of all sorts together: an array `Sort` that nothing assigns says of which sort
//! each of them is. A name that is bound to a process of a sort comes with the condition that its process is of that sort, so that a
//! model with sorts is a model of the core, in which processes of different sorts are different because their sorts are.
//! Cells at processes of other sorts than those of the declaration are in no formula and never change.
//!
//! In reading order: `collect` (which sorts there are), `bound` (conditions of bound names, and whether
//! sorts agree), `pointers` (conditions of cells that pointers index), `initially` (the conditions of `init`, whose parameters are all processes).

mod bound;
mod collect;
mod initially;
mod pointers;

pub use bound::Rewriter;
