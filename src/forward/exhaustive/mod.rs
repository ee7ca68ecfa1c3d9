//! Exhaustive search: all states of an instance, breadth first or depth first, on one thread or several.
//!
//! The input is a compiled program with options and limits; the result is the visited states, the findings and statistics of the
//! search. In reading order: `expand` (successors of a chunk of states), `round_worker` and `pipeline` (many threads, and few),
//! `overflow` (whether a search may leave the memory), `search` (what is stored, and how), `on_disk` (when the memory is full),
//! `lossy` (with a table of bits), `parallel`, `bfs`, `dfs`, `order` (which of the two).

pub mod bfs;
pub mod dfs;
pub mod expand;
pub mod lossy;
pub mod on_disk;
pub mod order;
pub mod overflow;
pub mod parallel;
pub mod pipeline;
pub mod round_worker;
pub mod search;
