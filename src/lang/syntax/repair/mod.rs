//! Typing errors and habits from other languages: finds what was meant where a declaration fails to parse, so that
//! the error can name it and the rest of the declaration is still read.
//!
//! Rules look at the failing place only, never at text that parses: no correct model is read differently.
//! Each returns the tokens to go on with; the parser tries again with them, and gives up without another
//! message when that brings it no further.

mod counts;
mod declarations;
mod lists;
mod rule;
mod site;
mod special;
mod updates;

pub use self::counts::miscounted;
pub use self::site::{DeclaredNames, Repair, Site};

use std::collections::HashMap;
use std::sync::LazyLock;

use self::lists::TABLE;
use self::rule::Rule;
use crate::diagnostic::Diagnostic;

/// The rules of each section, in the order in which they are tried.
static RULES: LazyLock<HashMap<&str, Vec<Rule>>> =
    LazyLock::new(|| rule::read(TABLE).expect("each line of the table is well-formed"));

/// The repair, if a rule recognises what was meant.
pub fn repair<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    apply("slips", site)
}

/// The repair for text that begins with no keyword of a declaration.
pub fn start<'t>(site: &Site<'_, 't>) -> Option<Repair<'t>> {
    of_a_branch(site).map(Repair::lost).or_else(|| apply("starts", site))
}

/// The error for a construct of another branch of Cubicle.
pub fn of_a_branch(site: &Site<'_, '_>) -> Option<Diagnostic> {
    apply("branches", site)?.diagnostic
}

fn apply<'t>(section: &str, site: &Site<'_, 't>) -> Option<Repair<'t>> {
    RULES.get(section)?.iter().find_map(|rule| rule.apply(site))
}
