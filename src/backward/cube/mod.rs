//! The algebra of cubes: conjunctions of literals over distinct processes, each cell at named processes one
//! machine word, the values that it may hold one mask.
//!
//! In: formulas of the model, and processes for their variables. Out: cubes in a normal form, renamed, and back
//! as formulas of the model, of solvers and as text. Nothing here decides whether a cube has a state.
//!
//! In reading order: `cell` and `context` (the cells of a system), `literal` and `linear` (what a cube
//! says), `instantiate` (from the model: formulas, and the cubes that a search begins with), `cube` (with what no other process does), `builder`, `rename`,
//! `separate` (a process more, a process less), `export` and `invariant` (back from cubes), `halt` (why a computation gives up).

mod builder;
mod cell;
mod context;
#[expect(clippy::module_inception, reason = "the folder is about cubes, and one file has the type")]
mod cube;
mod export;
mod halt;
mod instantiate;
mod invariant;
mod linear;
mod literal;
mod rename;
mod separate;

pub use builder::CubeBuilder;
pub use cell::{CubeCell, MAX_PROCS, OTHER, low};
pub use context::{CellKind, CubeContext};
pub use cube::{Cube, Excluded, is_about, occurring_in_mask, with_other};
pub use export::{formula, formulas, relational_literal, text};
pub use halt::{Halt, Overflow};
pub use instantiate::{CellValue, Disjunction, Instantiation, bad_cubes, cubes_of, disjunction};
pub use invariant::{denial_of, invariant, oracle_question, states};
pub use linear::{compared, linear, negated};
pub use literal::{Bound, CubeLiteral, Form, Reduced, Relational, both, conjoin, is_singleton, less};
pub use rename::{by_sorts, compact, rename_literal, rename_literals, rename_mask, rename_relational};
pub use separate::{Separated, Widened, widened};
