//! Messages to the user, with their places in the model.

use schemars::JsonSchema;
use serde::Serialize;

pub use cubicle_lang::diagnostic::Lines;
use cubicle_lang::diagnostic::{Diagnostic, Severity, Span};

/// A message.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct Message {
    /// How serious it is.
    pub level: Level,
    /// Stable code, which `cubicle explain` explains; `null` for what is not about the text of the model.
    pub code: Option<String>,
    /// The message in one line.
    pub text: String,
    /// Where in the model; `null` when it has no place.
    pub place: Option<TextRange>,
    /// What to say about this place; may be empty.
    pub label: String,
    /// Other places that matter.
    pub related: Vec<Related>,
    /// How to fix it.
    pub help: Option<String>,
}

/// How serious a message is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// It ends the run, or is what the run looked for.
    Error,
    /// The model probably does not say what was meant, or the answer says less than it seems to.
    Warning,
    /// Information.
    Note,
    /// Advice.
    Help,
}

/// A part of the model's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct TextRange {
    /// Line of its first character, from 1.
    pub line: usize,
    /// Its column in characters, from 1.
    pub column: usize,
    /// Line of the first character after it.
    pub end_line: usize,
    /// Its column.
    pub end_column: usize,
}

impl TextRange {
    /// Where `span` is.
    pub fn new(lines: &Lines<'_>, span: Span) -> Self {
        let (line, column) = lines.position(span.start);
        let (end_line, end_column) = lines.position(span.end.max(span.start));
        Self { line, column, end_line, end_column }
    }
}

/// Another place of a message.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
pub struct Related {
    /// Where.
    #[serde(flatten)]
    pub place: TextRange,
    /// What to say about it; may be empty.
    pub label: String,
}

impl Message {
    /// A message without a place in the model.
    pub fn new(level: Level, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { level, code: None, text, place: None, label: String::new(), related: Vec::new(), help: None }
    }

    /// A diagnostic of the model with these lines.
    pub fn of(diagnostic: &Diagnostic, lines: &Lines<'_>) -> Self {
        let related = diagnostic
            .secondary
            .iter()
            .map(|label| Related { place: TextRange::new(lines, label.span), label: label.text.clone() });
        Self {
            level: match diagnostic.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
            },
            code: Some(diagnostic.code.to_owned()),
            text: diagnostic.message.clone(),
            place: Some(TextRange::new(lines, diagnostic.primary.span)),
            label: diagnostic.primary.text.clone(),
            related: related.collect(),
            help: diagnostic.help.clone(),
        }
    }

    /// As one line of `--message-format json`, without line end.
    ///
    /// # Panics
    /// Never: all keys are strings.
    pub fn line(&self) -> String {
        serde_json::to_string(self).expect("keys are strings")
    }
}
