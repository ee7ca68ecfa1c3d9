//! Shared by the tests on random systems: a generator of models, their reduction, and brute force.
#![allow(clippy::cast_possible_wrap, reason = "all numbers here are small")]

pub mod certificates;
pub mod clean;
pub mod dice;
pub mod direct;
pub mod examine;
pub mod explore;
pub mod fair;
pub mod generate;
pub mod judges;
pub mod model;
pub mod ranked;
pub mod tla;
