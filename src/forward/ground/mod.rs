//! The system's formulas for a given number of processes, before values are encoded.
//!
//! The input is the IR and the number of processes, with their `sorts`; the result is which cells states have (`places`, by what formulas read and
//! change: `accesses`), ground literals over them (`formula`), the counts
//! (`counts`), and init as a list of disjuncts, each a set of values for each cell and constraints among cells (`init`, `clauses`),
//! which leave out values of witnesses that nothing reads (`choices`). `arguments` are those at which a transition may be possible.

pub mod accesses;
pub mod arguments;
pub mod choices;
pub mod clauses;
pub mod counts;
pub mod formula;
pub mod init;
pub mod places;
pub mod sorts;
