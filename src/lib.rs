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

pub mod backward;
pub mod check;
pub mod diagnostic;
pub mod forward;
pub mod interrupt;
pub mod itf;
mod load;
pub mod model;
pub mod observer;
pub mod options;
pub mod oracle;
pub mod report;
pub mod smt;
pub mod syntax;
pub mod verdict;

pub use check::{Conclusion, Report, check};
pub use load::{Loaded, load};
