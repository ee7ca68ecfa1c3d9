//! What can be done with a model besides checking it.
//!
//! `mutation` (is each small mistake noticed?), `lint` (parts that make no difference), `witness` (a run that shows something
//! harmless), `inductive` (are the claims inductive?), `refines` (why a refinement fails), `simulate` (step by step), `export` (to
//! other tools), `itf` (traces as files), `validate` (logs of programs), `expect` (what models promise about themselves).

mod coverage;
pub mod expect;
pub mod export;
pub mod import;
pub mod inductive;
pub mod itf;
mod json;
pub mod lines;
pub mod lint;
pub mod mutation;
pub mod refines;
pub mod simulate;
pub mod validate;
pub mod witness;
