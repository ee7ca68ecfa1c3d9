//! Stepping through an instance by hand: from command lines to text, without a terminal.
//!
//! In: the model and one line after another. Out: the text to show, or why the line cannot be executed and
//! what is possible instead. States, guards and steps are those of [`cubicle_lang::model::semantics`], never of an
//! engine; files are read and written by the caller.
//!
//! `values` lists the values that a cell may get, `initial` finds initial states one by one, `moves` lists what is
//! enabled and takes many steps, `cube` parses cubes in the language itself, `table` writes states;
//! `command` parses a line, `session` is the state between two lines, and `start`, `actions` and `look` implement
//! the commands, called by `execute`.

mod actions;
mod command;
mod cube;
mod execute;
mod initial;
mod look;
mod moves;
mod session;
mod start;
mod table;
#[cfg(test)]
mod tests;
mod values;

pub use command::{CommandRefusal, names_a_file};
pub(crate) use cube::NamedCube;
pub use execute::{Reply, Then};
pub(crate) use initial::Initials;
pub(crate) use moves::{Moves, all_are_tried, steps};
pub use session::Simulation;
pub(crate) use values::CellNames;
