//! Names: their meaning, their scope, and each place where they occur.

use crate::diagnostic::Span;
use crate::named;

named! {
    /// The kinds of named things.
    #[derive(Hash)]
    pub enum NameKind {
        /// A declared type.
        Type = "type",
        /// A value of an enum.
        Constructor = "constructor",
        /// A variable of one cell.
        Global = "variable",
        /// A field of a record.
        Field = "field",
        /// A constant.
        Const = "constant",
        /// An array.
        Array = "array",
        /// A macro for formulas.
        Predicate = "predicate",
        /// A transition.
        Transition = "transition",
        /// A property with a name.
        Property = "property",
        /// A process: a parameter, bound by a quantifier, or by the update of an array.
        Process = "process",
        /// A parameter of a predicate.
        Argument = "argument",
        /// An abbreviation by `let`.
        Abbreviation = "abbreviation",
    }
}

impl NameKind {
    /// Whether a symbol can be named in the whole file.
    pub const fn is_global(self) -> bool {
        !matches!(self, Self::Process | Self::Argument | Self::Abbreviation)
    }

    /// Names are distinct among the kinds of the same number.
    pub const fn space(self) -> u8 {
        match self {
            Self::Type => 0,
            Self::Constructor | Self::Global | Self::Const | Self::Array => 1,
            Self::Predicate => 2,
            Self::Transition => 3,
            Self::Property => 5,
            Self::Field => 6,
            Self::Process | Self::Argument | Self::Abbreviation => 4,
        }
    }
}

/// Something with a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedSymbol {
    /// The name.
    pub name: String,
    /// Its kind.
    pub kind: NameKind,
    /// Its type, for variables and constructors.
    pub ty: Option<String>,
    /// The name where it is defined.
    pub definition: Span,
    /// Where it can be named.
    pub scope: Span,
    /// Index of the declaration in [`File::items`](crate::syntax::ast::File::items).
    pub item: usize,
}

/// How a name is used.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Role {
    /// It is defined.
    Definition,
    /// It is read.
    Read,
    /// It gets a value.
    Write,
}

/// A place where something is named.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Use {
    /// The name.
    pub span: Span,
    /// Index of its symbol in [`Index::symbols`](super::Index::symbols).
    pub symbol: usize,
    /// How it is used.
    pub role: Role,
    /// Index of the declaration that it stands in.
    pub item: usize,
}
