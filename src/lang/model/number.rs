//! Types of terms while a formula is elaborated: numbers without a point are ints and reals until the
//! context decides.

use super::symbols::Symbols;
use super::{Cell, Linear, Rational, Type};

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

/// A numeric term with its type.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct NumericTerm {
    pub linear: Linear,
    /// Int, real, or (for a literal without point) both.
    pub kind: NumberKind,
}

/// Type of a numeric term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NumberKind {
    Int,
    Real,
    IntLiteral,
}

impl NumericTerm {
    pub fn ty(&self) -> TermType {
        match self.kind {
            NumberKind::Int => TermType::Known(Type::Int),
            NumberKind::Real => TermType::Known(Type::Real),
            NumberKind::IntLiteral => TermType::IntLiteral,
        }
    }

    /// A cell of type int or real.
    pub fn cell(cell: Cell, ty: Type) -> Self {
        let kind = if ty == Type::Real { NumberKind::Real } else { NumberKind::Int };
        Self { linear: Linear { terms: vec![(cell, Rational::ONE)], constant: Rational::ZERO }, kind }
    }

    pub fn literal(value: Rational, real: bool) -> Self {
        let kind = if real { NumberKind::Real } else { NumberKind::IntLiteral };
        Self { linear: Linear { terms: Vec::new(), constant: value }, kind }
    }
}
