//! Sorts that are enumerations: different constants, and an axiom by which each element is one of them.
//!
//! Such a sort becomes an enumerated type, and the constants its values, where no relation or function has an argument of the sort. What is said
//! of all its elements is said of each value, and a transition with a parameter of the sort is one for each value. So no variable of
//! the sort is left.

use std::collections::BTreeMap;

use cubicle_lang::diagnostic::Span;

use super::alternatives::{MAX_ALTERNATIVES, flat};
use super::formula::{App, Formula, SortId, SymbolId, Term, VarId};
use super::resolve::{MAX_PARTS, Part};
use super::symbols::{Symbols, Vars};
use super::tree::{Made, refuse};

/// The most values of an enumerated type, as the language has it.
const MAX_VALUES: usize = 64;

/// The sorts that the axioms make enumerations, with their values.
pub(super) fn enumerations(axioms: &[Part], symbols: &Symbols<'_>) -> BTreeMap<SortId, Vec<SymbolId>> {
    let parts = flat(axioms.to_vec());
    let mut different: Vec<[SymbolId; 2]> = Vec::new();
    let mut covers: Vec<Vec<SymbolId>> = Vec::new();
    for Part { formula, .. } in &parts {
        match formula {
            Formula::Not(inner) => {
                if let Formula::Equal(sides) = &**inner
                    && let [Some(one), Some(other)] = [&sides[0], &sides[1]].map(|it| constant(it, symbols))
                {
                    different.push([one, other]);
                }
            }
            Formula::Each { universal: true, vars, body } if vars.len() == 1 => {
                covers.extend(cover(body, vars[0], symbols));
            }
            _ => {}
        }
    }
    let mut found = BTreeMap::new();
    for mut values in covers {
        values.sort();
        values.dedup();
        let Some(sort) = values.first().and_then(|it| symbols.get(*it).result) else { continue };
        let differ = |one: SymbolId, other: SymbolId| {
            different.contains(&[one, other]) || different.contains(&[other, one])
        };
        let all_differ =
            values.iter().enumerate().all(|(at, one)| values[..at].iter().all(|it| differ(*one, *it)));
        let argument = symbols.all.iter().any(|it| it.args.contains(&sort));
        if all_differ && !argument && values.len() <= MAX_VALUES {
            found.entry(sort).or_insert(values);
        }
    }
    found
}

/// A constant that never changes.
fn constant(term: &Term, symbols: &Symbols<'_>) -> Option<SymbolId> {
    let Term::App(app) = term else { return None };
    (app.args.is_empty() && !symbols.get(app.symbol).mutable).then_some(app.symbol)
}

/// The constants one of which the variable is, if that is all that the formula says.
fn cover(formula: &Formula, var: VarId, symbols: &Symbols<'_>) -> Option<Vec<SymbolId>> {
    let parts = if let Formula::Or(parts) = formula { &parts[..] } else { std::slice::from_ref(formula) };
    let one =
        |part: &Formula| {
            let Formula::Equal(sides) = part else { return None };
            (0..2).find_map(|at| {
                if sides[at] == Term::Var(var) { constant(&sides[1 - at], symbols) } else { None }
            })
        };
    parts.iter().map(one).collect()
}

/// Conjuncts without constants and bound variables of enumerations.
///
/// # Errors
/// A formula is too large.
pub(super) fn expanded(parts: Vec<Part>, symbols: &Symbols<'_>, vars: &Vars) -> Made<Vec<Part>> {
    if symbols.enumerations.is_empty() {
        return Ok(parts);
    }
    let mut all = Vec::new();
    for Part { formula, span } in parts {
        let with_values = formula.map(&mut |term| match &term {
            Term::App(App { symbol, .. }) if symbols.is_value(*symbol) => Term::Value(*symbol),
            _ => term,
        });
        let mut left = MAX_PARTS;
        let Some(formula) = unfolded(&with_values, symbols, vars, &mut left) else {
            let what = format!("the formula has more than {MAX_PARTS} parts once it is about each value");
            return refuse("C0715", span, what);
        };
        all.push(Part { formula, span });
    }
    Ok(all)
}

/// The formula without bound variables of enumerations; `None` when it has more than `left` parts.
fn unfolded(formula: &Formula, symbols: &Symbols<'_>, vars: &Vars, left: &mut usize) -> Option<Formula> {
    Some(match formula {
        Formula::Bool(_) | Formula::Is(_) | Formula::Equal(_) => {
            // Conditional terms have no quantifiers of their own: `if` is about formulas with names that are bound outside.
            *left = left.checked_sub(formula.size())?;
            formula.clone()
        }
        Formula::Each { universal, vars: bound, body }
            if let Some((var, values)) =
                bound.iter().find_map(|it| Some((*it, symbols.values(vars.sort(*it)?)?))) =>
        {
            let rest: Vec<VarId> = bound.iter().copied().filter(|it| *it != var).collect();
            let cases = values.iter().map(|value| {
                let case = body.substitute(&|it| (it == var).then_some(Term::Value(*value)));
                unfolded(&Formula::each(*universal, &rest, case), symbols, vars, left)
            });
            let cases = cases.collect::<Option<Vec<_>>>()?;
            if *universal { Formula::and(cases) } else { Formula::or(cases) }
        }
        other => other.with_parts(&mut |it| unfolded(it, symbols, vars, left).ok_or(())).ok()?,
    })
}

/// A transition with one value for each parameter of an enumeration.
pub(super) struct Case {
    pub params: Vec<VarId>,
    pub parts: Vec<Part>,
    /// Which values they are, in words.
    pub remark: String,
}

/// The cases of a transition.
///
/// # Errors
/// There are too many.
pub(super) fn cases(
    name: &str,
    span: Span,
    params: Vec<VarId>,
    parts: Vec<Part>,
    symbols: &Symbols<'_>,
    vars: &Vars,
) -> Made<Vec<Case>> {
    let mut all = vec![Case { params: Vec::new(), parts, remark: String::new() }];
    for param in params {
        let Some(values) = symbols.values(vars.known(param)) else {
            for case in &mut all {
                case.params.push(param);
            }
            continue;
        };
        if all.len() * values.len() > MAX_ALTERNATIVES {
            let what = format!("`{name}` stands for more than {MAX_ALTERNATIVES} transitions");
            return refuse("C0715", span, what);
        }
        let of_each = |case: Case| values.iter().map(move |value| case.with(param, *value, symbols, vars));
        all = all.into_iter().flat_map(of_each).collect();
    }
    Ok(all)
}

impl Case {
    fn with(&self, param: VarId, value: SymbolId, symbols: &Symbols<'_>, vars: &Vars) -> Self {
        let is = |it: VarId| (it == param).then_some(Term::Value(value));
        let part = |it: &Part| Part { formula: it.formula.substitute(&is), span: it.span };
        let remark = format!("{} = {}", vars.name(param), symbols.get(value).name);
        let joined = if self.remark.is_empty() { remark } else { format!("{}, {remark}", self.remark) };
        Self { params: self.params.clone(), parts: self.parts.iter().map(part).collect(), remark: joined }
    }
}
