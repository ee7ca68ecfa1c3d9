//! How values, literals, ends of runs and whole systems are written.

mod literals;
mod model;
mod values;

pub use literals::{LiteralWriter, Violation, cell, ending, equation, literal, tail, violated};
pub use model::{formula, literally_without_processes, model};
pub use values::{
    ShownCell, ValueNames, all_cells, cells, cells_of, constant, for_processes, process_names, processes,
    shown_cells,
};
