//! Formulas about one state: bad states, facts that never change, initial states.
//!
//! A claim that holds in all states says of some different elements what never is: its negation, once for each way in which they may
//! coincide. An application of a function that is an argument is one more such element, which equals it.

use std::collections::BTreeSet;

use cubicle_lang::diagnostic::{Diagnostic, Span};

use super::alternatives::flat;
use super::formula::{App, Formula, SortId, SymbolId, Term, VarId, variables};
use super::resolve::Part;
use super::step::Witness;
use super::steps::{element, fresh, unshown_sorts};
use super::symbols::{MAX_ARGUMENTS, Symbols, Vars};
use super::tree::{Made, refuse};
use super::ways::{Facts, MAX_WAYS, flattened, ways};

/// What never is, of some different elements.
#[derive(Clone, Debug)]
pub(super) struct Never {
    pub params: Vec<VarId>,
    pub formula: Formula,
    pub span: Span,
    /// Which of them coincide.
    pub remark: String,
}

/// What holds initially, for all elements.
#[derive(Clone, Debug)]
pub(super) struct Initially {
    pub params: Vec<VarId>,
    pub formula: Formula,
    pub span: Span,
}

/// What never is where some conjuncts hold. `universals`: it may say something of all elements of a sort.
///
/// # Errors
/// With `missing` as its message: the formula says that there is an element, in a way that cannot be said; too many ways.
pub(super) fn never(
    parts: Vec<Part>,
    symbols: &Symbols<'_>,
    vars: &mut Vars,
    facts: &Facts,
    missing: &str,
    universals: bool,
) -> Made<Vec<Never>> {
    let mut all = Vec::new();
    for Part { formula, span } in parts {
        let disjuncts = match opened(&formula.negated(), vars, false) {
            (bound, Formula::Or(parts)) => parts.into_iter().map(|it| (bound.clone(), it)).collect(),
            (bound, other) => vec![(bound, other)],
        };
        for (bound, formula) in disjuncts {
            let conjuncts =
                if let Formula::And(parts) = &formula { &parts[..] } else { std::slice::from_ref(&formula) };
            if !conjuncts.iter().all(|it| !it.has(true) || universals && is_plain_universal(it)) {
                let error = Diagnostic::error("C0714", span, missing);
                return Err(Box::new(error.help("`forall .. exists ..` is not supported yet")));
            }
            let free = formula.free();
            let mut params: Vec<VarId> = bound.into_iter().filter(|it| free.contains(it)).collect();
            let (more, formula) = literals(&formula, false, &mut |term| fresh(symbols, vars, term));
            params.extend(more);
            let sorts = unshown_sorts([&formula].into_iter(), &params, vars);
            let equal = elements(sorts, &mut params, symbols, vars, span);
            let formula = Formula::and(equal.into_iter().chain([formula]));
            params.sort_by_key(|it| vars.known(*it));
            let Some(ways) = ways(&params, vars) else {
                return refuse("C0715", span, format!("its variables coincide in more than {MAX_WAYS} ways"));
            };
            for way in ways {
                let formula = way.of(&formula);
                if formula != Formula::FALSE && !way.excluded_by([&formula], facts, vars) {
                    let (params, remark) = (way.params(), way.remark(vars));
                    all.push(Never { params, formula, span, remark });
                }
            }
        }
    }
    Ok(all)
}

/// A further parameter for each of these sorts, and what it is equal to, where a symbol that never changes names an element: a constant, or a
/// function of parameters. A proof may begin with an element that has a name.
fn elements(
    mut sorts: BTreeSet<SortId>,
    params: &mut Vec<VarId>,
    symbols: &Symbols<'_>,
    vars: &mut Vars,
    span: Span,
) -> Vec<Formula> {
    let mut equal = Vec::new();
    while let Some(&first) = sorts.first() {
        let named = symbols.all.iter().enumerate().find_map(|(id, symbol)| {
            let sort = symbol.result.filter(|it| sorts.contains(it) && !symbol.mutable && !symbol.derived)?;
            let of_sort = |arg: &SortId| params.iter().find(|it| vars.known(**it) == *arg);
            let args = symbol.args.iter().map(|it| of_sort(it).map(|it| Term::Var(*it)));
            Some((sort, App::old(SymbolId(id), args.collect::<Option<_>>()?)))
        });
        let sort = named.as_ref().map_or(first, |it| it.0);
        sorts.remove(&sort);
        let param = element(symbols, vars, sort, span);
        equal.extend(named.map(|it| Formula::equal(Term::Var(param), Term::App(it.1))));
        params.push(param);
    }
    equal
}

/// A part of an axiom as a witness, if it says that for all elements there is one of a sort from which no witness leads to theirs.
pub(super) fn witness(
    part: &Part,
    symbols: &Symbols<'_>,
    vars: &mut Vars,
    known: &[Witness],
) -> Option<Witness> {
    let (bound, formula) = opened(&part.formula.normal(), vars, true);
    let (values, formula) = opened(&formula, vars, false);
    let [value] = values[..] else { return None };
    let free = formula.free();
    let params: Vec<VarId> = bound.into_iter().filter(|it| free.contains(it)).collect();
    let plain = |it: &Term| matches!(it, Term::Var(_));
    let mut said = true;
    formula.visit(&mut |part| {
        said &= match part {
            Formula::Is(app) => {
                let symbol = symbols.get(app.symbol);
                !symbol.mutable
                    && symbol.result.is_none()
                    && !app.args.is_empty()
                    && app.args.iter().all(plain)
            }
            Formula::Equal(sides) => sides.iter().all(|it| plain(it) && *it != Term::Var(value)),
            Formula::Each { .. } => false,
            _ => true,
        }
    });
    let lead = |params: &[VarId], value: VarId| -> Vec<(SortId, SortId)> {
        params.iter().map(|it| (vars.known(*it), vars.known(value))).collect()
    };
    let mut leads = lead(&params, value);
    leads.extend(known.iter().flat_map(|it| lead(&it.params, it.value)));
    let mut reached = vec![vars.known(value)];
    for at in 0.. {
        let Some(&from) = reached.get(at) else { break };
        let next: Vec<SortId> =
            leads.iter().filter(|it| it.0 == from && !reached.contains(&it.1)).map(|it| it.1).collect();
        reached.extend(next);
    }
    if !said
        || super::decide::is_false(&formula, &[])
        || params.is_empty()
        || params.iter().any(|it| reached.contains(&vars.known(*it)))
    {
        return None;
    }
    Some(Witness { params, value, formula, span: part.span })
}

/// What holds initially. Adds the witnesses of conjuncts by which for all elements there is another one.
///
/// # Errors
/// A witness would lead back to the sort of a parameter.
pub(super) fn initially(
    parts: Vec<Part>,
    symbols: &mut Symbols<'_>,
    vars: &mut Vars,
    witnesses: &mut Vec<Witness>,
) -> Made<Vec<Initially>> {
    let mut all = Vec::new();
    let mut open = flat(named_witnesses(parts, symbols, vars));
    open.reverse();
    while let Some(Part { formula, span }) = open.pop() {
        let (bound, formula) = opened(&formula, vars, true);
        if formula.has(false) {
            let rest = chosen(&bound, &Part { formula, span }, symbols, vars, witnesses)?;
            open.push(rest);
            continue;
        }
        let (more, formula) = literals(&formula, true, &mut |term| fresh(symbols, vars, term));
        let params = [bound, more].concat();
        all.push(Initially { params, formula, span });
    }
    Ok(all)
}

/// A conjunct without what exists for all values of some variables: of relations that never change, and of which witnesses say that there is
/// one in each case, the conjunct is said of those elements that the relations name.
fn chosen(
    bound: &[VarId],
    part: &Part,
    symbols: &mut Symbols<'_>,
    vars: &mut Vars,
    witnesses: &mut Vec<Witness>,
) -> Made<Part> {
    let span = part.span;
    let (values, formula) = opened(&part.formula, vars, false);
    let free = formula.free();
    let params: Vec<VarId> = bound.iter().copied().filter(|it| free.contains(it)).collect();
    let mut chosen = Vec::new();
    for &value in &values {
        let args = [&params[..], &[value]].concat();
        if args.len() > MAX_ARGUMENTS {
            let what = format!(
                "initially, for all elements there is another one: about {} elements at once; at most {MAX_ARGUMENTS} are supported",
                args.len()
            );
            return refuse("C0715", span, what);
        }
        let sort = vars.known(value);
        let name = format!("initial_{}", symbols.sorts[sort.0].0);
        let symbol = symbols.add(name, false, args.iter().map(|it| vars.known(*it)).collect(), None, span);
        let is = Formula::Is(App::old(symbol, variables(&args)));
        let formula = Formula::each(true, &params, Formula::each(false, &[value], is.clone()));
        let Some(made) = witness(&Part { formula, span }, symbols, vars, witnesses) else {
            let what = "initially, for all elements there is another one of a sort that leads back to theirs";
            let help = "declare a function whose values these are: `init r(N, f(N))`";
            return Err(Box::new(Diagnostic::error("C0714", span, what).help(help)));
        };
        witnesses.push(made);
        chosen.push(is);
    }
    let formula =
        Formula::each(true, &[bound, &values].concat(), Formula::and(chosen).implies(formula)).normal();
    Ok(Part { formula, span })
}

/// What exists by a conjunct, in front of all that it says of all elements, has a name from now on: a constant that never changes.
pub(super) fn named_witnesses(parts: Vec<Part>, symbols: &mut Symbols<'_>, vars: &mut Vars) -> Vec<Part> {
    let mut all = Vec::new();
    for Part { formula, span } in flat(parts) {
        let (bound, formula) = if formula.has(false) && !is_existential_literal(&formula) {
            opened(&formula, vars, false)
        } else {
            (Vec::new(), formula)
        };
        let mut formula = formula;
        for var in bound {
            let id = symbols.add(vars.name(var).to_owned(), false, Vec::new(), Some(vars.known(var)), span);
            let constant = Term::App(App::old(id, Vec::new()));
            formula = formula.substitute(&|it| (it == var).then(|| constant.clone()));
        }
        all.push(Part { formula, span });
    }
    all
}

/// Nothing but a universal: what exists within it has no name of its own.
fn is_existential_literal(formula: &Formula) -> bool {
    matches!(formula, Formula::Each { universal: true, .. })
}

/// Whether a formula says of all elements something without quantifiers, and without terms other than variables as arguments.
fn is_plain_universal(formula: &Formula) -> bool {
    let Formula::Each { universal: true, body, .. } = formula else { return false };
    let mut plain = true;
    let named = |it: &Term| matches!(it, Term::Var(_));
    let side = |it: &Term| match it {
        Term::App(app) => app.args.iter().all(named),
        other => named(other),
    };
    body.visit(&mut |part| {
        plain &= match part {
            Formula::Is(app) => app.args.iter().all(named),
            Formula::Equal(sides) => sides.iter().all(side),
            Formula::Each { .. } => false,
            _ => true,
        }
    });
    plain
}

/// A formula in normal form without the quantifiers of one kind that no other stands around, and their variables, which are new.
/// Domains are not empty: a quantifier may be moved in front of a disjunction as well as of a conjunction.
fn opened(formula: &Formula, vars: &mut Vars, universal: bool) -> (Vec<VarId>, Formula) {
    match formula {
        Formula::Each { universal: kind, vars: bound, body } if *kind == universal => {
            let (copies, body) = vars.renewed(bound, body);
            let (more, body) = opened(&body, vars, universal);
            ([copies, more].concat(), body)
        }
        Formula::And(_) | Formula::Or(_) => joined(formula, &mut |part| opened(part, vars, universal)),
        other => (Vec::new(), other.clone()),
    }
}

/// The formula with others for its parts, and the variables that come with these.
fn joined(
    formula: &Formula,
    of_part: &mut dyn FnMut(&Formula) -> (Vec<VarId>, Formula),
) -> (Vec<VarId>, Formula) {
    let mut bound = Vec::new();
    let whole = formula.rebuilt(&mut |part| {
        let (more, part) = of_part(part);
        bound.extend(more);
        part
    });
    (bound, whole)
}

/// The formula with names for the terms that are arguments, and these names: equal to them, or, for all that are.
fn literals(
    formula: &Formula,
    universal: bool,
    fresh: &mut dyn FnMut(&Term) -> VarId,
) -> (Vec<VarId>, Formula) {
    match formula {
        Formula::And(_) | Formula::Or(_) => joined(formula, &mut |part| literals(part, universal, fresh)),
        literal => flattened(literal, universal, fresh),
    }
}

pub(super) fn is_about(formula: &Formula, holds: &dyn Fn(SymbolId) -> bool) -> bool {
    formula.symbols().iter().any(|(id, _)| holds(*id))
}
