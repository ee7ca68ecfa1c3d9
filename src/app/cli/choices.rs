//! The named values that flags accept.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use cubicle_report::document::{Document, DocumentKind};
use cubicle_run::StoreKind;
use cubicle_run::named::Named;

/// Parses the name of a value; `--help` lists them.
pub fn named<T: Named>() -> impl TypedValueParser<Value = T> {
    let value = |it: &T| PossibleValue::new(it.name()).help(it.about().trim_end_matches('.'));
    PossibleValuesParser::new(T::ALL.iter().map(value))
        .map(|name| T::by_name(&name).expect("the parser accepts these names only"))
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

/// Ways to store states; the one with a size is a flag of its own.
pub const STORES: [Choice<StoreKind>; 3] = [
    ("auto", StoreKind::Auto, "In a table until the memory limit is near, then compact"),
    ("compact", StoreKind::Compact, "As numbers of the records that they consist of: about eight bytes each"),
    ("table", StoreKind::Table, "As they are, in a hash table"),
];

/// What is written to standard output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ResultFormat {
    /// Text for a person.
    Human,
    Json,
    /// Lines of JSON as they come, then the document in a line.
    Ndjson,
    /// Messages and findings as one document in SARIF.
    Sarif,
    /// Each property, model or log as a case of JUnit.
    Junit,
    /// Text for a person; the messages are workflow commands of GitHub.
    Github,
}

impl ResultFormat {
    /// What is written of a run with no results but those in `run`, the document of any run; `None` for people.
    pub fn without_results(self, kind: DocumentKind, run: &Document) -> Option<String> {
        match self {
            Self::Human | Self::Github => None,
            Self::Json => Some(kind.without_results(run, false)),
            Self::Ndjson => Some(kind.without_results(run, true)),
            Self::Sarif => Some(cubicle_report::sarif(run)),
            Self::Junit => Some(cubicle_report::junit_of_run(run)),
        }
    }
}

/// A value that a flag accepts: how it is written on the command line, and what it is.
pub type Choice<T> = (&'static str, T, &'static str);

/// Parses the name of one of these values; `--help` lists them.
pub fn choice<T: Copy + Send + Sync>(choices: &'static [Choice<T>]) -> impl TypedValueParser<Value = T> {
    // `text` is `human`, too: it is the name that all other commands have.
    let value = |(name, _, about): &Choice<T>| {
        PossibleValue::new(*name).help(*about).aliases((*name == "text").then_some("human"))
    };
    PossibleValuesParser::new(choices.iter().map(value)).map(move |given| {
        let chosen = choices.iter().find(|(name, ..)| *name == given || *name == "text" && given == "human");
        chosen.expect("the parser accepts these names only").1
    })
}

/// The formats of commands whose document is that of a run.
pub const OF_RUNS: [Choice<ResultFormat>; 2] = [
    ("human", ResultFormat::Human, "Text for a person"),
    ("json", ResultFormat::Json, "The document of a run, whose schema is in docs/schema/run.json"),
];

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
