//! Variables of mypyvy may be one element, parameters of a transition are different processes: a copy for each way in which they
//! coincide.

use super::decide::is_false;
use super::formula::{Formula, SortId, Term, VarId};
use super::sizes::Sizes;
use super::symbols::Vars;

/// The most ways in which the variables of one declaration may coincide.
pub(super) const MAX_WAYS: usize = 1024;

/// For each variable, the one that stands for it and all that are equal to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Way {
    /// The variables, and what stands for them: in the order of the parameters.
    pairs: Vec<(VarId, VarId)>,
}

/// All ways in which variables of one sort may coincide, the one in which all differ first; `None` when there are too many.
pub(super) fn ways(params: &[VarId], vars: &Vars) -> Option<Vec<Way>> {
    let mut all = vec![Way { pairs: Vec::new() }];
    for &param in params {
        let mut next = Vec::new();
        for way in &all {
            let mut with = |representative: VarId| {
                let mut pairs = way.pairs.clone();
                pairs.push((param, representative));
                next.push(Way { pairs });
            };
            with(param);
            way.params().into_iter().filter(|it| vars.known(*it) == vars.known(param)).for_each(with);
        }
        if next.len() > MAX_WAYS {
            return None;
        }
        all = next;
    }
    // Those with more different variables first: the copy that is named like the original is the usual one.
    all.sort_by_key(|it| std::cmp::Reverse(it.params().len()));
    Some(all)
}

impl Way {
    /// The variables that stand for themselves.
    pub fn params(&self) -> Vec<VarId> {
        self.pairs.iter().filter(|(var, of)| var == of).map(|(var, _)| *var).collect()
    }

    /// The others, with what stands for them.
    pub fn merged(&self) -> impl Iterator<Item = (VarId, VarId)> {
        self.pairs.iter().copied().filter(|(var, of)| var != of)
    }

    /// A formula or term of this way: its variables replaced, comparisons of them decided.
    pub fn of(&self, formula: &Formula) -> Formula {
        let replaced =
            formula.substitute(&|var| self.merged().find(|it| it.0 == var).map(|it| Term::Var(it.1)));
        apart(&replaced, &self.params())
    }

    /// Whether a conjunction plainly excludes it, where axioms hold of each element.
    pub fn excluded_by<'f>(
        &self,
        parts: impl IntoIterator<Item = &'f Formula>,
        axioms: &Facts,
        vars: &Vars,
    ) -> bool {
        let plain = parts.into_iter().filter(|it| !matches!(it, Formula::Each { .. })).cloned();
        let params = self.params();
        axioms.exclude(&Formula::and(plain), &params, vars, &params)
    }

    /// What coincides, in words: `n = sender`.
    pub fn remark(&self, vars: &Vars) -> String {
        let equal = self.merged().map(|(var, of)| format!("{} = {}", vars.name(of), vars.name(var)));
        equal.collect::<Vec<_>>().join(", ")
    }
}

/// A formula where these variables are different elements: comparisons of them are decided.
pub(super) fn apart(formula: &Formula, params: &[VarId]) -> Formula {
    formula.map_literals(&mut |literal| match literal {
        Formula::Equal(sides) => match &**sides {
            [Term::Var(left), Term::Var(right)] if params.contains(left) && params.contains(right) => {
                Some(Formula::Bool(left == right))
            }
            _ => None,
        },
        _ => None,
    })
}

/// What axioms say of constants, of each element of a sort by itself, and of the number of elements of a sort.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    all: Vec<(Option<VarId>, Formula)>,
    pub sizes: Sizes,
}

/// The most variables of one sort with at most some elements of which it is said that some are equal.
const MAX_PIGEONS: usize = 7;

impl Facts {
    /// Those among some conjuncts.
    pub fn among<'f>(formulas: impl Iterator<Item = &'f Formula>, sizes: Sizes) -> Self {
        let fact = |formula: &Formula| match formula.normal() {
            Formula::Each { universal: true, vars, body }
                if vars.len() == 1 && !body.has(true) && !body.has(false) =>
            {
                Some((Some(vars[0]), *body))
            }
            formula if formula.free().is_empty() && !formula.has(true) && !formula.has(false) => {
                Some((None, formula))
            }
            _ => None,
        };
        Self { all: formulas.filter_map(fact).collect(), sizes }
    }

    /// Whether a formula is plainly false, by itself or with what the axioms say of these variables, where those of `distinct` differ.
    pub fn exclude(&self, formula: &Formula, about: &[VarId], vars: &Vars, distinct: &[VarId]) -> bool {
        if is_false(formula, distinct) || self.too_many(distinct, vars) {
            return true;
        }
        let mut all = vec![formula.clone()];
        for (of, fact) in &self.all {
            let Some(of) = of else {
                all.push(fact.clone());
                continue;
            };
            let same = about.iter().filter(|it| vars.known(**it) == vars.known(*of));
            all.extend(same.map(|var| fact.substitute(&|it| (it == *of).then_some(Term::Var(*var)))));
        }
        let mut known = formula.free();
        known.extend(about);
        all.extend(self.pigeons(known.into_iter().collect(), vars));
        is_false(&Formula::and(all), distinct)
    }

    /// Whether these are more elements of a sort than there are.
    fn too_many(&self, distinct: &[VarId], vars: &Vars) -> bool {
        let of_sort = |sort: SortId| distinct.iter().filter(|it| vars.known(**it) == sort).count();
        self.sizes.bounded().any(|(sort, most, _)| of_sort(sort) > most)
    }

    /// That some of these variables are equal, where there are more than elements of their sort.
    fn pigeons(&self, known: Vec<VarId>, vars: &Vars) -> Vec<Formula> {
        let mut all = Vec::new();
        for (sort, most, _) in self.sizes.bounded() {
            let of_sort: Vec<VarId> =
                known.iter().copied().filter(|it| vars.sort(*it) == Some(sort)).collect();
            if of_sort.len() > MAX_PIGEONS {
                continue;
            }
            for set in (0_u32..1 << of_sort.len()).filter(|it| it.count_ones() as usize == most + 1) {
                let these: Vec<VarId> =
                    (0..of_sort.len()).filter(|at| set >> at & 1 == 1).map(|at| of_sort[at]).collect();
                let pairs = these.iter().enumerate().flat_map(|(at, one)| {
                    these[..at].iter().map(|it| Formula::equal(Term::Var(*one), Term::Var(*it)))
                });
                all.push(Formula::or(pairs));
            }
        }
        all
    }
}

/// An application of a function that is an argument, and whose own arguments are none: `f(x)` in `r(f(x))`. The language has only names
/// there. The innermost of the first; `skip` says which are not meant.
pub(super) fn argument(formula: &Formula, skip: &dyn Fn(&Term) -> bool) -> Option<Term> {
    let mut found = None;
    formula.each_app(&mut |app| {
        let simple =
            |arg: &&Term| matches!(arg, Term::App(app) if app.args.iter().all(|it| matches!(it, Term::Var(_))));
        found = found.take().or_else(|| app.args.iter().find(|arg| simple(arg) && !skip(arg)).cloned());
    });
    found
}

/// A formula with a variable in place of a term.
pub(super) fn named(formula: &Formula, term: &Term, var: VarId) -> Formula {
    formula.map(&mut |it| if it == *term { Term::Var(var) } else { it })
}

/// A literal as one whose arguments are names, with new variables for the others: of those that equal what they stand for, or, where it is
/// universal, of all that do.
pub(super) fn flattened(
    literal: &Formula,
    universal: bool,
    fresh: &mut dyn FnMut(&Term) -> VarId,
) -> (Vec<VarId>, Formula) {
    let (mut literal, mut vars, mut equal) = (literal.clone(), Vec::new(), Vec::new());
    while let Some(term) = argument(&literal, &|_| false) {
        let var = fresh(&term);
        literal = named(&literal, &term, var);
        vars.push(var);
        equal.push(Formula::equal(Term::Var(var), term));
    }
    let whole = if universal {
        Formula::and(equal).implies(literal).normal()
    } else {
        Formula::and(equal.into_iter().chain([literal]))
    };
    (vars, whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_lang::diagnostic::Span;

    #[test]
    fn there_is_a_copy_for_each_partition() {
        let mut vars = Vars::default();
        let mut params = |count: usize, sort: usize| -> Vec<VarId> {
            (0..count).map(|_| vars.new_var("x", Span::default(), Some(SortId(sort)))).collect()
        };
        let all = [params(3, 0), params(2, 1)].concat();
        let ways = ways(&all, &vars).expect("few");
        // Bell numbers: 5 partitions of three, 2 of two.
        assert_eq!(ways.len(), 10);
        assert_eq!(ways[0].params(), all);
        let equal = Formula::equal(Term::Var(all[0]), Term::Var(all[1]));
        let merged = ways.iter().filter(|it| it.of(&equal) == Formula::TRUE).count();
        assert_eq!(merged, 4);
        assert_eq!(ways.iter().filter(|it| it.of(&equal) == Formula::FALSE).count(), 6);
    }
}
