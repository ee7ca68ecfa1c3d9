//! Cubicle: a model checker for parameterized systems.
//!
//! The pipeline, one module a stage:
//!
//! ```text
//! model.cub --syntax--> Ast --model--> System --+--> forward --> states --(Oracle)--+
//!                                               |                                   v
//!                                               +--> backward <------------- BRAB candidates
//!                                                       |  (smt: Z3)
//!                                                    Verdict --> report
//! ```
//!
//! As a program:
//!
//! ```
//! use cubicle::interrupt::Interrupt;
//! use cubicle::observer::Silent;
//! use cubicle::options::Options;
//!
//! let model = "
//!     var Lock : bool
//!     array Inside[proc] : bool
//!     init (p) { Lock = False && Inside[p] = False }
//!     unsafe (p q) { Inside[p] = True && Inside[q] = True }
//!     transition enter (p) requires { Lock = False } { Lock := True; Inside[p] := True; }
//!     transition leave (p) requires { Inside[p] = True } { Lock := False; Inside[p] := False; }
//! ";
//! let loaded = cubicle::load(model)?;
//! let options = Options::brab(2).jobs(2);
//! let report = cubicle::check(&loaded.system, &options, &Interrupt::default(), &mut Silent)?;
//! assert_eq!(report.conclusion(), cubicle::Conclusion::Safe);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Further examples: [`observer::Observer`] (what a run tells while it works), [`forward::StateSpace`] (an instance
//! explored, and asked what is reachable), [`model::semantics::replay()`] (a trace executed step by step).
//!
//! # In a program of one's own
//!
//! [`check()`] may run any number of times in a process, one run after the other or several at the same time on
//! threads of their own: a run has no state outside of itself, and answers as if it were alone. Its time limit is its
//! own ([`Options::time_limit`](options::Options::time_limit)); an [`Interrupt`](interrupt::Interrupt) that is given
//! to several runs stops them all.
//!
//! What a process shares is Z3's global parameters. The crate sets one, once, before it makes its first solver:
//! `tactic.default_tactic` becomes `smt`, so that a solver does not make a chain of tactics that takes longer than
//! a small question. All else is set for each solver or context. A program that uses Z3 beside this crate sees that
//! parameter; one that sets it differently afterwards makes runs slower, not wrong.
//!
//! Without the default feature `cli` the crate does without what only the program `cubicle` needs.

pub mod backward;
mod bits;
pub mod certificate;
pub mod check;
#[cfg(feature = "cluster")]
pub mod cluster;
pub mod diagnostic;
mod digest;
pub mod engine;
pub mod explain;
pub mod export;
pub mod format;
pub mod forward;
mod growth;
pub mod index;
pub mod interrupt;
pub mod itf;
mod keeping;
pub mod lint;
pub mod load;
pub mod model;
pub mod mutation;
pub mod observer;
pub mod options;
pub mod oracle;
mod queries;
pub mod report;
pub mod result;
mod setters;
pub mod simulate;
pub mod smt;
mod solver;
pub mod spelling;
pub mod syntax;
pub mod transform;
pub mod verdict;
pub mod witness;
pub mod words;
mod workers;

pub use check::{InternalError, check};
pub use load::{LoadError, Loaded, load};
pub use result::{Conclusion, Report};
pub use solver::version as z3_version;
