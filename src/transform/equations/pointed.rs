//! What terms of type proc say of one value, that of a process or of a constant, where cells of `bool` stand for them.

use cubicle_lang::model::{Cell, Literal, Term};

/// What a term of type proc says of the value.
pub enum Pointed {
    /// It is the value, or it is not.
    Known(bool),
    /// It is while this cell holds `True`.
    Cell(Cell),
}

impl Pointed {
    /// The same as a term of `bool`.
    pub fn term(self) -> Term {
        match self {
            Self::Known(is) => Term::Constructor(u8::from(is)),
            Self::Cell(cell) => Term::Cell(cell),
        }
    }

    /// What it says of cells that two terms are the same, or are not, and whether this is all: two that are not the value may differ. `None` where
    /// it says nothing of cells.
    pub fn compared(self, other: Self, negated: bool) -> Option<(Literal, bool)> {
        match (self, other) {
            (Self::Known(true), Self::Cell(cell)) | (Self::Cell(cell), Self::Known(true)) => {
                Some((Literal::is(cell, !negated), true))
            }
            (Self::Known(false), Self::Cell(cell)) | (Self::Cell(cell), Self::Known(false)) => {
                (!negated).then(|| (Literal::is(cell, false), false))
            }
            (Self::Cell(a), Self::Cell(b)) if !negated && a != b => {
                Some((Literal::Eq { left: Term::Cell(a), right: Term::Cell(b), negated: false }, false))
            }
            _ => None,
        }
    }
}
