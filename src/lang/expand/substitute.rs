//! Formulas and terms with other terms for names.

use indexmap::{IndexMap, IndexSet};

use super::make::{free, words_of};
use crate::syntax::ast::{
    Arg, Case, Count, Counted, Expr, ExprKind, Name, Path, Rhs, Summand, Term, TermKind,
};

/// A formula with terms for names; names that it binds are changed where one of the terms has them.
pub fn substituted(expr: &Expr, given: &IndexMap<String, Term>) -> Expr {
    if given.is_empty() {
        return expr.clone();
    }
    let kind = match &expr.kind {
        ExprKind::Compare { op, left, right } => {
            ExprKind::Compare { op: *op, left: in_term(left, given), right: in_term(right, given) }
        }
        ExprKind::Quantified { quantifier, vars, body } => {
            let (vars, inner) = within(vars, given, body);
            ExprKind::Quantified { quantifier: *quantifier, vars, body: Box::new(substituted(body, &inner)) }
        }
        ExprKind::Call { name, args } => {
            let args = args.iter().map(|it| match it {
                Arg::Term(it) => Arg::Term(in_term(it, given)),
                Arg::Formula(it) => Arg::Formula(substituted(it, given)),
            });
            ExprKind::Call { name: name.clone(), args: args.collect() }
        }
        _ => return expr.with_operands(&mut |it| substituted(it, given)),
    };
    expr.rebuilt(kind)
}

/// Bound names that no term has which comes into their scope, this text, and the terms for the names there.
fn within(
    vars: &[Name],
    given: &IndexMap<String, Term>,
    scope: &impl ToString,
) -> (Vec<Name>, IndexMap<String, Term>) {
    let (mut inner, known) = (given.clone(), words_of(scope));
    inner.retain(|name, _| {
        !vars.iter().any(|var| var.text == *name) && words_of(name).iter().all(|it| known.contains(it))
    });
    let taken = inner.values().flat_map(words_of).collect();
    let (vars, renamed) = apart(vars, &taken, known);
    inner.extend(renamed);
    (vars, inner)
}

/// Bound names that are not taken, and terms for those that change: a new name means nothing else in their scope, which has these words.
pub fn apart(
    vars: &[Name],
    taken: &IndexSet<String>,
    mut known: IndexSet<String>,
) -> (Vec<Name>, IndexMap<String, Term>) {
    let (mut vars, mut renamed) = (vars.to_vec(), IndexMap::new());
    known.extend(taken.iter().chain(vars.iter().map(|it| &it.text)).cloned());
    for var in vars.iter_mut().filter(|it| taken.contains(&it.text)) {
        let name = free(var.text.clone(), |it| known.contains(it));
        known.insert(name.clone());
        let old = std::mem::replace(&mut var.text, name);
        renamed.insert(old, Term::name(var.plain()));
    }
    (vars, renamed)
}

/// A right-hand side with terms for names.
pub fn in_value(value: &Rhs, given: &IndexMap<String, Term>) -> Rhs {
    match value {
        Rhs::Term(term) => Rhs::Term(in_term(term, given)),
        Rhs::Send(term) => Rhs::Send(in_term(term, given)),
        Rhs::Receive(channel) => Rhs::Receive(Box::new(in_path((**channel).clone(), given))),
        Rhs::Cases(cases) => {
            let one = |it: &Case| Case {
                when: it.when.as_ref().map(|it| substituted(it, given)),
                value: in_term(&it.value, given),
                loc: it.loc,
            };
            Rhs::Cases(cases.iter().map(one).collect())
        }
        Rhs::Nondet | Rhs::Drop => value.clone(),
    }
}

/// A term with terms for names.
pub fn in_term(term: &Term, given: &IndexMap<String, Term>) -> Term {
    let kind = match &term.kind {
        TermKind::Number(_) => return term.clone(),
        TermKind::Path(path) => match value_of(path, given) {
            Some(Term { kind: TermKind::Path(it), .. }) => TermKind::Path(it),
            Some(it) => return it,
            None => TermKind::Path(in_path(path.clone(), given)),
        },
        TermKind::Count(count) => TermKind::Count(in_count(count, given)),
        TermKind::Remainder(of, by) => TermKind::Remainder(Box::new(in_term(of, given)), by.clone()),
        TermKind::Record(fields) => {
            TermKind::Record(fields.iter().map(|(name, it)| (name.clone(), in_term(it, given))).collect())
        }
        TermKind::Sum(summands) => TermKind::Sum(summands.iter().map(|it| in_summand(it, given)).collect()),
    };
    Term { kind, loc: term.loc }
}

/// What a name, a cell or a field stands for, by itself or as a part of a record: names of variables have no brackets.
fn value_of(path: &Path, given: &IndexMap<String, Term>) -> Option<Term> {
    if let Some(known) = given.get(&path.to_string()) {
        return Some(known.clone());
    }
    let (field, record) = path.fields.split_last()?;
    let record = value_of(&Path { fields: record.to_vec(), ..path.clone() }, given)?;
    match record.kind {
        TermKind::Record(fields) => fields.into_iter().find(|it| it.0.text == field.text).map(|it| it.1),
        TermKind::Path(mut known) => {
            known.fields.push(field.clone());
            Some(Term::path(known.placed(), record.loc))
        }
        _ => None,
    }
}

/// A record is not a summand: the name that stands for one is left there.
fn in_summand(summand: &Summand, given: &IndexMap<String, Term>) -> Summand {
    let operand = in_term(&summand.operand, given);
    match operand.kind {
        TermKind::Record(_) => summand.clone(),
        _ => Summand { operand, ..summand.clone() },
    }
}

fn in_count(count: &Count, given: &IndexMap<String, Term>) -> Count {
    let of = count.of.as_ref().map(|Counted { var, summand, body }| {
        let (mut vars, inner) = within(std::slice::from_ref(var), given, count);
        Counted {
            var: vars.remove(0),
            summand: summand.as_ref().map(|it| Box::new(in_term(it, &inner))),
            body: body.as_ref().map(|it| Box::new(substituted(it, &inner))),
        }
    });
    Count { of, loc: count.loc }
}

/// A term with the formulas of its counts changed.
pub fn with_counted(term: &Term, change: &mut dyn FnMut(&Expr) -> Expr) -> Term {
    let kind = match &term.kind {
        TermKind::Count(Count { of: Some(of), loc }) => {
            let body = of.body.as_ref().map(|it| Box::new(change(it)));
            TermKind::Count(Count { of: Some(Counted { body, ..of.clone() }), loc: *loc })
        }
        TermKind::Remainder(of, by) => TermKind::Remainder(Box::new(with_counted(of, change)), by.clone()),
        TermKind::Sum(summands) => {
            let one = |it: &Summand| Summand { operand: with_counted(&it.operand, change), ..it.clone() };
            TermKind::Sum(summands.iter().map(one).collect())
        }
        other => other.clone(),
    };
    Term { kind, loc: term.loc }
}

/// A path with terms for names in its indices.
pub fn in_path(path: Path, given: &IndexMap<String, Term>) -> Path {
    let index = path.index.map(|index| index.iter().map(|it| in_term(it, given)).collect());
    let path = match given.get(&path.name.text).map(|it| &it.kind) {
        // A parameter of a predicate that stands for a record.
        Some(TermKind::Path(known)) if index.is_none() => {
            let mut known = known.clone();
            known.fields.extend(path.fields);
            known
        }
        _ => Path { index, ..path },
    };
    path.placed()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_bound_name_that_changes_gets_one_that_means_nothing_else_there() {
        let guard = |params: &str, body: &str| {
            let text = format!(
                "array A[proc] : 0..1 init (z) {{ A[z] = 0 }} unsafe (z) {{ A[z] = 1 }} predicate f(x) {{ {body} }}
                 transition t ({params}) requires {{ f(q) }} {{ A[q] := 1 }}
                 process at (p) {{ go: with p_ {{ await exists_other p p_. A[p] < A[p_]; with r {{ skip }} }} }}"
            );
            let file = crate::load(&text).unwrap_or_else(|errors| panic!("{errors}")).file;
            let core = super::super::expand(&file).file;
            let guards: Vec<String> =
                core.transitions().filter_map(|it| it.requires.as_ref()).map(ToString::to_string).collect();
            guards.join("; ")
        };
        let guards = guard("q", "exists q q_. A[q] < A[q_] && A[x] = 1");
        assert!(guards.starts_with("exists q__ <> q_. "), "{guards}");
        assert!(guards.contains("(exists p__ <> p___. p__ <> p && p__ <> p_ && p___ <> p &&"), "{guards}");
        let guards = guard("q q_", "exists q. A[q] = 1 && A[q_] < A[x]");
        assert!(guards.starts_with("exists q__. A[q__] = Range_0_1_1 && (A[q_] = "), "{guards}");
        let guards = guard("q q_", "#{q | A[q] = 1 && A[q_] < A[x]} > 0");
        assert!(guards.starts_with("#{q__ | A[q__] = Range_0_1_1 && (A[q_] = "), "{guards}");
        // Nothing that the argument has comes into the scope.
        assert!(guard("q q_", "exists q. A[q] = 1").starts_with("exists q. A[q] "));
    }
}
