//! Numbers of elements of sorts, as axioms and in bad states.

use super::claims::Never;
use super::formula::{App, Formula, Term, VarId};
use super::sizes::Sizes;
use super::steps::element;
use super::symbols::{Symbols, Vars};

/// What never is: more elements than there may be.
pub(super) fn too_many(sizes: &Sizes, symbols: &mut Symbols<'_>, vars: &mut Vars) -> Vec<Never> {
    let mut all = Vec::new();
    for (sort, most, span) in sizes.bounded() {
        // An axiom has to be about something that never changes: a relation that holds of all elements.
        let name = format!("is_{}", symbols.sorts[sort.0].0);
        let symbol = symbols.add(name, false, vec![sort], None, span);
        let is = |var: VarId| Formula::Is(App { symbol, args: vec![Term::Var(var)], new: false });
        let params: Vec<VarId> = (0..=most).map(|_| element(symbols, vars, sort, span)).collect();
        let never =
            |params: Vec<VarId>, formula: Formula| Never { params, formula, span, remark: String::new() };
        all.push(never(vec![params[0]], is(params[0]).not()));
        all.push(never(params.clone(), is(params[0])));
    }
    all
}

/// Gives bad states the elements that there are in any case: there is none where a sort has fewer.
pub(super) fn pad(sizes: &Sizes, all: &mut [Never], symbols: &Symbols<'_>, vars: &mut Vars) {
    for one in all {
        for (sort, least) in sizes.several() {
            let of_sort = one.params.iter().filter(|it| vars.known(**it) == sort).count();
            for _ in of_sort..least {
                one.params.push(element(symbols, vars, sort, one.span));
            }
        }
        one.params.sort_by_key(|it| vars.known(*it));
    }
}
