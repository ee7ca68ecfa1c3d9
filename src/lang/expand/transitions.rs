//! Transitions of the extended language: one, or several of the core that together do the same.

use std::borrow::Cow;

use indexmap::IndexMap;

use super::facts::Facts;
use super::formulas::{has_value, quantifiers};
use super::make::{all, free, truth, words_of};
use super::substitute::{in_path, in_term, in_value};
use super::terms::Way;
use super::types::{Expander, Index, Type};
use super::updates::{Draft, Effect, Out, Write};
use crate::diagnostic::Diagnostic;
use crate::list::add_new;
use crate::syntax::ast::{
    Case, Comparison, Counted, Expr, ExprKind, Name, Part, Path, Quantifier, Rhs, Term, TermKind, Transition,
    Update,
};
use crate::syntax::negation;

/// Most transitions of the core that one declaration stands for.
const MOST_PARTS: usize = 512;
/// Most bytes of the text of what the name of a `let` stands for.
const MOST_BYTES: usize = 1 << 16;

impl Expander {
    /// The transitions of the core for a declaration.
    pub fn transition(&mut self, decl: &Transition) -> Vec<Transition> {
        if self.stays(decl) {
            return vec![decl.clone()];
        }
        let Some(decl) = self.without_lets(decl) else { return vec![decl_only(decl)] };
        let mut parts = Vec::new();
        let Some(split) = self.without_quantifiers(decl.clone()) else { return vec![decl_only(&decl)] };
        for one in split {
            if self.parts(&one, &mut parts).is_none() {
                // Errors were reported.
                return vec![decl_only(&decl)];
            }
            if parts.len() > MOST_PARTS {
                let message = format!("`{}` stands for more than {MOST_PARTS} transitions", decl.name.text);
                Diagnostic::error("C0506", decl.name.span(), message)
                    .label("one for each value that `?` gives a cell, and each way in which queues behave")
                    .help("split it into several transitions")
                    .report(self);
                return vec![decl_only(&decl)];
            }
        }
        for (at, part) in parts.iter_mut().enumerate() {
            let first = at == 0 && decl.part != Part::Further;
            part.part = if first { Part::First } else { Part::Further };
        }
        parts
    }

    /// The declaration with the terms of its `let`s in place; `None` when one of them is too large.
    fn without_lets(&mut self, decl: &Transition) -> Option<Transition> {
        let mut given: IndexMap<String, Term> = IndexMap::new();
        for binding in &decl.lets {
            let value = in_term(&binding.value, &given);
            if value.to_string().len() > MOST_BYTES {
                let name = &binding.name;
                let message = format!(
                    "declaration too large: `{}` stands for more than {MOST_BYTES} bytes of text",
                    name.text
                );
                return Diagnostic::error("C0504", name.span(), message)
                    .label("with what earlier names stand for in place")
                    .help("assign a part of it to a variable in a transition before this one")
                    .refuse(self);
            }
            given.insert(binding.name.text.clone(), value);
        }
        let mut decl = decl.clone();
        decl.lets.clear();
        if given.is_empty() {
            return Some(decl);
        }
        for update in &mut decl.updates {
            let target = in_path(update.target.clone(), &given);
            if let Rhs::Cases(cases) = &mut update.value {
                cases.iter_mut().filter_map(|it| it.when.as_mut()).for_each(|it| *it = self.with_open(it));
            }
            let value = in_value(&update.value, &given);
            *update = Update { each: update.each.clone(), ..Update::new(target, value, update.loc) };
        }
        Some(decl)
    }

    /// Whether the core reads a transition as it stands.
    fn stays(&self, decl: &Transition) -> bool {
        let plain = with_named_cells(decl);
        let mut conditions = plain.updates.iter().flat_map(|it| it.value.formulas());
        let has_one = |it: &Term| it.paths().all(Path::has_cell);
        decl.requires.as_ref().is_none_or(|it| self.is_core(it))
            && decl.lets.iter().all(|it| self.is_core_term(&it.value) && has_one(&it.value))
            && conditions.all(|when| quantifiers(when, &self.predicates).is_empty())
            && self.raw_updates(&plain).into_iter().all(|it| it)
    }

    fn is_core_value(&self, value: &Rhs) -> bool {
        let has_one = |it: &Term| it.paths().all(Path::has_cell);
        !matches!(value, Rhs::Send(_) | Rhs::Drop | Rhs::Receive(_))
            && value.formulas().all(|it| self.is_core(it))
            && value.terms().into_iter().all(|it| self.is_core_term(it))
            // The guard says which branches need a cell that may not exist.
            && (!matches!(value, Rhs::Cases(_)) || value.terms().into_iter().all(has_one))
    }

    fn is_plain_target(&self, update: &Update, params: &[Name]) -> bool {
        let is_param = |it: &Name| params.iter().any(|param| param.text == it.text);
        let mut index = update.target.names().into_iter().flatten();
        let of_one_cell = matches!(update.value, Rhs::Cases(_)) && index.any(is_param);
        update.each.is_none() && !of_one_cell && self.is_core_path(&update.target)
    }

    /// The declaration for each choice of the truth of the quantified formulas in conditions of its `case`s.
    fn without_quantifiers(&mut self, decl: Transition) -> Option<Vec<Transition>> {
        let found = decl.updates.iter().find_map(|update| {
            let mut inner = update.value.formulas().flat_map(|when| quantifiers(when, &self.predicates));
            Some((update, inner.next()?.clone()))
        });
        let Some((update, quantified)) = found else { return Some(vec![decl]) };
        let mut own = update.target.index.iter().flatten().filter_map(Term::alone);
        let is_bound = |it: &&Name| !decl.params.iter().any(|param| param.text == it.text);
        if let Some(name) = own.find(|it| is_bound(it) && words_of(&quantified).contains(&it.text)) {
            let message = format!("this quantifier depends on `{}`", name.text);
            return Diagnostic::error("C0408", quantified.span, message)
                .label(
                    "it may hold for one cell and not for another, so that it cannot be decided by the guard",
                )
                .help("keep what it asks in an array of type `bool`, or count: `#{q | ..} > 0`")
                .refuse(self);
        }
        let at = quantified.span;
        let mut all_parts = Vec::new();
        for value in [true, false] {
            let mut part = decl.clone();
            let condition = if value { quantified.clone() } else { negation(&quantified) };
            let condition = Expr { span: at, parenthesised: true, ..condition };
            part.requires = Some(match part.requires.take() {
                Some(guard) => Expr::new(ExprKind::And(vec![guard, condition]), at),
                None => condition,
            });
            for update in &mut part.updates {
                let Rhs::Cases(cases) = &mut update.value else { continue };
                for case in cases {
                    case.when = case.when.as_ref().map(|it| decided(it, &quantified, value));
                }
            }
            all_parts.extend(self.without_quantifiers(part)?);
            if all_parts.len() > MOST_PARTS {
                return Some(all_parts);
            }
        }
        Some(all_parts)
    }

    /// The transitions of a declaration without `let` and quantifiers in conditions of a `case`.
    fn parts(&mut self, decl: &Transition, out: &mut Vec<Transition>) -> Option<()> {
        let at = decl.loc.0;
        let guard = decl.requires.as_ref().map(|it| self.formula(it));
        let facts = guard.as_ref().map(Facts::of).unwrap_or_default();
        // What a value reads has to exist whatever it is assigned to, and also where another update ends in an error.
        let values = decl.updates.iter().filter_map(|it| match &it.value {
            Rhs::Term(value) | Rhs::Send(value) => Some(value),
            _ => None,
        });
        let guard = guard.into_iter().chain(self.cells_read(values, &decl.params)).collect();
        let mut drafts = vec![Draft { guard, ..Draft::default() }];
        let raw = self.raw_updates(decl);
        for (update, is_raw) in decl.updates.iter().zip(raw) {
            let options = if is_raw {
                vec![Draft { raw: vec![update.clone()], ..Draft::default() }]
            } else {
                self.options(update, &facts, &decl.params)?
            };
            drafts = choices(&drafts, &options, |draft, it| draft.and(it.clone()));
        }
        for draft in drafts {
            for (trouble, condition) in &draft.troubles {
                let mut parts = draft.guard.clone();
                parts.push(condition.clone());
                let update = self.trouble(trouble, at);
                let transition = step(decl, parts, vec![update]);
                add_new(out, transition);
            }
            if draft.fails {
                continue;
            }
            let mut parts = draft.guard.clone();
            parts.extend(draft.troubles.iter().map(|(_, condition)| negation(condition)));
            for updates in self.updates(decl, &draft)? {
                let transition = step(decl, parts.clone(), updates);
                add_new(out, transition);
                if out.len() > MOST_PARTS {
                    return Some(());
                }
            }
        }
        Some(())
    }

    /// That the cells of pointers exist which these values read.
    fn cells_read<'t>(&self, values: impl IntoIterator<Item = &'t Term>, params: &[Name]) -> Vec<Expr> {
        let mut conditions = Vec::new();
        for path in values.into_iter().flat_map(reads) {
            let Some(variable) = self.symbols.variables.get(&path.name.text) else { continue };
            let Some((leaf, _)) = variable.leaves.values().next() else { continue };
            let kinds = variable.index.iter().zip(path.index.iter().flatten());
            let processes = kinds.filter(|(kind, _)| **kind == Index::Proc);
            let index: Vec<Name> = processes.filter_map(|(_, term)| term.alone()).cloned().collect();
            let at = path.loc.0;
            let cell = Path::at(Name::at(leaf, path.loc), index.clone());
            let is_known = |it: &Name| !it.is_small() || params.iter().any(|param| param.text == it.text);
            if cell.has_cell() {
                continue;
            }
            if index.iter().all(is_known) {
                conditions.push(has_value(&cell, at));
                continue;
            }
            // Whatever process the other index is.
            let sorts = self.sorts.as_ref().and_then(|it| it.indices.get(leaf));
            for (number, pointer) in index.iter().enumerate().filter(|(_, it)| !it.is_small()) {
                let taken = |it: &str| params.iter().any(|param| param.text == it);
                let process = Name::at(free("pointed".to_owned(), taken), path.loc);
                let equal = Expr::compare(
                    Term::name(pointer.clone()),
                    Comparison::Eq,
                    Term::name(process.clone()),
                    at,
                );
                let process = match sorts.and_then(|it| it.get(number)) {
                    Some(sort) => process.of_sort(Name::at(sort, path.loc)),
                    None => process,
                };
                conditions.push(Expr::quantified(Quantifier::Exists, vec![process], equal, at));
            }
        }
        conditions
    }

    /// Which updates stay as they are: the core reads them, and no other one writes the same array.
    fn raw_updates(&self, decl: &Transition) -> Vec<bool> {
        let same = |update: &Update| {
            decl.updates.iter().filter(|it| it.target.name.text == update.target.name.text).count()
        };
        let is_raw = |update: &Update| {
            let core = self.is_plain_target(update, &decl.params) && self.is_core_value(&update.value);
            let unknown = !self.symbols.variables.contains_key(&update.target.name.text);
            // The core reports what is assigned twice.
            let twice = same(update) > 1 && !Self::apart(decl, &update.target.name.text);
            let alone = same(update) == 1 && (update.value != Rhs::Nondet || update.target.index.is_none());
            core && (unknown || alone || twice || update.target.index.is_none())
        };
        decl.updates.iter().map(is_raw).collect()
    }

    /// Whether the cells of an array of the core that a transition writes are known to be different.
    fn apart(decl: &Transition, name: &str) -> bool {
        let mut known: Vec<Vec<Name>> = Vec::new();
        for update in decl.updates.iter().filter(|it| it.target.name.text == name) {
            let index = update.target.names().filter(|_| update.target.index.is_some());
            let (Some(index), None) = (index, &update.each) else { return false };
            let index: Vec<Name> = index.into_iter().cloned().collect();
            if matches!(update.value, Rhs::Cases(_))
                || known.iter().any(|it| !differ(it, &index, &decl.params))
            {
                return false;
            }
            known.push(index);
        }
        true
    }

    /// The updates of the core for the writes of a step: several choices where a cell gets any value.
    fn updates(&mut self, decl: &Transition, draft: &Draft) -> Option<Vec<Vec<Update>>> {
        let mut groups: IndexMap<&str, Vec<&Write>> = IndexMap::new();
        let mut alternatives: Vec<Vec<Update>> = vec![draft.raw.clone()];
        for write in &draft.writes {
            groups.entry(&write.name).or_default().push(write);
        }
        let mut chosen: IndexMap<String, usize> = IndexMap::new();
        for writes in groups.values() {
            self.all_apart(writes, decl)?;
            let mut options: Vec<Vec<Case>> = vec![Vec::new()];
            let mut further = Vec::new();
            let names = Self::indices(writes);
            let simple = Self::simple(writes);
            for write in writes {
                let at = write.at;
                let cell = where_it_writes(write, &names);
                let ways: Vec<Vec<Case>> = match &write.effect {
                    Effect::Cases(branches) => vec![cases(write, &cell, branches)],
                    Effect::Any if simple && write.index.is_empty() => {
                        further.push(plain(write, Rhs::Nondet));
                        continue;
                    }
                    Effect::Any => {
                        let one = |value: Term| {
                            let when = all(cell.iter().chain(&write.when).cloned().collect(), at.0);
                            let when = (when.kind != ExprKind::Bool(true)).then_some(when);
                            vec![Case { when, value, loc: at }]
                        };
                        match &write.ty {
                            Type::Finite(values) => {
                                values.names.iter().map(|name| one(Term::named(name, at))).collect()
                            }
                            ty => {
                                let number = chosen.entry(ty.core()).or_insert(0);
                                *number += 1;
                                let any = self.any_value(ty, *number, at);
                                further.push(Update::new(Path::of(any.clone()), Rhs::Nondet, at));
                                vec![one(Term::name(any))]
                            }
                        }
                    }
                };
                options = choices(&options, &ways, |known, it| [&known[..], it].concat());
            }
            let write = writes[0];
            let made: Vec<Vec<Update>> = options
                .into_iter()
                .map(|cases| {
                    let mut updates = further.clone();
                    if let (true, [case]) = (simple, cases.as_slice()) {
                        updates.push(plain(write, Rhs::Term(case.value.clone())));
                    } else if !cases.is_empty() {
                        updates.push(joined(write, &names, cases));
                    }
                    updates
                })
                .collect();
            alternatives = choices(&alternatives, &made, |known, it| [&known[..], it].concat());
        }
        Some(alternatives)
    }

    /// Whether one unconditional value is written.
    fn simple(writes: &[&Write]) -> bool {
        let [write] = writes else { return false };
        write.when.is_empty()
            && write.bound.is_empty()
            && match &write.effect {
                Effect::Cases(branches) => match branches.as_slice() {
                    [(None, values)] => {
                        let to = values.iter().filter(|it| it.it.is_some());
                        let to: Vec<&Way<Out>> = to.collect();
                        to.len() == 1 && to[0].conditions(write.at.0).is_empty()
                    }
                    _ => false,
                },
                Effect::Any => true,
            }
    }

    /// Reports writes that may be of one cell.
    fn all_apart(&mut self, writes: &[&Write], decl: &Transition) -> Option<()> {
        for (at, write) in writes.iter().enumerate() {
            for other in &writes[..at] {
                let whole = !write.bound.is_empty() || !other.bound.is_empty() || write.index.is_empty();
                // Sending and receiving write a place under conditions of one statement each.
                if whole || !differ(&write.index, &other.index, &decl.params) {
                    return Diagnostic::error("C0404", write.at.0, "a cell may be assigned twice")
                            .label("this may write the same cell")
                            .also(other.at.0, "as this does")
                            .help("different parameters are different processes; otherwise write one `case` with a branch for each cell, or two steps").refuse(self);
                }
            }
        }
        Some(())
    }

    /// Names for the indices of a `case`, which no text has.
    fn indices(writes: &[&Write]) -> Vec<Name> {
        let write = writes[0];
        let is_own = |it: &Name| writes.len() == 1 && write.bound.contains(it);
        let name = |(number, it): (usize, &Name)| {
            if is_own(it) { it.clone() } else { Name::at(format!("c {number}"), write.at) }
        };
        write.index.iter().enumerate().map(name).collect()
    }
}

/// All choices of one of each of both lists, as far as they are not too many.
fn choices<T>(of: &[T], and: &[T], join: impl Fn(&T, &T) -> T) -> Vec<T> {
    let pairs = of.iter().flat_map(|a| and.iter().map(move |b| (a, b)));
    pairs.take(MOST_PARTS + 1).map(|(a, b)| join(a, b)).collect()
}

/// That the indices of a `case` are those of a write.
fn where_it_writes(write: &Write, names: &[Name]) -> Vec<Expr> {
    let pairs = names.iter().zip(&write.index).filter(|(name, index)| name != index);
    pairs
        .map(|(name, index)| {
            Expr::compare(Term::name(name.clone()), Comparison::Eq, Term::name(index.clone()), write.at.0)
        })
        .collect()
}

fn cases(write: &Write, cell: &[Expr], branches: &[(Option<Expr>, Vec<Way<Out>>)]) -> Vec<Case> {
    let at = write.at;
    let mut found = Vec::new();
    for (condition, values) in branches {
        for value in values {
            let Some(term) = &value.it else { continue };
            let parts =
                cell.iter().chain(&write.when).chain(condition).cloned().chain(value.conditions(at.0));
            let when = all(parts.collect(), at.0);
            if when.kind == ExprKind::Bool(false) {
                continue;
            }
            let when = (when.kind != ExprKind::Bool(true)).then_some(when);
            let last = when.is_none();
            found.push(Case { when, value: term.clone(), loc: at });
            if last {
                return found;
            }
        }
    }
    found
}

/// One update with these branches, which leaves other cells as they are.
fn joined(write: &Write, names: &[Name], mut cases: Vec<Case>) -> Update {
    let at = write.at;
    let cell = Path::at(Name::at(&write.name, at), names.to_vec());
    if cases.last().is_some_and(|it| it.when.is_some()) {
        cases.push(Case { when: None, value: Term::path(cell.clone(), at), loc: at });
    }
    Update::new(cell, Rhs::Cases(cases), at)
}

/// An update of one cell.
fn plain(write: &Write, value: Rhs) -> Update {
    Update::new(Path::at(Name::at(&write.name, write.at), write.index.clone()), value, write.at)
}

/// Whether two tuples of indices are of different cells: parameters, and process constants, are different processes.
fn differ(a: &[Name], b: &[Name], params: &[Name]) -> bool {
    let param = |name: &Name| params.iter().any(|it| it.text == name.text);
    let constant = |name: &Name| name.text.starts_with('#');
    a.iter().zip(b).any(|(a, b)| a.text != b.text && (param(a) && param(b) || constant(a) && constant(b)))
}

fn step(decl: &Transition, guard: Vec<Expr>, updates: Vec<Update>) -> Transition {
    let at = decl.requires.as_ref().map_or(decl.name.span(), |it| it.span);
    let guard = all(guard, at);
    let requires = (guard.kind != ExprKind::Bool(true)).then_some(guard);
    Transition { requires, lets: Vec::new(), updates, ..decl.clone() }
}

/// The declaration with values of updates in which a name of a `let` that stands for a variable or a cell is written out: `A[x]` may not exist where
/// `x` is a variable.
fn with_named_cells(decl: &Transition) -> Cow<'_, Transition> {
    let mut given: IndexMap<String, Term> = IndexMap::new();
    for binding in &decl.lets {
        let value = in_term(&binding.value, &given);
        if matches!(value.kind, TermKind::Path(_)) {
            given.insert(binding.name.text.clone(), value);
        }
    }
    let mut decl = Cow::Borrowed(decl);
    if !given.is_empty() {
        decl.to_mut().updates.iter_mut().for_each(|it| it.value = in_value(&it.value, &given));
    }
    decl
}

/// The declaration without what it does, after an error.
fn decl_only(decl: &Transition) -> Transition {
    Transition { requires: None, lets: Vec::new(), updates: Vec::new(), part: Part::Further, ..decl.clone() }
}

/// A condition with the truth of a formula in it.
fn decided(expr: &Expr, what: &Expr, value: bool) -> Expr {
    if expr == what {
        return truth(value, expr.span);
    }
    expr.with_operands(&mut |it| decided(it, what, value))
}

/// The variables that a term reads for its value, those in indices, too.
fn reads(term: &Term) -> Vec<&Path> {
    let fields: &[(Name, Term)] = if let TermKind::Record(fields) = &term.kind { fields } else { &[] };
    let mut found: Vec<&Path> = fields.iter().flat_map(|(_, it)| reads(it)).collect();
    for path in term.paths() {
        found.push(path);
        found.extend(path.index.iter().flatten().flat_map(reads));
    }
    found.extend(term.counted().flat_map(Counted::terms).flat_map(reads));
    found
}
