//! Typing errors and habits from other languages: finds what was meant where a declaration fails to parse, so that
//! the error can name it and the rest of the declaration is still read.
//!
//! Rules look at the failing place only, never at text that parses: no correct model is read differently.
//! Each returns the tokens to go on with; the parser tries again with them, and gives up without another
//! message when that brings it no further.

mod blocks;
mod counts;
mod declarations;
mod extended;
mod formulas;
mod site;
mod starts;
mod statements;
mod symbols;
mod values;
mod words;

pub use counts::miscounted;
pub use site::{DeclaredNames, Repair, Site, capital};
pub use starts::{begins_declaration, listed, type_first};
pub use words::{keyword, property_of_runs};

/// The repair, if a rule recognises what was meant.
pub fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    extended::repair(site)
        .or_else(|| counts::repair(site))
        .or_else(|| words::repair(site))
        .or_else(|| declarations::repair(site))
        .or_else(|| blocks::requires(site))
        .or_else(|| statements::repair(site))
        .or_else(|| formulas::repair(site))
        .or_else(|| blocks::repair(site))
        .or_else(|| words::reserved(site))
}
