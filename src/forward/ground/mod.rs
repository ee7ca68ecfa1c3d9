//! The system's formulas for a given number of processes, before values are encoded.
//!
//! The input is the IR and the number of processes, with their `sorts`; the result is which cells states have (`places`, by what formulas read and
//! change: `accesses`), ground literals over them (`formula`), the counts
//! (`counts`), and init as a list of disjuncts, each a set of values for each cell and constraints among cells (`init`, `clauses`),
//! which leave out values of witnesses that nothing reads (`choices`). `arguments` are those at which a transition may be possible.

mod accesses;
mod arguments;
pub mod choices;
mod clauses;
pub mod counts;
pub mod formula;
mod init;
pub mod places;
mod sorts;

pub use arguments::Arguments;
pub use choices::Choice;
pub use counts::GroundCount;
pub use formula::{GroundConj, GroundDnf, Grounder, Lit, Side, Sum, holds, push};
pub use init::{InitDisjunct, disjuncts, full_sets};
pub use places::{Places, Range, Table};
pub use sorts::FixedSorts;
