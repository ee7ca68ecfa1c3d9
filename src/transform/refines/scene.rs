//! The variables of both models side by side, and what cannot be stated about them.

use cubicle_lang::model::{
    Assignment, Branch, Cell, Literal, ProcRef, System, Update, Var, VarId, VarKind, rename,
};
use cubicle_lang::refinement::{BothModels, RefinedModel};

use crate::taken::{flag, fresh_name};
use cubicle_lang::model::ways::{Values, Ways, chosen};

/// The variables of both models in one system, and what a derived system adds.
pub struct Scene {
    /// The concrete variables, the constants of `chosen`, `Failed`, the abstract variables.
    pub both: BothModels,
    /// See [`Refinement::chosen`](super::Refinement::chosen).
    pub chosen: Vec<(VarId, VarId)>,
    /// The ghost variable that says that a step failed.
    pub failed: VarId,
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
        let mut chosen = Vec::new();
        for (id, var) in (0..).zip(&concrete.system.vars).filter(|(id, _)| matters(VarId(*id))) {
            let any = |update: &Update| update.var == VarId(id) && update.assignment == Assignment::Nondet;
            if concrete.system.transitions.iter().any(|it| it.updates.iter().any(any)) {
                chosen.push((VarId(id), VarId::new(parts.vars.len())?));
                let name = fresh_name(&parts, &format!("{}_chosen", var.name));
                parts.vars.push(Var { name, kind: VarKind::Const, ..var.clone() });
            }
        }
        let failed = flag(&mut parts, "Failed", VarKind::Global, span)?;
        Some(Self { both: BothModels::new(parts, abstraction.system)?, chosen, failed })
    }

    /// The variables of both models, and what is added.
    pub fn system(&self) -> &System {
        &self.both.system
    }

    /// The number of variables of the derived system.
    pub fn kept(&self) -> usize {
        usize::from(self.failed.0) + 1
    }

    /// A cube of the abstract model over the variables here.
    pub fn lifted(&self, cube: &[Literal]) -> Vec<Literal> {
        let cell = |it: &Cell| Cell { var: self.both.abstract_var(it.var), index: it.index.clone() };
        cube.iter().map(|it| rename::replaced(it, &cell, &|process| process)).collect()
    }

    /// What an abstract cell holds, in terms of concrete ones; `None` for a concrete cell.
    pub fn before(&self, meanings: &[Vec<Branch>], cell: &Cell) -> Ways<Option<Values>> {
        let Some(var) = self.both.abstract_of(cell.var) else { return Ok(None) };
        let index = |p: ProcRef| p.renamed(|v| cell.index[usize::from(v)]);
        chosen(self.system(), &meanings[usize::from(var.0)], &index).map(Some)
    }
}
