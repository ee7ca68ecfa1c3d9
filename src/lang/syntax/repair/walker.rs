//! Finds the first rule of the table that fits a place where a declaration fails to parse.

use std::collections::HashMap;
use std::sync::LazyLock;

use cubicle_grammar::Failure;

use super::lists::TABLE;
use super::rule::{self, Rule};
use super::site::{DeclaredNames, Repair, Site};
use crate::diagnostic::Diagnostic;
use crate::syntax::token::Placed;

/// The rules of each section, in the order in which they are tried.
static RULES: LazyLock<HashMap<&str, Vec<Rule>>> =
    LazyLock::new(|| rule::read(TABLE).expect("each line of the table is well-formed"));

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
    RULES.get(section)?.iter().find_map(|rule| rule.apply(site))
}
