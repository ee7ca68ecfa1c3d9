//! Formulas of the extended language.

use std::sync::Arc;

use indexmap::IndexMap;

use super::make::{all, any, number, truth};
use super::substitute::substituted;
use super::terms::{Fixed, Linear, Value, linear, multiples};
use super::types::{Expander, Type, Values};
use crate::diagnostic::{Diagnostic, Span};
use crate::list::add_new;
use crate::syntax::ast::{
    Arg, Comparison, Counted, Expr, ExprKind, Loc, Name, Path, Predicate, Term, TermKind,
};
use crate::syntax::unsure;

fn holds(op: Comparison, number: i64) -> bool {
    match op {
        Comparison::Eq => number == 0,
        Comparison::Ne => number != 0,
        Comparison::Lt => number < 0,
        Comparison::Le => number <= 0,
        Comparison::Gt => number > 0,
        Comparison::Ge => number >= 0,
    }
}

/// That a cell holds one of the values: a single literal of the core, but where any will do and the cell may have none.
fn member(cell: &Path, values: &Arc<Values>, members: &[bool], at: Span) -> Expr {
    let chosen: Vec<usize> = (0..members.len()).filter(|&it| members[it]).collect();
    let one = |value: usize, op| {
        let fixed = Fixed { cell: cell.clone(), values: Arc::clone(values), value };
        fixed.compared(op, at)
    };
    match chosen.as_slice() {
        [] => truth(false, at),
        [value] => one(*value, Comparison::Eq),
        every if every.len() == members.len() && !cell.has_cell() => has_value(cell, at),
        _ => {
            let others = (0..members.len()).filter(|&it| !members[it]);
            all(others.map(|value| one(value, Comparison::Ne)).collect(), at)
        }
    }
}

/// That a cell has a value: only then is it equal to itself.
pub fn has_value(cell: &Path, at: Span) -> Expr {
    let term = || Term::path(cell.clone(), Loc(at));
    Expr::compare(term(), Comparison::Eq, term(), at)
}

impl Expander {
    /// A formula in the core language.
    pub fn formula(&mut self, expr: &Expr) -> Expr {
        if !self.spend(1) {
            return expr.clone().with(ExprKind::Error);
        }
        let at = expr.span;
        let result = match &expr.kind {
            ExprKind::Compare { op, left, right } => {
                if self.is_core_term(left) && self.is_core_term(right) {
                    return expr.clone();
                }
                return self.compare(*op, left, right, at);
            }
            ExprKind::Quantified { quantifier, vars, body } => {
                let body = Box::new(self.formula(body));
                expr.rebuilt(ExprKind::Quantified { quantifier: *quantifier, vars: vars.clone(), body })
            }
            ExprKind::Call { name, args } => return self.call(expr, name, args),
            _ => expr.with_operands(&mut |it| self.formula(it)),
        };
        if result.depth > 2 * crate::syntax::MAX_DEPTH {
            Diagnostic::error("C0013", at, "formula nested too deeply once predicates are written out")
                .help("split the declaration")
                .report(self);
            return truth(false, at);
        }
        result
    }

    /// Whether the core reads a term as it stands.
    pub fn is_core_term(&self, term: &Term) -> bool {
        !matches!(term.kind, TermKind::Record(_))
            && term.paths().all(|it| self.is_core_path(it))
            && term.counted().flat_map(Counted::terms).all(|it| self.is_core_term(it))
            && term.counted().flat_map(Counted::formulas).all(|it| self.is_core(it))
    }

    /// Whether the core reads a variable as it stands.
    pub fn is_core_path(&self, path: &Path) -> bool {
        !self.symbols.is_special(&path.name.text)
            && path
                .names()
                .is_some_and(|index| !index.iter().any(|it| self.symbols.numbers.contains_key(&it.text)))
    }

    /// Whether the core reads a formula as it stands.
    pub fn is_core(&self, expr: &Expr) -> bool {
        let called = match &expr.kind {
            ExprKind::Call { name, .. } => match self.predicates.get(&name.text) {
                Some((_, written_out)) => !written_out,
                None => !matches!(name.text.as_str(), "empty" | "full" | "send" | "receive"),
            },
            _ => true,
        };
        called
            && expr.kind.terms().into_iter().all(|it| self.is_core_term(it))
            && expr.kind.formulas().into_iter().all(|it| self.is_core(it))
    }

    fn call(&mut self, expr: &Expr, name: &Name, args: &[Arg]) -> Expr {
        let of_args = args.iter().filter_map(|it| match it {
            Arg::Formula(Expr { kind: ExprKind::Call { name, .. }, .. }) => Some(name),
            _ => None,
        });
        if let Some(name) = of_args.chain([name]).find(|it| self.witnesses.contains(&it.text)) {
            self.elsewhere(name);
            return truth(false, expr.span);
        }
        // Which processes a part of `init` is about says what is written out.
        if self.is_core(expr) && !(self.initially && self.sorts.is_some()) {
            return expr.clone();
        }
        let at = expr.span;
        let Some((predicate, _)) = self.predicates.get(&name.text).cloned() else {
            return self.about_queue(expr, name, args);
        };
        // The core says what is wrong.
        let Some(body) = in_place(&predicate, args) else { return expr.clone() };
        let mut body = self.formula(&body);
        body.span = at;
        body
    }

    /// `empty(C)`, `full(C)`, and what is not a condition.
    fn about_queue(&mut self, expr: &Expr, name: &Name, args: &[Arg]) -> Expr {
        let at = expr.span;
        let word = name.text.as_str();
        if matches!(word, "send" | "receive") {
            Diagnostic::error("C0216", at, format!("`{word}` is not a condition"))
                .label("it changes the queue, and stands among the updates of a transition")
                .help("a guard asks `not empty(C)`, and for the first message `C.head`")
                .report(self);
            return truth(false, at);
        }
        let path = match args {
            [Arg::Term(Term { kind: TermKind::Path(path), .. })] if matches!(word, "empty" | "full") => path,
            // The core reports a predicate that is not known.
            _ => return expr.clone(),
        };
        let Some(places) = self.places(path) else { return truth(false, at) };
        // The types are the same at all places.
        match places.first().map(|way| way.it.ty.queue()) {
            Some(Some(queue)) => {
                let count = if word == "full" { queue.capacity } else { 0 };
                self.formula(&Self::has_length(path, count))
            }
            Some(None) => {
                Diagnostic::error("C0216", path.loc.0, format!("`{path}` is not a channel"))
                    .label(format!("`{word}` is about channels"))
                    .report(self);
                truth(false, at)
            }
            None => truth(false, at),
        }
    }

    /// The fields of a term that is a record, if it is one.
    pub fn fields(&self, term: &Term) -> Option<Vec<String>> {
        match &term.kind {
            TermKind::Record(fields) => Some(fields.iter().map(|(name, _)| name.text.clone()).collect()),
            TermKind::Path(path) => match self.type_of(path)? {
                Type::Record(record) if record.queue.is_none() => {
                    Some(record.fields.iter().map(|(name, _)| name.clone()).collect())
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// The type of a variable, cell or field; `None` when it has none.
    pub fn type_of(&self, path: &Path) -> Option<Type> {
        let mut ty = self.symbols.variables.get(&path.name.text)?.ty.clone();
        for field in &path.fields {
            let Type::Record(record) = &ty else { return None };
            ty = record.field(&field.text)?.1.clone();
        }
        Some(ty)
    }

    /// `left op right`, of which one is not a term of the core.
    pub fn compare(&mut self, op: Comparison, left: &Term, right: &Term, at: Span) -> Expr {
        let is_queue = |this: &Self, term: &Term| match &term.kind {
            TermKind::Path(path) => this.type_of(path).is_some_and(|ty| ty.queue().is_some()),
            _ => false,
        };
        if is_queue(self, left) || is_queue(self, right) {
            Diagnostic::error("C0216", at, "a comparison of a channel")
                .label("a channel is not a value")
                .help("ask for `C.head`, `C.length`, `empty(C)` or `full(C)`")
                .report(self);
            return truth(false, at);
        }
        if let (Some(a), Some(b)) = (self.fields(left), self.fields(right)) {
            return self.compare_records(op, left, right, [a, b], at);
        }
        let (Some(lefts), Some(rights)) = (self.value(left), self.value(right)) else {
            return truth(false, at);
        };
        let cells = lefts.iter().chain(&rights).flat_map(|way| {
            let fixed = way.fixed.iter().map(|it| it.cell.clone());
            fixed.chain(way.it.cells())
        });
        let with_itself = |cell: &Path, op| {
            let term = Term::path(cell.clone(), Loc(at));
            Expr::compare(term.clone(), op, term, at)
        };
        // What `init` says of processes it says in each of its ways, so that all of it is left out where there are none.
        let is_of_process = |it: &Path| self.initially && it.index.iter().flatten().next().is_some();
        let mut known: Vec<Path> = Vec::new();
        cells.clone().filter(is_of_process).for_each(|it| add_new(&mut known, it));
        let of_processes = |op| known.iter().map(move |it| with_itself(it, op));
        let is_all = lefts.len() * rights.len() == 1 && [left, right].iter().all(|it| is_written(it, at));
        let mut parts = Vec::new();
        for l in &lefts {
            for r in &rights {
                let Some(both) = l.and(r, |_, _| ()) else { continue };
                let Some(compared) = self.compare_values(op, [left, right], [&l.it, &r.it], at, is_all)
                else {
                    return truth(false, at);
                };
                let mut conditions = both.conditions(at);
                conditions.push(compared);
                conditions.extend(of_processes(Comparison::Eq));
                parts.push(all(conditions, at));
            }
        }
        parts.extend(of_processes(Comparison::Ne));
        let compared = match self.few(parts, at) {
            Some(parts) => any(parts, at),
            None => return truth(false, at),
        };
        if compared.kind != ExprKind::Bool(false) {
            return compared;
        }
        // No value satisfies it, but a step that asks needs the process whose cell it is about.
        let unsure = cells.filter(|it| !it.has_cell());
        any(unsure.map(|it| with_itself(&it, Comparison::Ne)).collect(), at)
    }

    fn compare_records(
        &mut self,
        op: Comparison,
        left: &Term,
        right: &Term,
        [a, b]: [Vec<String>; 2],
        at: Span,
    ) -> Expr {
        if !matches!(op, Comparison::Eq | Comparison::Ne) {
            Diagnostic::error("C0206", at, "records have no order")
                .label("`=` and `<>` compare them")
                .help("compare their fields")
                .report(self);
            return truth(false, at);
        }
        let declared = if matches!(left.kind, TermKind::Record(_)) { &b } else { &a };
        if let Some((name, literal)) = [(&a, left), (&b, right)].into_iter().find_map(|(it, literal)| {
            let odd = it.iter().find(|name| !declared.contains(name));
            let missing = declared.iter().find(|name| !it.contains(name));
            odd.or(missing).map(|name| (name.clone(), literal))
        }) {
            Diagnostic::error("C0214", literal.span(), format!("these records differ in the field `{name}`"))
                .label("both sides have the same fields")
                .help("compare the fields that matter, as in `X.field = value`")
                .report(self);
            return truth(false, at);
        }
        let parts = declared
            .iter()
            .map(|field| {
                let (l, r) = (projected(left, field), projected(right, field));
                self.formula(&Expr::compare(l, op, r, at))
            })
            .collect();
        if op == Comparison::Eq {
            return all(parts, at);
        }
        // No comparison holds with what has no value, also where a field differs that has one.
        let written = [left, right].into_iter().filter(|it| matches!(it.kind, TermKind::Record(_)));
        let unsure = written.flat_map(unsure).map(|it| self.formula(&has_value(it, at)));
        all(unsure.chain([any(parts, at)]).collect(), at)
    }

    fn compare_values(
        &mut self,
        op: Comparison,
        [left, right]: [&Term; 2],
        [a, b]: [&Value; 2],
        at: Span,
        is_all: bool,
    ) -> Option<Expr> {
        let plain = |op| Expr::compare(Self::core_term(a, left.loc), op, Self::core_term(b, right.loc), at);
        let equality = matches!(op, Comparison::Eq | Comparison::Ne);
        if let (Value::Cell(x, of), Value::Cell(y, other)) = (a, b)
            && equality
            && of == other
        {
            let equal = || member(x, of, &vec![op == Comparison::Eq; of.names.len()], at);
            return Some(if x == y { equal() } else { plain(op) });
        }
        let (Some(l), Some(r)) = (linear(a), linear(b)) else { return Some(plain(op)) };
        let mut difference = l;
        let Some(()) = difference.add(&r, -1) else { return self.large(at) };
        self.compare_number(op, &difference, left.loc, at, is_all)
    }

    /// That a sum compares so with zero. Where that is all that the text at this place says (`is_all`), an equation that never holds is an error.
    pub fn compare_number(
        &mut self,
        op: Comparison,
        sum: &Linear,
        loc: Loc,
        at: Span,
        is_all: bool,
    ) -> Option<Expr> {
        if sum.cells.is_empty() {
            if sum.rest.is_empty() {
                return Some(truth(holds(op, sum.constant), at));
            }
            let left = sum.beside(0).term(loc);
            let Some(right) = sum.constant.checked_neg() else { return self.large(at) };
            return Some(Expr::compare(left, op, number(right, loc), at));
        }
        if !sum.rest.is_empty() {
            let mut parts = Vec::new();
            for way in self.combinations(sum, at)? {
                let here = self.compare_number(op, &sum.beside(way.it), loc, at, false)?;
                let mut conditions = way.conditions(at);
                conditions.push(here);
                parts.push(all(conditions, at));
            }
            return Some(any(parts, at));
        }
        // The values of the cell with most of them are one literal for each choice of the others.
        let last = (0..sum.cells.len()).max_by_key(|&it| sum.cells[it].2.names.len()).unwrap_or(0);
        let mut others = sum.clone();
        let (factor, cell, values) = others.cells.remove(last);
        let (mut parts, mut ever) = (Vec::new(), false);
        let Some(of_cell) = multiples(factor, &cell, &values) else { return self.large(at) };
        for way in self.combinations(&others, at)? {
            let members = of_cell.iter().map(|(_, number)| Some(holds(op, number.checked_add(way.it)?)));
            let Some(members) = members.collect::<Option<Vec<bool>>>() else { return self.large(at) };
            ever |= members.contains(&(op != Comparison::Ne));
            let mut conditions = way.conditions(at);
            conditions.push(member(&cell, &values, &members, at));
            parts.push(all(conditions, at));
        }
        if is_all && !ever && matches!(op, Comparison::Eq | Comparison::Ne) {
            let (low, high) = Type::Finite(Arc::clone(&values)).range().unwrap_or_default();
            Diagnostic::error("C0213", at, "these numbers are never equal")
                .label(format!("the range of `{}` is {low}..{high}", cell.name.text))
                .help("mend the number, or widen the range")
                .report(self);
        }
        Some(any(parts, at))
    }
}

/// Whether all of a term is written in this text: nothing stands in it for a name.
fn is_written(term: &Term, at: Span) -> bool {
    let is_here = |it: Span| at.start <= it.start && it.end <= at.end;
    match &term.kind {
        TermKind::Sum(summands) => summands.iter().all(|it| is_written(&it.operand, at)),
        TermKind::Remainder(of, _) => is_written(of, at),
        TermKind::Path(path) => is_here(path.loc.0),
        _ => is_here(term.span()),
    }
}

/// The formula of a predicate with these terms for its parameters; `None` where they are not terms, or not as many.
pub fn in_place(predicate: &Predicate, args: &[Arg]) -> Option<Expr> {
    let term = |arg: &Arg| if let Arg::Term(term) = arg { Some(term.clone()) } else { None };
    let names = predicate.params.iter().map(|it| it.text.clone());
    let given =
        names.zip(args).map(|(name, arg)| Some((name, term(arg)?))).collect::<Option<IndexMap<_, _>>>()?;
    (predicate.params.len() == args.len()).then(|| substituted(&predicate.body, &given))
}

pub fn projected(term: &Term, field: &str) -> Term {
    match &term.kind {
        TermKind::Record(fields) => fields
            .iter()
            .find(|(name, _)| name.text == field)
            .map_or_else(|| term.clone(), |(_, it)| it.clone()),
        TermKind::Path(path) => {
            let mut path = path.clone();
            path.fields.push(Name::at(field, term.loc));
            Term::path(path, term.loc)
        }
        _ => term.clone(),
    }
}

/// The quantifiers of a formula that are not within others, and the calls of predicates that have some.
pub fn quantifiers<'e>(expr: &'e Expr, predicates: &IndexMap<String, (Predicate, bool)>) -> Vec<&'e Expr> {
    let has_some = |body: &Expr| !quantifiers(body, predicates).is_empty();
    quantified(expr, &|name| predicates.get(name).is_some_and(|(it, _)| has_some(&it.body)))
}

/// Its outermost quantified formulas, and calls of predicates that have some.
pub fn quantified<'e>(expr: &'e Expr, has_some: &dyn Fn(&str) -> bool) -> Vec<&'e Expr> {
    match &expr.kind {
        ExprKind::Quantified { .. } => vec![expr],
        ExprKind::Call { name, .. } if has_some(&name.text) => vec![expr],
        other => other.formulas().into_iter().flat_map(|it| quantified(it, has_some)).collect(),
    }
}
