//! Walks: random exploration, and coverage-guided fuzzing (the Cubicle Fuzzy Loop of Conchon and
//! Korneva, SEFM 2023, with exact bookkeeping of exits, small-cube coverage and guidance).
//!
//! The input is a compiled program with options and limits, or the states of another search to continue from; the
//! result is the visited states, the findings and the statistics of the campaign.
//!
//! A campaign consists of *epochs*: a fixed number of walks, chosen from the seed and the state of the campaign, each run on
//! the same frozen view with its own random stream; their results are merged in their order. So the
//! outcome depends on the seed and the number of epochs, and not on the number of threads or the clock.
//!
//! In reading order: `technique` (how a walk chooses its steps, and which is worth it), `delete_relaxation`, `relaxed_plan` and `goals` (what to
//! walk towards), `corpus` (states with untaken exits), `coverage` (combinations seen), `walker` and `walk` (one walk, and its outcome), `campaign` (all
//! of them), `merge` (their results), `swarm` (several processes), `epochs` (the next walks, and the loop); `seek` (a search for one
//! candidate, apart from campaigns).

pub mod campaign;
pub mod corpus;
pub mod coverage;
pub mod delete_relaxation;
pub mod epochs;
pub mod goals;
pub mod merge;
pub mod relaxed_plan;
pub mod seek;
pub mod swarm;
pub mod technique;
pub mod walk;
pub mod walker;
