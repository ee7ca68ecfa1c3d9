//! What all engines share: options, results, the events they report while they run, and when they must end.

pub mod growth;
pub mod interrupt;
mod keeping;
pub mod logging;
pub mod observer;
pub mod options;
pub mod oracle;
pub mod result;
mod setters;
pub mod style;
pub mod verdict;
pub mod words;
pub mod workers;

pub use cubicle_lang::named;
