//! The meaning of names while a formula is elaborated, and the types of terms: numbers without a point are ints and reals until the
//! context decides.

use super::symbols::Symbols;
use super::{Cell, EnumId, Linear, ProcRef, Term, Type, VarId};

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

#[derive(Clone, PartialEq, Debug, Default)]
pub(super) enum TermMeaning {
    Value(Term, TermType),
    /// A cell whose index names no process, or one of which it is not known yet; the type if it has one.
    Undefined(Type),
    /// An error has been reported; compatible with everything.
    #[default]
    Unknown,
}

impl TermMeaning {
    pub const fn constructor(id: EnumId, number: u8) -> Self {
        Self::Value(Term::Constructor(number), TermType::Known(Type::Enum(id)))
    }

    pub const fn process(process: ProcRef) -> Self {
        Self::Value(Term::Proc(process), TermType::Known(Type::Proc))
    }

    pub fn cell(cell: Cell, ty: Type) -> Self {
        Self::Value(Term::held(cell, ty), TermType::Known(ty))
    }

    pub const fn number(number: Linear, ty: TermType) -> Self {
        Self::Value(Term::Linear(number), ty)
    }

    pub const fn ty(&self) -> TermType {
        match self {
            Self::Value(_, ty) => *ty,
            Self::Undefined(ty) => TermType::Known(*ty),
            Self::Unknown => TermType::Unknown,
        }
    }

    pub fn mentions_process_variable(&self) -> bool {
        matches!(self, Self::Value(term, _) if term.procs().iter().any(|p| matches!(p, ProcRef::Var(_))))
    }
}

/// A name in scope.
#[derive(Clone, Debug)]
pub(super) struct Named<'a> {
    pub name: &'a str,
    pub meaning: TermMeaning,
    /// The sort of its processes, where that is known.
    pub sort: Option<u8>,
    /// Of the name of a `let`, in a model with sorts: the variable that it stands for, if that holds a process.
    pub pointer: Option<VarId>,
    /// The pointers that are indices in what it stands for, with the sorts that the arrays have there.
    pub pointers: Vec<(VarId, u8)>,
}

/// Lower-case names in scope, innermost last.
#[derive(Clone, Default, Debug)]
pub(super) struct Scope<'a> {
    pub(super) names: Vec<Named<'a>>,
    /// Whether names that are not in scope belong to an unknown place of use: the body of a predicate
    /// that is checked on its own.
    pub open: bool,
}

impl<'a> Scope<'a> {
    /// Brings a name into scope.
    pub fn push(&mut self, name: &'a str, value: TermMeaning) {
        self.push_of(name, value, None);
    }

    /// Brings a name into scope whose processes are of a sort.
    pub fn push_of(&mut self, name: &'a str, value: TermMeaning, sort: Option<u8>) {
        self.names.push(Named { name, meaning: value, sort, pointer: None, pointers: Vec::new() });
    }

    /// Number of names in scope, for [`Scope::truncate`].
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Takes the names beyond the first `len` out of scope.
    pub fn truncate(&mut self, len: usize) {
        self.names.truncate(len);
    }

    pub fn lookup(&self, name: &str) -> Option<&TermMeaning> {
        self.innermost(name).map(|it| &it.meaning)
    }

    /// What is meant by a name here.
    pub fn innermost(&self, name: &str) -> Option<&Named<'a>> {
        self.names.iter().rev().find(|it| it.name == name)
    }

    /// All names, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.iter().map(|it| it.name)
    }
}
