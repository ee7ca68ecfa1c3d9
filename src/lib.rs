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
//! let loaded = cubicle::load(model).expect("the model is well-formed");
//! let options = Options::brab(2).jobs(2);
//! let report = cubicle::check(&loaded.system, &options, &Interrupt::default(), &mut Silent)?;
//! assert_eq!(report.conclusion(), cubicle::Conclusion::Safe);
//! # Ok::<(), cubicle::InternalError>(())
//! ```

pub mod backward;
mod bits;
pub mod certificate;
pub mod check;
pub mod diagnostic;
pub mod engine;
pub mod explain;
pub mod forward;
pub mod interrupt;
pub mod itf;
pub mod load;
pub mod model;
pub mod observer;
pub mod options;
pub mod oracle;
pub mod report;
pub mod result;
pub mod smt;
mod solver;
pub mod spelling;
pub mod syntax;
pub mod transform;
pub mod verdict;
pub mod words;
mod workers;

pub use check::{InternalError, check};
pub use load::{Loaded, load};
pub use result::{Conclusion, Report};
