//! Which instance is written: what the first lines of its file say, its names in the other language (those that are reserved there
//! are changed, and no two things have the same name), and why it is refused.

use std::collections::BTreeSet;

use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::Transition;
use cubicle_run::words::count;

/// The bounds of numbers: a step that leaves them is not possible.
pub type Range = Option<(i64, i64)>;

/// The size of an instance, and its names.
#[derive(Clone, Debug)]
pub struct InstanceName {
    /// Number of processes, at least 1.
    pub procs: usize,
    /// How many of them are of each sort, in a model with sorts.
    pub of_sorts: Vec<(String, usize)>,
    /// Bounds of numbers: a step that leaves them is not possible.
    pub range: Range,
    /// Where the model comes from, for a comment.
    pub source: String,
    /// Name of the module, for targets whose files have one.
    pub module: String,
}

/// The first lines of every file.
pub fn title(instance: &InstanceName, language: &str) -> Vec<String> {
    let of_sorts = instance.of_sorts.iter().map(|(sort, count)| format!("{sort}={count}"));
    let processes = match instance.procs {
        _ if !instance.of_sorts.is_empty() => format!("processes {}", of_sorts.collect::<Vec<_>>().join(",")),
        procs => count(procs, "process"),
    };
    let mut lines =
        vec![format!("{} with {processes}, for {language}; written by cubicle.", comment(&instance.source))];
    if let Some((low, high)) = instance.range {
        lines.push(format!(
            "Numbers are between {low} and {high}: a step that leaves these bounds is not possible."
        ));
    }
    lines
}

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

/// What the target cannot express, and where it stands in the model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// The message for the user, a sentence without its full stop.
    pub what: String,
    /// The construct; `None` when the command, not the model, is refused.
    pub span: Option<Span>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Refusal {
    /// Refuses the construct at `span`.
    pub fn at(span: Span, what: impl Into<String>) -> Self {
        Self { what: what.into(), span: Some(span), help: None }
    }

    /// Refuses the command.
    pub fn of_command(what: impl Into<String>) -> Self {
        Self { what: what.into(), span: None, help: None }
    }

    /// Adds advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
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
