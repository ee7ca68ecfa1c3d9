//! The variables of both models side by side.

use crate::diagnostic::{Diagnostic, Span};
use crate::model::{AbstractId, EnumId, System, SystemParts, Type, VarId, VarKind};
use crate::syntax::ast::File;

/// One of the two models.
#[derive(Clone, Copy, Debug)]
pub struct RefinedModel<'a> {
    /// What it means.
    pub system: &'a System,
    /// Its syntax tree, in the core language ([`core`](crate::load::core)): its transitions have the numbers of those of `system`.
    pub file: &'a File,
}

/// The text that an error is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InText {
    /// The concrete model.
    Concrete,
    /// The abstract model.
    Abstract,
    /// The map.
    Map,
}

/// Why nothing is said of a refinement.
#[derive(Clone, Debug)]
pub struct NoRefinement {
    /// The text with the places of the errors.
    pub of: InText,
    /// What is wrong, or cannot be stated.
    pub errors: Vec<Diagnostic>,
}

/// That something cannot be stated.
pub fn refused(of: InText, at: Span, why: impl Into<String>) -> NoRefinement {
    NoRefinement { of, errors: vec![Diagnostic::error("C0702", at, why)] }
}

/// A concrete model with the variables of an abstract one behind its own.
#[derive(Clone, Debug)]
pub struct BothModels {
    /// All variables; transitions and initial states are those of the concrete model.
    pub system: System,
    first: u16,
    enums: Vec<EnumId>,
}

impl BothModels {
    /// With the variables of `abstraction` behind those of `parts`; `None` when there are too many variables or types.
    pub fn new(mut parts: SystemParts, abstraction: &System) -> Option<Self> {
        let span = parts.init.span;
        let VarId(first) = VarId::new(parts.vars.len())?;
        let mut enums = Vec::new();
        for it in &abstraction.enums {
            let same = parts.enums.iter().position(|known| known == it);
            enums.push(EnumId(u16::try_from(same.unwrap_or(parts.enums.len())).ok()?));
            if same.is_none() {
                parts.enums.push(it.clone());
            }
        }
        let mut abstracts = Vec::new();
        for it in &abstraction.abstracts {
            let same = parts.abstracts.iter().position(|known| known == it);
            abstracts.push(AbstractId(u16::try_from(same.unwrap_or(parts.abstracts.len())).ok()?));
            if same.is_none() {
                parts.abstracts.push(it.clone());
            }
        }
        for var in &abstraction.vars {
            let ty = match var.ty {
                Type::Enum(id) => Type::Enum(enums[usize::from(id.0)]),
                Type::Abstract(id) => Type::Abstract(abstracts[usize::from(id.0)]),
                other => other,
            };
            // Constants of the abstract model get a meaning too.
            let kind = if var.kind == VarKind::Const { VarKind::Global } else { var.kind };
            let name = format!("{} of the abstract model", var.name);
            parts.declare(name, kind, ty, span)?;
        }
        Some(Self { system: System::new(parts), first, enums })
    }

    /// The id of an abstract variable.
    pub fn abstract_var(&self, id: VarId) -> VarId {
        VarId(self.first + id.0)
    }

    /// The id of a type of the abstract model.
    pub fn abstract_enum(&self, id: EnumId) -> EnumId {
        self.enums[usize::from(id.0)]
    }

    /// The abstract variable with this id, if it is one.
    pub fn abstract_of(&self, id: VarId) -> Option<VarId> {
        id.0.checked_sub(self.first).map(VarId)
    }
}
