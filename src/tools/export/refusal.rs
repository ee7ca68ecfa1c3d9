//! Why a system cannot be said in another language.

use cubicle_lang::diagnostic::Span;

/// What the target cannot say, and where the model says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// For a person, as a sentence without its full stop.
    pub what: String,
    /// The construct; `None` when it is about the command rather than the model.
    pub span: Option<Span>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Refusal {
    /// About the construct at `span`.
    pub fn at(span: Span, what: impl Into<String>) -> Self {
        Self { what: what.into(), span: Some(span), help: None }
    }

    /// About the command.
    pub fn of_command(what: impl Into<String>) -> Self {
        Self { what: what.into(), span: None, help: None }
    }

    /// With advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}
