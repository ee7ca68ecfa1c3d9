//! The system's formulas for a given number of processes, before values are encoded.
//!
//! The input is the IR and the number of processes; the result is ground literals over cells (`formula`), the counts
//! (`counts`), and init as a list of disjuncts, each a set of values for each cell and constraints among cells (`init`).

pub mod counts;
pub mod formula;
pub mod init;
