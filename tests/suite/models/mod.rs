//! Every model of `examples/` and `tests/traps/`, under many settings, against its verdict.

mod counts;
mod effort;
mod examples;
pub mod files;
mod matrix;
mod rare;
mod turns;
