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
//! use cubicle::{Interrupt, Options, Silent};
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
//! [`forward::StateSpace`] explores an instance and answers what is reachable. A trace is executed step by step with
//! [`replay`](model::semantics::replay()):
//!
//! ```
//! use cubicle::model::semantics::{ReplayError, replay};
//! use cubicle::{Interrupt, Options, Silent};
//!
//! let text = "
//!     array In[proc] : bool
//!     init (p) { In[p] = False }
//!     unsafe (p q) { In[p] = True && In[q] = True }
//!     transition enter (p) requires { In[p] = False } { In[p] := True; }";
//! let system = cubicle::load(text)?.system;
//! let report = cubicle::check(&system, &Options::explore(2), &Interrupt::default(), &mut Silent)?;
//! let mut trace = report.bad().expect("two processes enter").clone();
//! assert_eq!(trace.steps.len(), 2);
//! replay(&system, &trace)?;
//!
//! trace.steps.pop();
//! assert_eq!(replay(&system, &trace), Err(ReplayError::NotBad { step: 1 }));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! An [`Observer`] receives the events of a run:
//!
//! ```
//! use cubicle::model::System;
//! use cubicle::{Event, Interrupt, Observer, Options};
//!
//! /// Counts the nodes of the backward search.
//! #[derive(Default)]
//! struct Nodes(usize);
//!
//! impl Observer for Nodes {
//!     fn event(&mut self, _system: &System, event: Event) {
//!         if let Event::NodeCount(nodes) = event {
//!             self.0 = nodes;
//!         }
//!     }
//! }
//!
//! let text = "
//!     var X : bool  var Y : bool
//!     init () { X = False && Y = False }
//!     unsafe () { X = True }
//!     transition step () requires { Y = True } { X := True; }";
//! let mut nodes = Nodes::default();
//! let system = cubicle::load(text)?.system;
//! let report = cubicle::check(&system, &Options::classic(), &Interrupt::default(), &mut nodes)?;
//! assert_eq!(nodes.0, report.backward.expect("a backward search").statistics.nodes);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # In another program
//!
//! [`check()`] may run any number of times in a process, one run after the other or several at the same time on
//! threads of their own: a run has no state outside of itself, and others do not change its answer. Each run has its own
//! time limit ([`Options::time_limit`](Options::time_limit)); an [`Interrupt`] that is given
//! to several runs stops them all.
//!
//! All runs in a process share Z3's global parameters. The crate sets one, once, before it makes its first solver:
//! `tactic.default_tactic` becomes `smt`, so that a solver does not make a chain of tactics that takes longer than
//! a small question. All others are set for each solver or context. A program that also uses Z3 itself sees that
//! parameter; one that sets it differently afterwards makes runs slower, not wrong.
//!
//! Without the default feature `cli` the crate leaves out what only the program `cubicle` needs.

pub use cubicle_backward as backward;
pub use cubicle_certificate as certificate;
pub use cubicle_check as check;
#[cfg(feature = "cluster")]
pub use cubicle_cluster as cluster;
pub use cubicle_forward as forward;
pub use cubicle_lang::{
    diagnostic, explain, format, index, load, model, refinement, spelling, syntax, words,
};
pub use cubicle_report as report;
pub use cubicle_run::*;
pub use cubicle_tools::{
    export, import, inductive, itf, lint, mutation, refines, simulate, validate, witness,
};
pub use cubicle_transform as transform;

pub use cubicle_check::{Checker, InternalError};
pub use cubicle_lang::{LoadError, Loaded};
pub use cubicle_solver::{smt, version as z3_version};

/// Decides with the engines of this crate.
pub const CHECKER: Checker = Checker::new(backward::engine);

/// Runs the engines that `options` ask for on `system`: [`Checker::check`] of [`CHECKER`].
///
/// # Errors
/// An engine panicked or contradicts the model: a bug of this crate.
pub fn check(
    system: &model::System,
    options: &Options,
    interrupt: &Interrupt,
    observer: &mut (dyn Observer + Send),
) -> Result<Report, InternalError> {
    CHECKER.check(system, options, interrupt, observer)
}
