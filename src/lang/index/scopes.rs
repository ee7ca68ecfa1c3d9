//! Names: their meaning, their scope, and each place where they occur.

use crate::diagnostic::Span;

/// The kinds of named things.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NameKind {
    /// A declared type.
    Type,
    /// A value of an enum.
    Constructor,
    /// A variable of one cell.
    Global,
    /// A field of a record.
    Field,
    /// A constant.
    Const,
    /// An array.
    Array,
    /// A macro for formulas.
    Predicate,
    /// A transition.
    Transition,
    /// A property with a name.
    Property,
    /// A process: a parameter, bound by a quantifier, or by the update of an array.
    Process,
    /// A parameter of a predicate.
    Argument,
    /// An abbreviation by `let`.
    Abbreviation,
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

    /// In words.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Type => "type",
            Self::Constructor => "constructor",
            Self::Global => "variable",
            Self::Field => "field",
            Self::Const => "constant",
            Self::Array => "array",
            Self::Predicate => "predicate",
            Self::Transition => "transition",
            Self::Property => "property",
            Self::Process => "process",
            Self::Argument => "argument",
            Self::Abbreviation => "abbreviation",
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
