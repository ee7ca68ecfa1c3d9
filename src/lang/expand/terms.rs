//! Terms of the extended language: what they are for each value of the cells that they depend on.

use std::sync::Arc;

use super::make::{all, number};
use super::types::{Expander, Index, Type, Values};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{
    Comparison, Count, Counted, Expr, Loc, Name, Number, Path, Summand, Term, TermKind,
};

/// Most combinations of values of the cells that a comparison or a value depends on.
pub const MOST_WAYS: usize = 4096;

/// A cell of a finite type that holds a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fixed {
    pub cell: Path,
    pub values: Arc<Values>,
    pub value: usize,
}

impl Fixed {
    pub fn formula(&self, at: Span) -> Expr {
        self.compared(Comparison::Eq, at)
    }

    /// That it holds this value, or, by `<>`, another one.
    pub fn compared(&self, op: Comparison, at: Span) -> Expr {
        let value = Term::named(&self.values.names[self.value], Loc(at));
        Expr::compare(Term::path(self.cell.clone(), Loc(at)), op, value, at)
    }
}

/// What something is where cells hold these values, and further conditions hold.
#[derive(Clone, Debug)]
pub struct Way<T> {
    pub fixed: Vec<Fixed>,
    /// Conditions of the core without which it has no meaning.
    pub needs: Vec<Expr>,
    pub it: T,
}

impl<T> Way<T> {
    pub const fn only(it: T) -> Self {
        Self { fixed: Vec::new(), needs: Vec::new(), it }
    }

    pub fn with<U>(self, it: U) -> Way<U> {
        Way { fixed: self.fixed, needs: self.needs, it }
    }

    /// Both; `None` when they contradict each other.
    pub fn and<U: Clone, V>(&self, other: &Way<U>, join: impl FnOnce(&T, U) -> V) -> Option<Way<V>> {
        let mut fixed = self.fixed.clone();
        for one in &other.fixed {
            match fixed.iter().find(|it| it.cell == one.cell) {
                Some(known) if known.value != one.value => return None,
                Some(_) => {}
                None => fixed.push(one.clone()),
            }
        }
        let mut needs = self.needs.clone();
        needs.extend(other.needs.iter().filter(|it| !self.needs.contains(it)).cloned());
        Some(Way { fixed, needs, it: join(&self.it, other.it.clone()) })
    }

    pub fn conditions(&self, at: Span) -> Vec<Expr> {
        self.fixed.iter().map(|it| it.formula(at)).chain(self.needs.iter().cloned()).collect()
    }
}

/// A variable of the core with its indices, or a record of such.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Place {
    /// The declared variable.
    pub owner: String,
    /// By which the owner knows the leaf.
    pub key: String,
    pub index: Vec<Name>,
    pub ty: Type,
    pub at: Loc,
}

/// A value that is not a record.
#[derive(Clone, Debug)]
pub enum Value {
    Cell(Path, Arc<Values>),
    Constant(Arc<Values>, usize),
    Linear(Linear),
    Core(Term),
}

impl Value {
    pub fn cells(&self) -> Vec<Path> {
        match self {
            Self::Cell(cell, _) => vec![cell.clone()],
            Self::Constant(..) => Vec::new(),
            Self::Linear(sum) => {
                let rest = sum.rest.iter().flat_map(|(_, term)| term.paths());
                sum.cells.iter().map(|(_, cell, _)| cell).chain(rest).cloned().collect()
            }
            Self::Core(term) => term.paths().cloned().collect(),
        }
    }
}

/// A sum of cells of ranges that are enumerated, numbers of the core, and a constant.
#[derive(Clone, Debug, Default)]
pub struct Linear {
    pub constant: i64,
    pub cells: Vec<(i64, Path, Arc<Values>)>,
    pub rest: Vec<(i64, Term)>,
}

impl Linear {
    /// A number of the core.
    pub fn of(operand: Term) -> Self {
        Self { rest: vec![(1, operand)], ..Self::default() }
    }

    /// The numbers of the core in it, with another constant.
    pub fn beside(&self, constant: i64) -> Self {
        Self { constant, rest: self.rest.clone(), cells: Vec::new() }
    }

    /// Adds a multiple of another sum; `None` when a number leaves the range.
    pub(super) fn add(&mut self, other: &Self, factor: i64) -> Option<()> {
        self.constant = self.constant.checked_add(other.constant.checked_mul(factor)?)?;
        for (by, cell, values) in &other.cells {
            let by = by.checked_mul(factor)?;
            match self.cells.iter_mut().find(|(_, known, _)| known == cell) {
                Some((known, ..)) => *known = known.checked_add(by)?,
                None => self.cells.push((by, cell.clone(), Arc::clone(values))),
            }
        }
        self.cells.retain(|(by, cell, _)| *by != 0 || !cell.has_cell());
        for (by, operand) in &other.rest {
            self.rest.push((by.checked_mul(factor)?, operand.clone()));
        }
        Some(())
    }

    /// As a term of the core, when no cell of an enumerated range is left in it.
    pub fn term(&self, loc: Loc) -> Term {
        if self.rest.is_empty() {
            return number(self.constant, loc);
        }
        let size = |by: i64, loc| Number { text: by.unsigned_abs().to_string(), loc };
        let scaled = |(by, operand): &(i64, Term)| Summand {
            negative: *by < 0,
            factor: (by.unsigned_abs() != 1).then(|| size(*by, operand.loc)),
            operand: operand.clone(),
            loc: operand.loc,
        };
        let mut summands: Vec<Summand> = self.rest.iter().map(scaled).collect();
        if self.constant != 0 {
            let operand = size(self.constant, loc).into();
            summands.push(Summand { negative: self.constant < 0, factor: None, operand, loc });
        }
        Term::sum(summands, loc)
    }
}

/// For each value that a cell may hold, a multiple of it; `None` when a number leaves the range.
pub fn multiples(factor: i64, cell: &Path, values: &Arc<Values>) -> Option<Vec<(Fixed, i64)>> {
    let one = |value| {
        let fixed = Fixed { cell: cell.clone(), values: Arc::clone(values), value };
        Some((fixed, values.number(value).checked_mul(factor)?))
    };
    (0..values.names.len()).map(one).collect()
}

impl Expander {
    /// The variable of the core at a place that is not a record.
    pub fn core_path(&self, place: &Place) -> Path {
        let leaf = self.symbols.variables.get(&place.owner).and_then(|it| it.leaves.get(&place.key));
        let name = Name::at(leaf.map_or(&place.owner, |leaf| &leaf.0), place.at);
        Path::at(name, place.index.clone())
    }

    /// Where a path leads, for each value of the variables that are indices in it. `None` after an error.
    pub fn places(&mut self, path: &Path) -> Option<Vec<Way<Place>>> {
        let Some(variable) = self.symbols.variables.get(&path.name.text).cloned() else {
            return self.unknown_path(path);
        };
        if variable.broken {
            return None;
        }
        let given = path.index.as_deref().unwrap_or_default();
        if given.len() != variable.index.len() {
            let (want, name) = (variable.index.len(), &path.name.text);
            let message = match want {
                0 => format!("`{name}` is not an array"),
                1 => format!("`{name}` must have one index"),
                _ => format!("`{name}` must have {want} indices"),
            };
            return Diagnostic::error("C0202", path.name.span(), message)
                .label(format!("used with {} here", given.len()))
                .also(variable.span, "declared here")
                .refuse(self);
        }
        let place = Place {
            owner: path.name.text.clone(),
            key: String::new(),
            index: Vec::new(),
            ty: variable.ty,
            at: path.loc,
        };
        let mut ways = vec![Way::only(place)];
        for (kind, term) in variable.index.iter().zip(given) {
            match kind {
                Index::Proc => {
                    let finite = variable.index.iter().position(|it| matches!(it, Index::Finite(_)));
                    if let (Some(at), TermKind::Number(_)) = (finite, &term.kind) {
                        let message =
                            format!("`{term}` stands where `{}` has a process as its index", path.name.text);
                        return Diagnostic::error("C0203", term.span(), message)
                            .label(format!("index number {} is the one that is a value", at + 1))
                            .also(variable.span, "declared here")
                            .refuse(self);
                    }
                    let name = self.process_index(term)?;
                    for way in &mut ways {
                        way.it.index.push(name.clone());
                    }
                }
                Index::Finite(values) => {
                    let chosen = self.finite_index(term, values)?;
                    let mut next = Vec::new();
                    for way in &ways {
                        next.extend(chosen.iter().filter_map(|one| {
                            way.and(one, |place, at| Place {
                                key: format!("{}[{at}]", place.key),
                                ..place.clone()
                            })
                        }));
                    }
                    ways = self.few(next, path.loc.0)?;
                }
            }
        }
        for field in &path.fields {
            ways = self.field(ways, field)?;
        }
        Some(ways)
    }

    /// A path at a name that is not declared, or declared with an error: the core reports it, where it can.
    fn unknown_path(&mut self, path: &Path) -> Option<Vec<Way<Place>>> {
        let index = path.index.iter().flatten().map(|it| self.process_index(it)).collect::<Option<_>>()?;
        if let Some(field) = path.fields.first() {
            self.no_record(field, &path.name.text);
            return None;
        }
        let owner = path.name.text.clone();
        let place = Place { owner, key: String::new(), index, ty: Type::Core(String::new()), at: path.loc };
        Some(vec![Way::only(place)])
    }

    fn no_record(&mut self, field: &Name, what: &str) {
        Diagnostic::error("C0214", field.span(), format!("`{what}` has no field `{}`", field.text))
            .label("it is not a record")
            .help("records are declared by `type t = { field : type; .. }`")
            .report(self);
    }

    fn field(&mut self, ways: Vec<Way<Place>>, field: &Name) -> Option<Vec<Way<Place>>> {
        let mut next = Vec::new();
        for way in ways {
            let Type::Record(record) = way.it.ty.clone() else {
                let owner = way.it.owner.clone();
                self.no_record(field, &owner);
                return None;
            };
            let Some((name, ty)) = record.field(&field.text) else {
                let known: Vec<String> = if record.queue.is_some() {
                    vec!["`head`".to_owned(), "`length`".to_owned()]
                } else {
                    record.fields.iter().map(|(it, _)| format!("`{it}`")).collect()
                };
                let message = format!("`{}` has no field `{}`", record.name, field.text);
                let error = Diagnostic::error("C0214", field.span(), message);
                let names = record.fields.iter().map(|(it, _)| it.as_str());
                let error = match crate::spelling::nearest(&field.text, names) {
                    Some(similar) if record.queue.is_none() => error.did_you_mean(similar),
                    _ => error.help(format!("it has {}", known.join(", "))),
                };
                return error.refuse(self);
            };
            let mut way = way;
            if let ("head", Some((_, Type::Finite(values)))) = (field.text.as_str(), record.fields.last())
                && record.queue.is_some()
            {
                let length = Place { key: format!("{}.length", way.it.key), ..way.it.clone() };
                let none = Fixed { cell: self.core_path(&length), values: Arc::clone(values), value: 0 };
                way.needs.push(none.compared(Comparison::Ne, way.it.at.0));
            }
            way.it.key = format!("{}.{name}", way.it.key);
            way.it.ty = ty.clone();
            next.push(way);
        }
        Some(next)
    }

    fn process_index(&mut self, term: &Term) -> Option<Name> {
        let at = term.span();
        let is_number = |name: &Name| self.symbols.numbers.contains_key(&name.text);
        if let Some(name) = term.alone().filter(|it| !is_number(it)) {
            return Some(name.clone());
        }
        let error = match &term.kind {
            TermKind::Path(path) if path.alone().is_none() => nested_index(&path.name, at),
            TermKind::Number(number) => {
                let digits = number.text.trim_start_matches(['-', '0']);
                let whole = digits.split('.').next().filter(|it| !it.is_empty()).unwrap_or("1");
                Diagnostic::error("C0014", at, "number used as an array index")
                    .label("an index is a process")
                    .help(format!("process constants are written `#{whole}`, and need `number_procs`"))
            }
            _ => Diagnostic::error("C0014", at, format!("`{term}` used as an array index"))
                .label("an index is a process, or a value of the finite type that the array declares")
                .help("declare a range, and the array over it: `type slot = 0 .. 3`, `array A[slot] : t`"),
        };
        error.refuse(self)
    }

    fn finite_index(&mut self, term: &Term, values: &Arc<Values>) -> Option<Vec<Way<usize>>> {
        let at = term.span();
        let position = |number: i64| {
            let from = number.checked_sub(values.low?)?;
            usize::try_from(from).ok().filter(|it| *it < values.names.len())
        };
        let mut found = Vec::new();
        for way in self.value(term)? {
            match way.it.clone() {
                Value::Constant(of, value) if of == *values => found.push(way.with(value)),
                Value::Cell(cell, of) if of == *values => {
                    for value in 0..of.names.len() {
                        let one = Fixed { cell: cell.clone(), values: Arc::clone(&of), value };
                        let one = Way { fixed: vec![one], needs: Vec::new(), it: value };
                        found.extend(way.and(&one, |_, at| at));
                    }
                }
                Value::Cell(..) | Value::Linear(_) if values.low.is_some() => {
                    let Some(linear) = linear(&way.it) else { return self.wrong_index(term, values) };
                    if !linear.rest.is_empty() {
                        return self.wrong_index(term, values);
                    }
                    let mut outside = None;
                    for one in self.combinations(&linear, at)? {
                        match position(one.it) {
                            Some(value) => found.extend(way.and(&one, |_, _| value)),
                            None => outside = Some(one.it),
                        }
                    }
                    if let Some(sum) = outside {
                        let may = if linear.cells.is_empty() { "is" } else { "may be" };
                        let message = format!("the index {may} {sum}, which `{}` does not have", values.name);
                        return Diagnostic::error("C0213", at, message)
                            .label("there is no cell with this index")
                            .help("use a variable of the type of the index")
                            .refuse(self);
                    }
                }
                _ => return self.wrong_index(term, values),
            }
        }
        Some(found)
    }

    fn wrong_index(&mut self, term: &Term, values: &Values) -> Option<Vec<Way<usize>>> {
        let error =
            Diagnostic::error("C0203", term.span(), format!("`{term}` is not of type `{}`", values.name));
        let is_process = term.to_string().starts_with(|c: char| c.is_ascii_lowercase());
        let error = if is_process {
            let both = format!(
                "`A[p, {}] = B && A[p, {}] = B`",
                values.part(0),
                values.part(values.names.len() - 1)
            );
            error
                .label("parameters, and names that a formula binds, are processes; this index is a value")
                .help(format!(
                    "write out the values, as in {both}, or use a variable of type `{}`",
                    values.name
                ))
        } else if term.counts().next().is_some() {
            let help = format!(
                "assign it to a variable of type `{}`, and use that as the index in a later step",
                values.name
            );
            error.label("a count is told apart by no cell").help(help)
        } else {
            let error = error.label("the declaration of the array says that this index is");
            if values.low.is_none() {
                error
            } else {
                error.help(format!(
                    "declare the numbers that it consists of as such a range: `var X : {}`",
                    values.name
                ))
            }
        };
        error.refuse(self)
    }

    /// The sums of the cells of enumerated ranges, for all their values.
    pub fn combinations(&mut self, linear: &Linear, at: Span) -> Option<Vec<Way<i64>>> {
        let mut all = vec![Way::only(linear.constant)];
        for (factor, cell, values) in &linear.cells {
            let Some(of_cell) = multiples(*factor, cell, values) else { return self.large(at) };
            let mut next = Vec::new();
            for (way, (fixed, number)) in all.iter().flat_map(|it| of_cell.iter().map(move |one| (it, one))) {
                let Some(sum) = number.checked_add(way.it) else { return self.large(at) };
                let fixed = [&way.fixed[..], std::slice::from_ref(fixed)].concat();
                next.push(Way { fixed, needs: Vec::new(), it: sum });
            }
            all = self.few(next, at)?;
        }
        Some(all)
    }

    pub fn large<T>(&mut self, at: Span) -> Option<T> {
        Diagnostic::error("C0211", at, "number out of range")
            .label("the result of this arithmetic does not fit 64 bits")
            .refuse(self)
    }

    /// These, unless they are too many.
    pub fn few<T>(&mut self, ways: Vec<T>, at: Span) -> Option<Vec<T>> {
        if ways.len() <= MOST_WAYS && self.spend(ways.len()) {
            return Some(ways);
        }
        let message = format!("this depends on more than {MOST_WAYS} combinations of values");
        Diagnostic::error("C0506", at, message)
            .label("they are told apart one by one")
            .help("use smaller ranges, `int`, or more than one step")
            .refuse(self)
    }

    /// The meaning of a term that is not a record. `None` after an error.
    pub fn value(&mut self, term: &Term) -> Option<Vec<Way<Value>>> {
        match &term.kind {
            TermKind::Path(path) => self.path_value(path),
            TermKind::Number(number) => Some(vec![Way::only(match number.text.parse() {
                Ok(constant) if !number.is_real() => Value::Linear(Linear { constant, ..Linear::default() }),
                _ => Value::Core(term.clone()),
            })]),
            TermKind::Record(_) => {
                Diagnostic::error("C0214", term.span(), "a record where one value is expected")
                    .label("this has fields")
                    .help("a record is assigned to, or compared with, a variable of its type")
                    .refuse(self)
            }
            TermKind::Count(count) => {
                let linear = self.count(count)?;
                Some(vec![Way::only(Value::Linear(linear))])
            }
            TermKind::Sum(summands) => self.sum(summands, term),
            TermKind::Remainder(of, by) => self.remainder(of, by, term),
        }
    }

    fn path_value(&mut self, path: &Path) -> Option<Vec<Way<Value>>> {
        if let Some(name) = path.alone() {
            if let Some(&constant) = self.symbols.numbers.get(&name.text) {
                return Some(vec![Way::only(Value::Linear(Linear { constant, ..Linear::default() }))]);
            }
            if let Some((values, at)) = self.symbols.constructors.get(&name.text) {
                return Some(vec![Way::only(Value::Constant(Arc::clone(values), *at))]);
            }
        }
        let mut found = Vec::new();
        for way in self.places(path)? {
            let cell = self.core_path(&way.it);
            let value = match &way.it.ty {
                Type::Finite(values) => Value::Cell(cell, Arc::clone(values)),
                Type::Int | Type::Wide(..) => Value::Linear(Linear::of(Term::path(cell, path.loc))),
                Type::Proc | Type::Core(_) => Value::Core(Term::path(cell, path.loc)),
                Type::Record(record) => {
                    let help = if record.queue.is_some() {
                        "a queue has `.head` and `.length`; messages are added by `send` and removed by `receive`"
                    } else {
                        "name a field of it, as in `X.field`"
                    };
                    return Diagnostic::error("C0214", path.loc.0, format!("`{path}` is not one value"))
                        .label("several values are here, one is expected")
                        .help(help)
                        .refuse(self);
                }
            };
            found.push(way.with(value));
        }
        Some(found)
    }

    fn sum(&mut self, summands: &[Summand], term: &Term) -> Option<Vec<Way<Value>>> {
        let mut ways = vec![Way::only(Linear::default())];
        for summand in summands {
            let operand = Term { loc: summand.loc, ..summand.operand.clone() };
            let factor = match &summand.factor {
                Some(it) => it.text.parse::<i64>().ok(),
                None => Some(1),
            };
            let Some(factor) = factor else { return self.large(summand.loc.0) };
            let factor = if summand.negative { -factor } else { factor };
            let mut next = Vec::new();
            for one in self.value(&operand)? {
                let part = match (&one.it, linear(&one.it)) {
                    (_, Some(linear)) => linear,
                    // Reals, and what the core reports.
                    (Value::Core(it), None) if matches!(it.kind, TermKind::Number(_) | TermKind::Path(_)) => {
                        Linear::of(Term { loc: summand.loc, ..it.clone() })
                    }
                    _ => return self.wrong_sum(&operand),
                };
                for way in &ways {
                    let mut sum = way.it.clone();
                    if sum.add(&part, factor).is_none() {
                        return self.large(summand.loc.0);
                    }
                    next.extend(way.and(&one, |_, _| sum));
                }
            }
            ways = self.few(next, term.span())?;
        }
        let value = |way: Way<Linear>| Way { fixed: way.fixed, needs: way.needs, it: Value::Linear(way.it) };
        Some(ways.into_iter().map(value).collect())
    }

    /// What is left when the sums of cells of ranges are divided by a number, from 0 on.
    fn remainder(&mut self, of: &Term, by: &Number, term: &Term) -> Option<Vec<Way<Value>>> {
        let Some(by) = by.text.parse::<i64>().ok().filter(|by| *by > 0) else {
            return Diagnostic::error("C0212", by.loc.0, format!("the remainder by {}", by.text))
                .label("a number above 0, such as the number of values of a range, stands here")
                .refuse(self);
        };
        let mut found = Vec::new();
        for way in self.value(of)? {
            let Some(sum) = linear(&way.it).filter(|sum| sum.rest.is_empty()) else {
                // The core says why not.
                return Some(vec![Way::only(Value::Core(term.clone()))]);
            };
            for one in self.combinations(&sum, of.span())? {
                let left = Linear { constant: one.it.rem_euclid(by), ..Linear::default() };
                found.extend(way.and(&one, |_, _| Value::Linear(left)));
            }
        }
        self.few(found, of.span())
    }

    fn wrong_sum<T>(&mut self, operand: &Term) -> Option<T> {
        Diagnostic::error("C0204", operand.span(), format!("arithmetic on `{operand}`"))
            .label("must be a number: of a range, or of type `int` or `real`")
            .refuse(self)
    }

    /// A count as a sum of counts of the core.
    fn count(&mut self, count: &Count) -> Option<Linear> {
        let (loc, at) = (count.loc, count.span());
        let one = |of: Option<Counted>, by: i64| (by, Term { kind: TermKind::Count(Count { of, loc }), loc });
        let whole = |of| Some(Linear { rest: vec![one(of, 1)], ..Linear::default() });
        let Some((var, summand, body)) = count.parts() else { return whole(None) };
        let body = body.map(|body| self.formula(body));
        let of =
            |summand: Option<Term>, body| Counted { var: var.clone(), summand: summand.map(Box::new), body };
        let Some(summand) = summand else { return whole(Some(of(None, body.map(Box::new)))) };
        let with = |mut conditions: Vec<Expr>| {
            conditions.extend(body.clone());
            (!conditions.is_empty()).then(|| Box::new(all(conditions, at)))
        };
        let counted =
            |conditions: Vec<Expr>, by: i64| one(with(conditions).map(|body| of(None, Some(body))), by);
        let mut rest = Vec::new();
        for way in self.value(summand)? {
            let Some(sum) = linear(&way.it) else {
                let Value::Core(term) = &way.it else { return self.wrong_sum(summand) };
                rest.push(one(Some(of(Some(term.clone()), with(way.conditions(at)))), 1));
                continue;
            };
            let mut numbers = vec![(None, sum.constant)];
            for (factor, cell, values) in &sum.cells {
                let Some(of_cell) = multiples(*factor, cell, values) else { return self.large(at) };
                numbers.extend(of_cell.into_iter().map(|(here, number)| (Some(here.formula(at)), number)));
            }
            let numbers = numbers.into_iter().filter(|it| it.1 != 0);
            rest.extend(
                numbers.map(|(here, n)| counted(way.conditions(at).into_iter().chain(here).collect(), n)),
            );
            if !sum.rest.is_empty() {
                let (summand, body) = (sum.beside(0).term(loc), with(way.conditions(at)));
                rest.push(one(Some(of(Some(summand), body)), 1));
            }
        }
        Some(Linear { rest, ..Linear::default() })
    }

    pub fn core_term(value: &Value, loc: Loc) -> Term {
        match value {
            Value::Cell(cell, _) => Term::path(cell.clone(), loc),
            Value::Constant(values, at) => Term::named(&values.names[*at], loc),
            Value::Linear(linear) => {
                let mut sum = linear.beside(linear.constant);
                sum.rest
                    .extend(linear.cells.iter().map(|(by, cell, _)| (*by, Term::path(cell.clone(), loc))));
                sum.term(loc)
            }
            Value::Core(term) => term.clone(),
        }
    }
}

pub fn linear(value: &Value) -> Option<Linear> {
    match value {
        Value::Linear(linear) => Some(linear.clone()),
        Value::Cell(cell, values) if values.low.is_some() => {
            Some(Linear { cells: vec![(1, cell.clone(), Arc::clone(values))], ..Linear::default() })
        }
        Value::Constant(values, at) => {
            Some(Linear { constant: values.low?.checked_add(*at as i64)?, ..Linear::default() })
        }
        _ => None,
    }
}

fn nested_index(array: &Name, at: Span) -> Diagnostic {
    Diagnostic::error("C0014", at, "array cell used as an array index")
        .label("an index is a process or a global of type `proc`")
        .help(format!(
            "add a parameter or quantifier `g` with `{}[..] = g`, and use `g` as the index",
            array.text
        ))
}
