//! States: a value for each cell of the instance, as a code, packed into words.
//!
//! The input is the system and its disjuncts of init; the result is the cells with the codes that each may hold, and
//! the position of each cell in a packed state. In reading order: `codes`, `numbers` (how numbers are stored),
//! `cells`, `choices` (ways to define a cell that no step has read yet), `expr` (sums over stored numbers),
//! `packing`.

mod cells;
mod choices;
mod codes;
mod expr;
mod numbers;
mod packing;

pub use cells::{CellShape, Cells, CodeKind};
pub use codes::UNDEF;
pub use expr::{LinearExpr, quotient};
pub use numbers::largest_constant;
pub use packing::{Bounds, Field, Packed, Packing};
