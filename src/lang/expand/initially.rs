//! What `init` says besides its text: values of integers are in their ranges, and queues hold no messages.

use super::make::number;
use super::types::{Expander, Type, Variable};
use crate::syntax::ast::{Comparison, Expr, ExprKind, Loc, Name, Path, Property, Quantifier, Term};

impl Expander {
    /// Adds these conditions, and those that follow from declarations.
    pub(super) fn bounded_initially(&self, init: &mut Property, further: &[Expr]) {
        let at = init.body.span;
        let mut known: Vec<Expr> = Vec::new();
        let mut add = |part: Expr| {
            if !known.contains(&part) {
                known.push(part);
            }
        };
        further.iter().cloned().for_each(&mut add);
        let declared = self.symbols.variables.values().filter(|it| !it.derived);
        let leaves = declared.flat_map(|it| it.leaves.values().map(move |(leaf, ty)| (it, leaf, ty)));
        for (variable, leaf, ty) in leaves.clone() {
            let Type::Wide(low, high) = *ty else { continue };
            add(self.for_cells(variable, leaf, init, &|cell, _| {
                let compare = |op, bound| Expr::compare(cell.clone(), op, number(bound, Loc(at)), at);
                Expr::new(
                    ExprKind::And(vec![compare(Comparison::Ge, low), compare(Comparison::Le, high)]),
                    at,
                )
            }));
        }
        for (variable, leaf, ty) in leaves.filter(|it| it.0.ty.queue().is_some()) {
            let value = match Self::nothing(ty) {
                Some(value) => Some(self.core_value(ty, &value)),
                // The process of the channel.
                None if *ty == Type::Proc && variable.processes() > 0 => None,
                None => continue,
            };
            add(self.for_cells(variable, leaf, init, &|cell, names| {
                let own = names.first().map(|it| Term::name(it.clone()));
                let right = value.clone().or(own).unwrap_or_else(|| cell.clone());
                Expr::compare(cell.clone(), Comparison::Eq, right, at)
            }));
        }
        if known.is_empty() {
            return;
        }
        // Each conjunct by itself: with sorts, it is about those that it mentions.
        let mut parts = init.body.conjuncts().to_vec();
        parts.extend(known);
        init.body = Expr::new(ExprKind::And(parts), at);
    }

    /// That something holds of a variable of the core, or of all cells of an array, as a part of `init`.
    fn for_cells(
        &self,
        variable: &Variable,
        leaf: &str,
        init: &Property,
        holds: &dyn Fn(&Term, &[Name]) -> Expr,
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
        let body = holds(&Term::path(Path::at(array, index), loc), &names);
        let bound = names.into_iter().rev().filter(|_| !own);
        bound.fold(body, |body, name| Expr::quantified(Quantifier::Forall, vec![name], body, loc.0))
    }

    /// A value of a range, or of another finite type, in the core.
    fn core_value(&self, ty: &Type, value: &Term) -> Term {
        match (ty, self.constant(value)) {
            (Type::Finite(values), Some(number)) => {
                let at = values.low.and_then(|low| usize::try_from(number - low).ok()).unwrap_or(0);
                Term::named(&values.names[at], value.loc)
            }
            _ => value.clone(),
        }
    }
}
