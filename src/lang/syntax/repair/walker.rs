//! Finds the first rule of the table that fits a place where a declaration fails to parse, or where one begins.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::lists::TABLE;
use super::rule::{self, Rule};
use super::site::{Repair, Site};
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
