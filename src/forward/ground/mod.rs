//! The system's formulas for a given number of processes, before values are encoded.
//!
//! The input is the IR and the number of processes; the result is which cells states have (`places`, by what formulas read and
//! change: `accesses`), ground literals and counts over them (`formula`), and init as a list of disjuncts, each a set of values for each cell and constraints among cells (`init`),
//! which leave out values of witnesses that nothing reads (`choices`). `arguments` are those at which a transition may be possible, by the sorts of processes.

mod accesses;
mod arguments;
pub mod choices;
pub mod formula;
mod init;
pub mod places;

pub use arguments::{Arguments, FixedSorts};
pub use choices::Choice;
pub use formula::{GroundConj, GroundCount, GroundDnf, Grounder, Lit, Side, Sum, push};
pub use init::{InitDisjunct, disjuncts, full_sets};
pub use places::{Places, Range, Table};
