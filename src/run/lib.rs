//! What all engines share: options, results, the events they report while they run, and when they must end.

mod backward;
pub mod figures;
mod interrupt;
mod keeping;
pub mod logging;
mod observer;
mod options;
mod oracle;
pub mod result;
mod setters;
pub mod style;
mod verdict;
pub mod words;
pub mod workers;

pub use backward::*;
pub use cubicle_lang::named;
pub use interrupt::*;
pub use observer::*;
pub use options::*;
pub use oracle::*;
pub use result::*;
pub use verdict::*;
