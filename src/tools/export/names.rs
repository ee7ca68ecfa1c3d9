//! Names of the model in another language: those that are reserved there are changed, and no two things
//! have the same name.

use std::collections::BTreeSet;

use cubicle_lang::model::Transition;

#[derive(Clone, Debug, Default)]
pub struct TakenNames {
    /// In lower case: some languages ignore case, and names that differ in case only are hard to read.
    taken: BTreeSet<String>,
}

impl TakenNames {
    /// Starts with the reserved words of the target, separated by blanks, which are not available.
    pub fn new(reserved: &str) -> Self {
        Self { taken: reserved.split_whitespace().map(str::to_ascii_lowercase).collect() }
    }

    /// `wanted`, or if that is taken, `wanted` with a number.
    pub fn fresh(&mut self, wanted: &str) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1;
        while !self.taken.insert(name.to_ascii_lowercase()) {
            number += 1;
            name = format!("{wanted}_{number}");
        }
        name
    }
}

/// Names for the processes that the universal guards of a transition quantify over.
pub fn others(names: &TakenNames, transition: &Transition) -> Vec<String> {
    let mut names = names.clone();
    let most = transition.universals.iter().map(|it| it.bound).max().unwrap_or(0);
    (0..most).map(|_| names.fresh("q")).collect()
}

/// Makes a text safe for a comment: printable ASCII without the marks that begin or end comments in any target.
pub fn comment(text: &str) -> String {
    let plain: String = text.chars().map(|c| if (' '..='~').contains(&c) { c } else { '?' }).collect();
    plain
        .replace("*/", "* /")
        .replace("/*", "/ *")
        .replace("*)", "* )")
        .replace("(*", "( *")
        .replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_valid_and_differ() {
        let mut names = TakenNames::new("Rule end");
        let given: Vec<String> =
            ["rule", "END", "A", "a", "A", "A_2"].map(|name| names.fresh(name)).into_iter().collect();
        assert_eq!(given, ["rule_2", "END_2", "A", "a_2", "A_3", "A_2_2"]);
    }

    #[test]
    fn comments_end_where_they_should() {
        assert_eq!(comment("a*/b\nc\\*)(*"), "a* /b?c/* )( *");
    }
}
