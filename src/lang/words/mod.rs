//! How values, literals, ends of runs and whole systems are written.

mod literals;
mod model;
mod values;
mod violation;

pub use literals::{alternatives, cell, conditions, equation, literal, tail};
pub use model::{formula, model};
pub use values::{ShownCell, ValueNames, all_cells, cells, cells_of, constant, processes, shown_cells};
pub use violation::{Violation, ending, violated};
