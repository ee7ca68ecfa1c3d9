//! Why a system cannot be derived from another one.

/// Why a system cannot be derived from another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotDerived {
    /// The request does not fit the system; a line for the user.
    Unfit(String),
    /// It may exist, but it is not derived here; a line for the user.
    TooHard(String),
}

impl NotDerived {
    /// For a system with more variables than there are numbers for.
    pub fn too_many_variables() -> Self {
        Self::TooHard("there are too many variables".to_owned())
    }
}
