//! What `init` says besides its text: values of integers are in their ranges, and queues hold no messages.

use super::make::{all, number};
use super::types::{Expander, Type, Variable};
use crate::list::add_new;
use crate::syntax::ast::{Comparison, Expr, ExprKind, Loc, Name, Path, Property, Quantifier, Term};

impl Expander {
    /// Adds these conditions, and those that follow from declarations.
    pub(super) fn bounded_initially(&mut self, init: &mut Property, further: &[Expr]) {
        let at = init.body.span;
        let declared = self.symbols.variables.values().filter(|it| !it.derived);
        let leaves = declared.flat_map(|it| it.leaves.values().map(move |(leaf, ty)| (it, leaf, ty)));
        let mut said: Vec<Expr> = Vec::new();
        for (variable, leaf, ty) in leaves.clone() {
            let Type::Wide(low, high) = *ty else { continue };
            let bounds = [(Comparison::Ge, low), (Comparison::Le, high)];
            let bounds = bounds.map(|(op, bound)| (op, Some(number(bound, Loc(at)))));
            said.push(self.for_cells(variable, leaf, init, &bounds));
        }
        for (variable, leaf, ty) in leaves.filter(|it| it.0.ty.queue().is_some()) {
            let value = Self::nothing(ty);
            if value.is_some() || *ty == Type::Proc && variable.processes() > 0 {
                said.push(self.for_cells(variable, leaf, init, &[(Comparison::Eq, value)]));
            }
        }
        let said = said.iter().map(|it| self.formula(it));
        let mut known: Vec<Expr> = Vec::new();
        for part in further.iter().cloned().chain(said) {
            add_new(&mut known, part);
        }
        if known.is_empty() {
            return;
        }
        // Each conjunct by itself: with sorts, it is about those that it mentions.
        let mut parts = init.body.conjuncts().to_vec();
        parts.extend(known);
        init.body = Expr::new(ExprKind::And(parts), at);
    }

    /// That a variable of the core, or each cell of an array, compares so with these values, as a part of `init`; without a value, with the
    /// process of the cell.
    fn for_cells(
        &self,
        variable: &Variable,
        leaf: &str,
        init: &Property,
        compared: &[(Comparison, Option<Term>)],
    ) -> Expr {
        let loc = Loc(init.body.span);
        let processes = variable.processes();
        let sorts = self.sorts.as_ref().and_then(|it| it.indices.get(leaf));
        let sorts = sorts.map_or(&[][..], Vec::as_slice);
        let own = init.params.len() >= processes && sorts.is_empty();
        let new = |it: usize| {
            let name = Name::at(format!("any_{leaf}_{it}"), loc);
            sorts.get(it).map_or(name.clone(), |sort| name.of_sort(Name::at(sort, loc)))
        };
        let names: Vec<Name> =
            if own { init.params[..processes].to_vec() } else { (0..processes).map(new).collect() };
        let array = Name::at(leaf, loc);
        let index: Vec<Name> = names.iter().map(Name::plain).collect();
        let cell = Term::path(Path::at(array, index), loc);
        let compare = |(op, value): &(Comparison, Option<Term>)| {
            let own = || Term::name(names[0].clone());
            Expr::compare(cell.clone(), *op, value.clone().unwrap_or_else(own), loc.0)
        };
        let body = all(compared.iter().map(compare).collect(), loc.0);
        let bound = names.into_iter().rev().filter(|_| !own);
        bound.fold(body, |body, name| Expr::quantified(Quantifier::Forall, vec![name], body, loc.0))
    }
}
