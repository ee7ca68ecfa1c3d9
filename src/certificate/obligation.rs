//! One proof obligation of an invariant.

/// A proof obligation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Obligation {
    /// No initial state is in this cube.
    Initiation(usize),
    /// No step of this transition leads from the invariant into this cube.
    Consecution {
        /// Index of the transition.
        transition: usize,
        /// Number of the cube.
        cube: usize,
    },
    /// No state of the invariant is in this bad cube of the model.
    Property(usize),
    /// Each initial state is one of the abstract model.
    Begins,
}

impl Obligation {
    /// The cube of the invariant that it is about.
    pub const fn cube(self) -> Option<usize> {
        match self {
            Self::Initiation(cube) | Self::Consecution { cube, .. } => Some(cube),
            Self::Property(_) | Self::Begins => None,
        }
    }
}
