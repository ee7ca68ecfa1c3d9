//! Why a command is refused.

/// Why a command is refused. The session is unchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CommandRefusal {
    /// What is wrong, in one line.
    pub what: String,
    /// What is possible instead.
    pub help: String,
}

impl CommandRefusal {
    pub(super) fn new(what: impl Into<String>, help: impl Into<String>) -> Self {
        Self { what: what.into(), help: help.into() }
    }
}
