//! Typing errors and habits from other languages: finds what was meant where a declaration fails to parse, so that
//! the error can name it and the rest of the declaration is still read.
//!
//! Rules look at the failing place only, never at text that parses: no correct model is read differently.
//! Each returns the tokens to go on with; the parser tries again with them, and gives up without another
//! message when that brings it no further.

mod counts;
mod declarations;
mod formulas;
mod rule;
mod site;
mod special;
mod starts;
mod updates;
mod words;

use std::sync::LazyLock;

use cubicle_grammar::Failure;

use super::token::Placed;
use crate::diagnostic::Diagnostic;

pub use counts::miscounted;
pub use site::{DeclaredNames, Repair, Site, capital};
pub use starts::{begins_declaration, listed, type_first};
pub use words::{keyword, property_of_runs};

static TABLE: LazyLock<rule::Table> =
    LazyLock::new(|| rule::read(include_str!("slips.txt")).expect("each line of the table is well-formed"));

/// The repair, if a rule recognises what was meant.
pub fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    apply("slips", site)
}

/// The error for a construct of another branch of Cubicle at token number `at`, where a declaration fails to parse.
pub fn of_a_branch(chunk: &[Placed<'_>], at: usize, text: &str) -> Option<Diagnostic> {
    let failure = Failure { at, expected: Vec::new() };
    let known = DeclaredNames::default();
    apply("branches", &Site::new(chunk, &failure, text, &known, false)).and_then(|repair| repair.diagnostic)
}

fn apply<'t>(section: &str, site: &Site<'_, 't>) -> Option<Repair<'t>> {
    TABLE.rules.get(section)?.iter().find_map(|rule| rule.apply(site))
}

/// Whether a word is in a list of the table.
fn listed_word(list: &str, word: &str) -> bool {
    TABLE.lists.get(list).is_some_and(|words| words.contains(&word))
}
