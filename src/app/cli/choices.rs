//! The named values that flags accept.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cubicle_run::named::Named;

/// Parses the name of a value; `--help` lists them.
pub fn named<T: Named>() -> impl TypedValueParser<Value = T> {
    let value = |it: &T| PossibleValue::new(it.name()).help(it.about().trim_end_matches('.'));
    PossibleValuesParser::new(T::ALL.iter().map(value))
        .map(|name| *T::ALL.iter().find(|it| it.name() == name).expect("the parser accepts these names only"))
}

/// Orders of the backward search.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum NodeOrder {
    /// First in, first out
    Bfs,
    /// Last in, first out
    Dfs,
    /// Smallest cube first, then the shallowest
    Bfsh,
    /// Smallest cube first, then the deepest
    Dfsh,
    /// As bfs, approximations first
    Bfsa,
    /// As dfs, approximations first
    Dfsa,
}

/// Deciders of hard tests.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Solver {
    /// The finite-domain procedure, Z3 only where it is not complete
    Layered,
    /// Always Z3
    Z3,
}

/// Formats of the original Cubicle's certificates.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CertificateFormat {
    /// Why3
    #[value(alias = "why3", alias = "whyinst")]
    Why,
    /// Alt-Ergo
    AltErgo,
}

/// Strategies of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Forward {
    /// Breadth first
    Bfs,
    /// Depth first
    Dfs,
    /// Restarting random walks
    Random,
    /// Coverage-guided fuzzing: walks steered to unseen combinations of values
    Cfl,
}

/// Ways to store states.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Store {
    /// In a table until the memory limit is near, then compact
    Auto,
    /// As numbers of the records that they consist of: about eight bytes each
    Compact,
    /// As they are, in a hash table
    Table,
}

/// Ways to choose walks.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum WalkChoice {
    /// By what found new combinations lately, half of them towards guards that never held
    Adaptive,
    /// Uniformly, as published
    Uniform,
}

/// Cells shown in a trace.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum ShownCells {
    /// Those that the step changed
    Diff,
    /// All
    Full,
}

/// Ways to deal with a vacuous answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum OnVacuity {
    /// Warn
    Warn,
    /// Give no answer: exit code 3
    Error,
    /// Do not check
    Ignore,
}

/// Formats of results.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ResultFormat {
    /// For a person
    Human,
    /// One JSON document, however the run ends
    Json,
    /// Events as they come, a JSON object each, then the document in one line
    Ndjson,
}

/// Formats of messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum MessageFormat {
    /// For a person
    Human,
    /// A JSON object each
    Json,
    /// One document in SARIF 2.1.0, with the traces that were found
    Sarif,
    /// Workflow commands of GitHub, which annotate lines
    Github,
}

/// What can be denied.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Deny {
    /// All warnings
    Warnings,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Color {
    /// On a terminal, unless `NO_COLOR` is set; anywhere when `CLICOLOR_FORCE` is
    Auto,
    /// Into pipes too
    Always,
    /// Nowhere
    Never,
}
