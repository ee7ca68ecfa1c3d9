//! Why a system cannot be expressed in another language.

use cubicle_lang::diagnostic::Span;

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
