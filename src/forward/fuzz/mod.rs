//! Walks: random exploration, and coverage-guided fuzzing (the Cubicle Fuzzy Loop of Conchon and
//! Korneva, SEFM 2023, with exact bookkeeping of exits, small-cube coverage and guidance).
//!
//! In goes a compiled program with options and limits, or the states of another search to go on from; out
//! come the visited states, what was found in them and how the campaign went.
//!
//! Work goes in *epochs*: a fixed number of walks, chosen from the seed and what is known, each run on
//! the same frozen view with its own random stream; what they found is merged in their order. So the
//! outcome depends on the seed and the number of epochs, and not on the number of threads or the clock.
//!
//! In reading order: `goal`, `delete_relaxation`, `relaxed_plan` and `goals` (what to walk towards), `technique`, `corpus` (states
//! with exits that nobody took), `coverage` (what has been seen), `bandit` (which technique), `outcome`,
//! `peers` (other processes), `walker` and `walk` (one walk), `campaign` (all of them), `plan` (the next ones), `merge` (what they found),
//! `shorten` (shortest ways), `wire` and `swarm` (several processes), `epochs` (the loop).

pub mod bandit;
pub mod campaign;
pub mod corpus;
pub mod coverage;
pub mod delete_relaxation;
pub mod epochs;
pub mod goal;
pub mod goals;
pub mod merge;
pub mod outcome;
pub mod peers;
pub mod plan;
pub mod relaxed_plan;
pub mod shorten;
pub mod swarm;
pub mod technique;
pub mod walk;
pub mod walker;
pub mod wire;
