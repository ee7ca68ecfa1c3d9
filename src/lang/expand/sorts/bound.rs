//! Conditions for the sorts of bound names, and whether sorts agree.

use super::super::sort_table::{PROC, Sorts};
use crate::diagnostic::Diagnostic;
use crate::syntax::ast::{
    Arg, Base, Case, Comparison, Count, CountKind, Expr, ExprKind, Item, Let, Loc, Name, Operand, Property,
    PropertyKind, Quantifier, Rhs, Summand, SymbolDecl, SymbolKind, Temporal, TemporalKind, Term, TermKind,
    Transition, TypeDecl, Update,
};

/// Writes declarations and formulas with sorts in the core, whose other constructs, and predicates, are written in it already.
pub struct Rewriter<'a> {
    pub(super) sorts: &'a Sorts,
    /// The sort of a name that is bound without one; `None`: it may be any process.
    unsaid: Option<&'static str>,
    /// Whether a formula is asked, rather than claimed.
    asks: bool,
    /// Whether quantifiers over processes of different sorts become one: not in `init`, where those of one quantifier may be equal.
    pub(super) joins: bool,
    /// Names of processes, innermost last; the sort is empty where it is not known.
    scope: Vec<(String, String)>,
    /// The names among them that stand for terms, and these.
    pub(super) lets: Vec<(String, TermKind)>,
    pub diagnostics: Vec<Diagnostic>,
    /// Names that are not sorts.
    pub unknown: Vec<Name>,
}

impl<'a> Rewriter<'a> {
    /// For the declarations of a model.
    pub fn of_model(sorts: &'a Sorts) -> Self {
        Self { unsaid: Some(PROC), ..Self::of_formulas(sorts) }
    }

    /// For formulas about a model, in which a name without a sort stands for any process.
    pub fn of_formulas(sorts: &'a Sorts) -> Self {
        Self {
            sorts,
            unsaid: None,
            asks: false,
            joins: true,
            scope: Vec::new(),
            lets: Vec::new(),
            diagnostics: Vec::new(),
            unknown: Vec::new(),
        }
    }

    /// For a formula that is asked about a model.
    pub fn of_question(sorts: &'a Sorts) -> Self {
        Self { asks: true, ..Self::of_formulas(sorts) }
    }

    /// A declaration of the core; `None` for that of a sort.
    pub fn item(&mut self, item: Item) -> Option<Item> {
        Some(match item {
            Item::Type(TypeDecl { below: Some(_), .. }) => return None,
            Item::Symbol(decl) => Item::Symbol(self.symbol(decl)),
            Item::Property(property) => Item::Property(self.property(property)),
            Item::Temporal(property) => Item::Temporal(self.temporal(property)),
            Item::Transition(transition) => Item::Transition(self.transition(transition)),
            Item::Type(_) | Item::NumberProcs(_) | Item::Fairness(_) | Item::Predicate(_) => item,
        })
    }

    fn symbol(&mut self, decl: SymbolDecl) -> SymbolDecl {
        let proc = |name: Name| Name { text: PROC.to_owned(), ..name };
        let sorts = self.sorts;
        let of_sort = |it: Name| if sorts.values.contains_key(&it.text) { proc(it) } else { it };
        let ty = if sorts.values.contains_key(&decl.ty.text) { proc(decl.ty) } else { decl.ty };
        let kind = match decl.kind {
            SymbolKind::Array(index) => SymbolKind::Array(index.into_iter().map(of_sort).collect()),
            SymbolKind::Total(index) => SymbolKind::Total(index.into_iter().map(of_sort).collect()),
            kind => kind,
        };
        SymbolDecl { kind, ty, ..decl }
    }

    /// A property in the core.
    pub fn property(&mut self, property: Property) -> Property {
        if property.kind == PropertyKind::Init {
            return self.init(property);
        }
        let (params, conditions) = self.bind(&property.params, &[&property.body], true);
        let body = self.formula(&property.body);
        self.scope.clear();
        Property { params, body: all(conditions, body), ..property }
    }

    fn temporal(&mut self, property: Temporal) -> Temporal {
        // Where a property is said of all choices of processes, nothing is said of those of other sorts.
        let within: Vec<&Expr> = std::iter::once(&property.body).chain(&property.then).collect();
        let each = matches!(property.kind, TemporalKind::Recurrence | TemporalKind::Possible);
        let (params, conditions) = self.bind(&property.params, &within, !each);
        let body = self.formula(&property.body);
        let then = property.then.as_ref().map(|it| self.formula(it));
        self.scope.clear();
        let body = if each { any(conditions, body) } else { all(conditions, body) };
        Temporal { params, body, then, ..property }
    }

    fn transition(&mut self, transition: Transition) -> Transition {
        let (params, conditions) = self.bind(&transition.params, &[], true);
        let requires = transition.requires.as_ref().map(|guard| self.formula(guard));
        let lets = transition.lets.iter().map(|it| {
            let value = self.term(&it.value);
            let sort = self.sort_of(&it.value).unwrap_or_default();
            self.scope.push((it.name.text.clone(), sort));
            self.lets.push((it.name.text.clone(), it.value.kind.clone()));
            Let { value, ..it.clone() }
        });
        let lets = lets.collect();
        let conditions = [conditions, self.values_defined(&transition)].concat();
        let requires = match (requires, conditions.is_empty()) {
            (Some(guard), _) => Some(all(conditions, guard)),
            (None, true) => None,
            (None, false) => {
                let truth = Expr::new(ExprKind::Bool(true), transition.name.span());
                Some(all(conditions, truth))
            }
        };
        let updates = transition.updates.iter().map(|it| self.update(it)).collect();
        self.leave();
        Transition { params, requires, lets, updates, ..transition }
    }

    fn update(&mut self, update: &Update) -> Update {
        if let Some(of_all) = self.pointed_cell(update) {
            self.indices(&update.target, update.index.as_deref().unwrap_or_default());
            return self.update(&of_all);
        }
        let target = &update.target.text;
        let pointed = self.sorts.pointed.get(target).cloned();
        let index = update.index.as_deref().unwrap_or_default();
        let value = match &update.value {
            Rhs::Term(term) => {
                self.indices(&update.target, index);
                self.agrees(pointed.as_deref(), term);
                Rhs::Term(self.term(term))
            }
            Rhs::Cases(cases) => {
                let outside = self.scope.len();
                let of_target = self.sorts.indices.get(target).cloned().unwrap_or_default();
                let mut kept = Vec::new();
                let mut conditions = Vec::new();
                for (name, sort) in index.iter().zip(&of_target) {
                    // What is said of a branch that is not in the text has no place.
                    let nowhere = Name { loc: Loc::default(), ..name.clone() };
                    conditions.extend(self.condition(&nowhere, sort, false));
                    self.scope.push((name.text.clone(), sort.clone()));
                }
                // Cells at processes of other sorts do not change.
                if let Some(last) = conditions.pop() {
                    let base = Base::Cell { array: update.target.clone(), index: index.to_vec() };
                    let value = Term::base(base, update.target.loc);
                    kept.push(Case { when: Some(any(conditions, last)), value, loc: Loc::default() });
                }
                for case in cases {
                    let when = case.when.as_ref().map(|it| self.formula(it));
                    self.agrees(pointed.as_deref(), &case.value);
                    kept.push(Case { when, value: self.term(&case.value), loc: case.loc });
                }
                self.scope.truncate(outside);
                Rhs::Cases(kept)
            }
            other => {
                self.indices(&update.target, index);
                other.clone()
            }
        };
        Update { value, ..update.clone() }
    }

    /// Brings names into scope. Returns them without their sorts, and that they are of these, or that they are not.
    pub(super) fn bind(
        &mut self,
        names: &[Name],
        within: &[&Expr],
        positive: bool,
    ) -> (Vec<Name>, Vec<Expr>) {
        let mut conditions = Vec::new();
        for name in names {
            let sort = self.sort(name, within);
            conditions.extend(self.condition(name, &sort, positive));
            self.scope.push((name.text.clone(), sort));
        }
        let plain = names.iter().map(|it| Name { sort: None, ..it.clone() });
        (plain.collect(), conditions)
    }

    /// The sort that a bound name has; empty for any.
    pub(super) fn sort(&mut self, name: &Name, within: &[&Expr]) -> String {
        match &name.sort {
            Some(sort) if self.sorts.values.contains_key(&sort.text) => sort.text.clone(),
            Some(sort) if sort.text.is_empty() => String::new(),
            Some(sort) => {
                self.unknown.push((**sort).clone());
                String::new()
            }
            None => self.unsaid.map_or_else(|| self.inferred(name, within), str::to_owned),
        }
    }

    /// The sort that all cells at a name have; empty where there is none. Where they differ, it is the first one in a formula that is
    /// asked, which is an error then, and none in a claim, which says itself what it means.
    fn inferred(&self, name: &Name, within: &[&Expr]) -> String {
        let mut found: Vec<String> = Vec::new();
        for formula in within {
            cells(formula, &mut |array, index| {
                let sorts = self.sorts.indices.get(&array.text).into_iter().flatten();
                let at =
                    index.iter().zip(sorts).filter(|(it, sort)| it.text == name.text && !sort.is_empty());
                found.extend(at.map(|(_, sort)| sort.clone()));
            });
        }
        found.dedup();
        let certain = found.len() == 1 || self.asks && !found.is_empty();
        if certain { found.remove(0) } else { String::new() }
    }

    /// That a process is of a sort, or is not; nothing for any sort.
    pub(super) fn condition(&self, name: &Name, sort: &str, positive: bool) -> Option<Expr> {
        let value = self.sorts.values.get(sort)?;
        let loc = name.loc;
        let index = vec![Name::at(&name.text, loc)];
        let left = Term::base(Base::Cell { array: Name::at(&self.sorts.array, loc), index }, loc);
        let op = if positive { Comparison::Eq } else { Comparison::Ne };
        Some(Expr::compare(left, op, Term::named(value, loc), loc.0))
    }

    /// A formula in the core.
    pub fn formula(&mut self, formula: &Expr) -> Expr {
        let kind = match &formula.kind {
            ExprKind::Bool(_) | ExprKind::Error => return formula.clone(),
            ExprKind::Compare { op, left, right } => {
                if let Some(sort) = self.sort_of(left) {
                    self.agrees(Some(&sort), right);
                }
                let kind = ExprKind::Compare { op: *op, left: self.term(left), right: self.term(right) };
                let compared = Expr { parenthesised: formula.parenthesised, ..Expr::new(kind, formula.span) };
                return self.where_defined(&[left, right], compared);
            }
            ExprKind::Quantified { quantifier, vars, body } => {
                let outside = self.scope.len();
                let universal = matches!(quantifier, Quantifier::Forall | Quantifier::ForallOther);
                let (vars, body) = self.joined(*quantifier, vars, body);
                let (vars, conditions) = self.bind(&vars, &[body], !universal);
                let body = self.formula(body);
                self.scope.truncate(outside);
                let body = if universal { any(conditions, body) } else { all(conditions, body) };
                ExprKind::Quantified { quantifier: *quantifier, vars, body: Box::new(body) }
            }
            ExprKind::Call { name, args } => {
                let args = args.iter().map(|it| match it {
                    Arg::Term(it) => Arg::Term(self.term(it)),
                    Arg::Formula(it) => Arg::Formula(self.formula(it)),
                });
                ExprKind::Call { name: name.clone(), args: args.collect() }
            }
            connective => connective.with_operands(&mut |it| self.formula(it)),
        };
        Expr { parenthesised: formula.parenthesised, ..Expr::new(kind, formula.span) }
    }

    /// A quantifier with those right within it that bind processes of other sorts: these are different from its own, so that
    /// no way in which they coincide has to be considered.
    fn joined<'f>(&self, quantifier: Quantifier, vars: &[Name], mut body: &'f Expr) -> (Vec<Name>, &'f Expr) {
        let mut vars = vars.to_vec();
        let sort = |name: &Name| {
            let sort = name.sort.as_ref().map_or(self.unsaid, |it| Some(&*it.text))?;
            self.sorts.values.contains_key(sort).then(|| sort.to_owned())
        };
        while let ExprKind::Quantified { quantifier: Quantifier::Forall, vars: more, body: inner } =
            &body.kind
            && quantifier == Quantifier::Forall
            && self.joins
            && more.iter().all(|it| {
                sort(it).is_some_and(|own| {
                    vars.iter().all(|of| of.text != it.text && sort(of).is_some_and(|sort| sort != own))
                })
            })
        {
            vars.extend(more.iter().cloned());
            body = inner;
        }
        (vars, body)
    }

    fn term(&mut self, term: &Term) -> Term {
        let kind = match &term.kind {
            TermKind::Base(base) => {
                self.base(base);
                return term.clone();
            }
            TermKind::Number(_) | TermKind::Record(_) => return term.clone(),
            TermKind::Count(count) => TermKind::Count(self.count(count)),
            TermKind::Sum(summands) => TermKind::Sum(
                summands
                    .iter()
                    .map(|it| {
                        let operand = match &it.operand {
                            Operand::Count(count) => Operand::Count(self.count(count)),
                            Operand::Base(base) => {
                                self.base(base);
                                it.operand.clone()
                            }
                            Operand::Number(_) => it.operand.clone(),
                        };
                        Summand { operand, ..it.clone() }
                    })
                    .collect(),
            ),
        };
        Term { kind, loc: term.loc }
    }

    fn count(&mut self, count: &Count) -> Count {
        let (CountKind::Of { var, .. } | CountKind::Sum { var, .. }) = &count.kind else {
            return count.clone();
        };
        let outside = self.scope.len();
        let within: Vec<&Expr> = count.parts().and_then(|(_, _, body)| body).into_iter().collect();
        let (mut vars, conditions) = self.bind(std::slice::from_ref(var), &within, true);
        let kind = match &count.kind {
            CountKind::Processes => CountKind::Processes,
            CountKind::Of { body, .. } => {
                let body = self.formula(body);
                CountKind::Of { var: vars.remove(0), body: Box::new(all(conditions, body)) }
            }
            CountKind::Sum { summand, body, .. } => {
                let truth = || Expr::new(ExprKind::Bool(true), count.span());
                let body = body.as_ref().map(|it| self.formula(it));
                let body = match (body, conditions.is_empty()) {
                    (body, true) => body,
                    (body, false) => Some(all(conditions, body.unwrap_or_else(truth))),
                };
                let summand = Box::new(self.term(summand));
                CountKind::Sum { var: vars.remove(0), summand, body: body.map(Box::new) }
            }
        };
        self.scope.truncate(outside);
        Count { kind, loc: count.loc }
    }

    fn base(&mut self, base: &Base) {
        if let Base::Name(name) = base {
            self.without_number(name);
        }
        if let Base::Cell { array, index } = base {
            self.indices(array, index);
        }
    }

    /// The sort of the process that a term stands for; `None` where it is not known.
    fn sort_of(&self, term: &Term) -> Option<String> {
        let TermKind::Base(base) = &term.kind else { return None };
        let name = &base.name().text;
        let bound = || self.scope.iter().rev().find(|(it, _)| it == name).map(|(_, sort)| sort.clone());
        let sort = match base {
            Base::Name(_) => bound().or_else(|| self.sorts.pointed.get(name).cloned()),
            Base::Cell { .. } | Base::Path(_) => self.sorts.pointed.get(name).cloned(),
        };
        sort.filter(|it| !it.is_empty())
    }

    /// Reports a term that stands for a process of another sort. Claims may have it: a pointer to a process of another sort is as good as one to none,
    /// so that searches meet it.
    fn agrees(&mut self, sort: Option<&str>, term: &Term) {
        if self.unsaid.is_none() && !self.asks {
            return;
        }
        let (Some(sort), Some(found)) = (sort, self.sort_of(term)) else { return };
        if sort != found {
            let message = format!("a `{found}` where a `{sort}` is expected");
            Diagnostic::error("C0218", term.span(), message)
                .label(format!("`{term}` is of sort `{found}`"))
                .help("processes of different sorts are never equal, nor ordered")
                .report(&mut self.diagnostics);
        }
    }

    /// Reports a process constant in a model: its sort is not known.
    fn without_number(&mut self, name: &Name) {
        if self.unsaid.is_some() && name.text.starts_with('#') {
            let message = format!("process constant `{}` in a model with sorts", name.text);
            Diagnostic::error("C0106", name.span(), message)
                .label("of which sort this process is, is not known")
                .help("use a variable of a sort that nothing assigns: `const Home : node`")
                .report(&mut self.diagnostics);
        }
    }

    /// Reports indices of other sorts than those of an array.
    fn indices(&mut self, array: &Name, index: &[Name]) {
        for name in index {
            self.without_number(name);
        }
        let Some(sorts) = self.sorts.indices.get(&array.text).cloned() else { return };
        for (name, sort) in index.iter().zip(sorts).filter(|(_, sort)| !sort.is_empty()) {
            let term = Term::name(name.clone());
            let Some(found) = self.sort_of(&term).filter(|it| *it != sort) else { continue };
            let message = format!("`{}` is indexed by a `{sort}` here", array.text);
            Diagnostic::error("C0218", name.span(), message)
                .label(format!("`{}` is of sort `{found}`", name.text))
                .report(&mut self.diagnostics);
        }
    }

    /// Brings a name of a sort into scope.
    pub(super) fn enter(&mut self, name: &Name, sort: &str) {
        self.scope.push((name.text.clone(), sort.to_owned()));
    }

    /// Takes all names out of scope.
    pub(super) fn leave(&mut self) {
        self.scope.clear();
        self.lets.clear();
    }

    /// Whether a name is bound.
    pub(super) fn in_scope(&self, name: &str) -> bool {
        self.scope.iter().any(|(it, _)| it == name)
    }
}

/// Calls `see` with each array and indices in a formula.
fn cells(formula: &Expr, see: &mut dyn FnMut(&Name, &[Name])) {
    formula.kind.terms().into_iter().for_each(|it| cells_of_term(it, see));
    formula.kind.formulas().into_iter().for_each(|it| cells(it, see));
}

fn cells_of_term(term: &Term, see: &mut dyn FnMut(&Name, &[Name])) {
    for base in term.bases() {
        if let Base::Cell { array, index } = base {
            see(array, index);
        }
    }
    for (_, summand, body) in term.counts().filter_map(Count::parts) {
        if let Some(summand) = summand {
            cells_of_term(summand, see);
        }
        if let Some(body) = body {
            cells(body, see);
        }
    }
}

/// The conditions and the formula.
pub(super) fn all(mut conditions: Vec<Expr>, formula: Expr) -> Expr {
    let at = formula.span;
    match formula.kind {
        _ if conditions.is_empty() => return formula,
        ExprKind::Bool(true) => {}
        ExprKind::And(list) => conditions.extend(list),
        _ => conditions.push(formula),
    }
    joined(conditions, at, ExprKind::And)
}

/// One of the conditions, or the formula.
pub(super) fn any(mut conditions: Vec<Expr>, formula: Expr) -> Expr {
    let at = formula.span;
    match formula.kind {
        _ if conditions.is_empty() => return formula,
        ExprKind::Or(list) => conditions.extend(list),
        _ => conditions.push(formula),
    }
    joined(conditions, at, ExprKind::Or)
}

fn joined(mut parts: Vec<Expr>, at: crate::diagnostic::Span, make: fn(Vec<Expr>) -> ExprKind) -> Expr {
    if parts.len() == 1 { parts.swap_remove(0) } else { Expr::new(make(parts), at) }
}
