//! The variables of both models side by side, and what cannot be stated about them.

use cubicle_lang::diagnostic::{Diagnostic, Span};
use cubicle_lang::model::{
    AbstractId, Assignment, Branch, Cell, EnumId, Linear, Literal, ProcRef, System, Term, Type, Update, Var,
    VarId, VarKind,
};
use cubicle_lang::syntax::ast::File;

use super::super::taken::{fresh_name, truth_values};
use super::ways::{Values, Ways, chosen};

/// One of the two models.
#[derive(Clone, Copy, Debug)]
pub struct RefinedModel<'a> {
    /// What it means.
    pub system: &'a System,
    /// Its syntax tree.
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

/// Why there is no derived system.
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

/// The variables of both models in one system, and what a derived system adds.
pub struct Scene {
    /// The concrete variables, the constants of `chosen`, `Failed`, the abstract variables.
    pub system: System,
    /// See [`Refinement::chosen`](super::Refinement::chosen).
    pub chosen: Vec<(VarId, VarId)>,
    /// The ghost variable that says that a step failed.
    pub failed: VarId,
    /// The types of the abstract model.
    enums: Vec<EnumId>,
}

impl Scene {
    /// With the choices of those variables by `?` that matter; `None` when there are too many variables or types.
    pub fn new(
        concrete: RefinedModel<'_>,
        abstraction: RefinedModel<'_>,
        matters: &dyn Fn(VarId) -> bool,
    ) -> Option<Self> {
        let mut parts = concrete.system.to_parts();
        let span = parts.init.span;
        let truth = truth_values(&mut parts)?;
        let mut chosen = Vec::new();
        for (id, var) in (0..).zip(&concrete.system.vars).filter(|(id, _)| matters(VarId(*id))) {
            let any = |update: &Update| update.var == VarId(id) && update.assignment == Assignment::Nondet;
            if concrete.system.transitions.iter().any(|it| it.updates.iter().any(any)) {
                chosen.push((VarId(id), VarId::new(parts.vars.len())?));
                let name = fresh_name(&parts, &format!("{}_chosen", var.name));
                parts.vars.push(Var { name, kind: VarKind::Const, ..var.clone() });
            }
        }
        let failed = VarId::new(parts.vars.len())?;
        let name = fresh_name(&parts, "Failed");
        parts.vars.push(Var { name, kind: VarKind::Global, ty: Type::Enum(truth), range: 0b11, span });
        let mut enums = Vec::new();
        for it in &abstraction.system.enums {
            let same = parts.enums.iter().position(|known| known == it);
            enums.push(EnumId(u16::try_from(same.unwrap_or(parts.enums.len())).ok()?));
            if same.is_none() {
                parts.enums.push(it.clone());
            }
        }
        let mut abstracts = Vec::new();
        for it in &abstraction.system.abstracts {
            let same = parts.abstracts.iter().position(|known| known == it);
            abstracts.push(AbstractId(u16::try_from(same.unwrap_or(parts.abstracts.len())).ok()?));
            if same.is_none() {
                parts.abstracts.push(it.clone());
            }
        }
        for var in &abstraction.system.vars {
            VarId::new(parts.vars.len())?;
            let ty = match var.ty {
                Type::Enum(id) => Type::Enum(enums[usize::from(id.0)]),
                Type::Abstract(id) => Type::Abstract(abstracts[usize::from(id.0)]),
                other => other,
            };
            // Constants of the abstract model get a meaning too.
            let kind = if var.kind == VarKind::Const { VarKind::Global } else { var.kind };
            let name = format!("{} of the abstract model", var.name);
            parts.vars.push(Var { name, kind, ty, range: u64::MAX, span });
        }
        let system = System::new(parts);
        Some(Self { system, chosen, failed, enums })
    }

    /// The number of variables of the derived system.
    pub fn kept(&self) -> usize {
        usize::from(self.failed.0) + 1
    }

    /// The id of an abstract variable.
    pub fn abstract_var(&self, id: VarId) -> VarId {
        VarId(self.failed.0 + 1 + id.0)
    }

    /// The id of a type of the abstract model.
    pub fn abstract_enum(&self, id: EnumId) -> EnumId {
        self.enums[usize::from(id.0)]
    }

    /// The abstract variable with this id, if it is one.
    fn abstract_of(&self, id: VarId) -> Option<VarId> {
        id.0.checked_sub(self.failed.0 + 1).map(VarId)
    }
}

impl Scene {
    /// A cube of the abstract model over the variables here.
    pub fn lifted(&self, cube: &[Literal]) -> Vec<Literal> {
        let cell = |it: &Cell| Cell { var: self.abstract_var(it.var), index: it.index.clone() };
        let linear = |it: &Linear| Linear {
            terms: it.terms.iter().map(|(at, factor)| (cell(at), *factor)).collect(),
            constant: it.constant,
        };
        let term = |it: &Term| match it {
            Term::Cell(at) => Term::Cell(cell(at)),
            Term::Linear(it) => Term::Linear(linear(it)),
            other => other.clone(),
        };
        let lift = |it: &Literal| match it {
            Literal::In { cell: at, values } => Literal::In { cell: cell(at), values: *values },
            Literal::Eq { left, right, negated } => {
                Literal::Eq { left: term(left), right: term(right), negated: *negated }
            }
            Literal::Less { left, right, strict } => {
                Literal::Less { left: term(left), right: term(right), strict: *strict }
            }
            Literal::Linear { expr, relation, integer } => {
                Literal::Linear { expr: linear(expr), relation: *relation, integer: *integer }
            }
        };
        cube.iter().map(lift).collect()
    }

    /// What an abstract cell holds, in terms of concrete ones; `None` for a concrete cell.
    pub fn before(&self, meanings: &[Vec<Branch>], cell: &Cell) -> Ways<Option<Values>> {
        let Some(var) = self.abstract_of(cell.var) else { return Ok(None) };
        let index = |p: ProcRef| match p {
            ProcRef::Var(v) => cell.index[usize::from(v)],
            constant @ ProcRef::Const(_) => constant,
        };
        chosen(&self.system, &meanings[usize::from(var.0)], &index).map(Some)
    }
}
