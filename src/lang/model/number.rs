//! Types of terms while a formula is elaborated: numbers without a point are ints and reals until the
//! context decides.

use super::Type;
use super::symbols::Symbols;

/// Type of a term; an integer literal is both an int and a real.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TermType {
    Known(Type),
    /// Int or real.
    IntLiteral,
    /// After an error.
    Unknown,
}

impl TermType {
    /// Whether values of the two types can be compared.
    pub fn compatible(self, other: Self) -> bool {
        match (self, other) {
            (Self::Unknown, _) | (_, Self::Unknown) | (Self::IntLiteral, Self::IntLiteral) => true,
            (Self::Known(a), Self::Known(b)) => a == b,
            (Self::IntLiteral, Self::Known(ty)) | (Self::Known(ty), Self::IntLiteral) => ty.is_numeric(),
        }
    }

    /// The type as the user writes it.
    pub fn name(self, symbols: &Symbols) -> &str {
        match self {
            Self::Known(ty) => symbols.type_name(ty),
            Self::IntLiteral => "int",
            Self::Unknown => "unknown",
        }
    }
}
