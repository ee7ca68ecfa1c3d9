//! The meaning of names while a formula is elaborated.

use super::number::{NumericTerm, TermType};
use super::{Cell, EnumId, ProcRef, Type, VarKind};

#[derive(Clone, PartialEq, Debug)]
pub(super) enum TermMeaning {
    Constructor(EnumId, u8),
    Proc(ProcRef),
    /// The value of an enum, abstract or proc cell.
    Cell(Cell, Type),
    Number(NumericTerm),
    /// A cell whose index names no process, or one of which it is not known yet; the type if it has one.
    Undefined(Type),
    /// An error has been reported; compatible with everything.
    Unknown,
}

impl TermMeaning {
    pub fn ty(&self) -> TermType {
        match self {
            Self::Constructor(id, _) => TermType::Known(Type::Enum(*id)),
            Self::Proc(_) => TermType::Known(Type::Proc),
            Self::Cell(_, ty) | Self::Undefined(ty) => TermType::Known(*ty),
            Self::Number(number) => number.ty(),
            Self::Unknown => TermType::Unknown,
        }
    }

    pub fn mentions_process_variable(&self) -> bool {
        let variable = |p: &ProcRef| matches!(p, ProcRef::Var(_));
        match self {
            Self::Proc(p) => variable(p),
            Self::Cell(cell, _) => cell.index.iter().any(variable),
            Self::Number(number) => {
                number.linear.terms.iter().any(|(cell, _)| cell.index.iter().any(variable))
            }
            Self::Constructor(..) | Self::Undefined(_) | Self::Unknown => false,
        }
    }
}

/// Lower-case names in scope, innermost last, with the sorts of their processes where these are known.
#[derive(Clone, Default, Debug)]
pub(super) struct Scope<'a> {
    pub(super) names: Vec<(&'a str, TermMeaning, Option<u8>)>,
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
        self.names.push((name, value, sort));
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
        self.names.iter().rev().find(|it| it.0 == name).map(|it| &it.1)
    }

    /// All names, for suggestions.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.names.iter().map(|it| it.0)
    }
}

impl super::Var {
    /// Whether this is a single cell.
    pub(super) const fn is_single(&self) -> bool {
        matches!(self.kind, VarKind::Global | VarKind::Const)
    }
}
