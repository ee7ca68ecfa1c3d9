//! The library as other programs use it, one module for each subject; all in one program, which links Z3 once.
//!
//! `cargo test --release --test suite random_systems` runs one of them.

mod all_sizes;
mod build;
mod certificates;
mod chosen;
mod claims;
mod code;
mod counted;
mod counted_steps;
mod counts;
mod crashes;
mod deadlocks;
mod derivations;
mod doors;
mod editors;
mod embedded;
mod extended;
mod fair_names;
mod forged_counts;
mod forged_tails;
mod forgeries;
mod format;
mod formulas;
mod front;
mod house;
mod imported;
mod kernel;
mod limits;
mod lints;
mod logging;
mod models;
mod mutants;
mod others;
mod populated;
mod properties;
mod random_systems;
mod rankings;
mod runs;
mod sorted;
mod spin_runs;
mod states;
mod support;
mod tails;
mod typed;
