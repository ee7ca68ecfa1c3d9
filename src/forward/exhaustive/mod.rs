//! Exhaustive search: all states of an instance, breadth first or depth first, on one thread or several.
//!
//! The input is a compiled program with options and limits; the result is the visited states, the findings and statistics of the
//! search. In reading order: `expand` (successors of a chunk of states), `search` (how states reach the store, and how a search ends), `bfs` and `dfs` (the two orders), `recover` (the
//! states on the ways to the findings). Where states are kept is the store's own matter
//! ([`Visited`](crate::store::visited::Visited)), and the loop over levels stands in `run::pipeline`.

pub mod bfs;
pub mod dfs;
pub mod expand;
pub mod recover;
pub mod search;
