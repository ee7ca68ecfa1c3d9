//! Why a cluster failed.

use std::fmt::Display;

/// Why a cluster failed, for the user.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

impl Fault {
    /// This failed, for the reason that follows.
    pub(crate) fn of<E: Display>(what: &str) -> impl Fn(E) -> Self + '_ {
        move |error| Self(format!("{what}: {error}"))
    }
}
