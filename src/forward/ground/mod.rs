//! The system's formulas for a given number of processes, before any value has a code.
//!
//! In goes the IR and the number of processes; out come ground literals over cells (`formula`), and init as
//! a list of disjuncts, each a set of values for each cell and what relates cells (`init`).

pub mod formula;
pub mod init;
