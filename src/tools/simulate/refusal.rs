//! Why a command is not followed.

/// Why a command is not followed. The session is as it was.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandRefusal {
    /// What is wrong, in one line.
    pub what: String,
    /// What is possible.
    pub help: String,
}

impl CommandRefusal {
    pub(super) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: help.into() }
    }
}
