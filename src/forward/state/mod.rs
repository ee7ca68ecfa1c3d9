//! What a state is: a value for each cell of the instance, as a code, packed into words.
//!
//! In go the system and its disjuncts of init; out come the cells with the codes that each may hold, and
//! where in a packed state each cell is. In reading order: `codes`, `numbers` (how numbers are stored),
//! `cells`, `choices` (ways to define a cell that nothing has read yet), `expr` (sums over stored numbers),
//! `packing`.

pub mod cells;
pub mod choices;
pub mod codes;
pub mod expr;
pub mod numbers;
pub mod packing;
