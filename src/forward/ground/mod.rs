//! The system's formulas for a given number of processes, before values are encoded.
//!
//! The input is the IR and the number of processes; the result is ground literals over cells (`formula`), the counts
//! (`counts`), and init as a list of disjuncts, each a set of values for each cell and constraints among cells (`init`),
//! which leave out values of witnesses that nothing reads (`choices`). `arguments` are those at which a transition may be possible.

pub mod arguments;
pub mod choices;
pub mod counts;
pub mod formula;
pub mod init;
