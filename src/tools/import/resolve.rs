//! From the tree to formulas: names, sorts, states; definitions are replaced by what they say.
//!
//! A variable in capital letters that nothing binds is bound for all values, in front of the whole formula. Sorts are inferred:
//! a variable has that of the arguments it is, and of what it equals.
//!
//! mypyvy has had two conventions for the two states of a transition. In the newer one a plain symbol is the state before the step, and `new(..)` the
//! state after it. In the older one a plain symbol is the state after the step, and `old(..)` the state before it. A file with
//! `old(..)` is of the older one; in a [`Formula`] only new values are marked, in either.

use std::collections::{BTreeMap, HashSet};

use cubicle_lang::diagnostic::{Diagnostic, Span};

use super::formula::{App, Formula, SortId, SymbolId, Term, VarId};
use super::parser::MAX_DEPTH;
use super::symbols::{Global, Symbols, Vars};
use super::tree::{Bound, Definition, Expr, ExprKind, Made, Name, refuse};

/// The most parts of formulas in one declaration, once definitions are replaced.
pub(super) const MAX_PARTS: usize = 10_000;

/// The greatest weight of a conjunct.
const MAX_WEIGHT: usize = 5 * MAX_PARTS;

/// The deepest nesting of definitions in definitions.
const MAX_CALLS: usize = 20;

/// The deepest nesting of a formula, once definitions are replaced; and of a value that has a name.
const MAX_NESTED: usize = 2 * MAX_DEPTH;

/// A conjunct and its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub formula: Formula,
    pub span: Span,
}

/// Which states a formula is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum States {
    /// Things that never change.
    None,
    One,
    /// The states before and after a step.
    Two,
}

/// A resolved expression.
#[derive(Clone, Debug)]
struct Value {
    meaning: Formula,
    /// That of a term.
    sort: Option<Sort>,
}

impl From<Formula> for Value {
    fn from(meaning: Formula) -> Self {
        Self { meaning, sort: None }
    }
}

#[derive(Clone, Copy, Debug)]
enum Sort {
    Known(SortId),
    Of(VarId),
}

/// What a name in scope is.
#[derive(Clone, Debug)]
enum Meaning {
    Var(VarId),
    Value(Value),
}

/// The names that are known.
type Scope<'f> = Vec<(&'f str, Meaning)>;

pub(super) struct Resolver<'s, 'f> {
    pub symbols: &'s Symbols<'f>,
    pub vars: Vars,
    scope: Scope<'f>,
    states: States,
    /// Whether what is read is about the new state.
    new: bool,
    /// What the transition that is read modifies.
    modified: Vec<SymbolId>,
    /// Where a symbol that changes is first mentioned: in the old state, and in the new one.
    pub mentioned: BTreeMap<SymbolId, [Option<Span>; 2]>,
    calls: usize,
    depth: usize,
    parts: usize,
}

impl<'s, 'f> Resolver<'s, 'f> {
    pub fn new(symbols: &'s Symbols<'f>) -> Self {
        Self {
            symbols,
            vars: Vars::default(),
            scope: Vec::new(),
            states: States::One,
            new: false,
            modified: Vec::new(),
            mentioned: BTreeMap::new(),
            calls: 0,
            depth: 0,
            parts: 0,
        }
    }

    /// Whether plain symbols in transitions are of the state after the step.
    pub fn is_older(&self) -> bool {
        self.symbols.file.first_old.is_some()
    }

    /// The parameters and conjuncts of a transition.
    ///
    /// # Errors
    /// As for a [formula](Self::formula); a symbol that is not known or does not change among those that are modified.
    pub fn transition(&mut self, definition: &'f Definition) -> Made<(Vec<VarId>, Vec<Part>)> {
        self.modified = self.symbols.modified(definition)?;
        self.formula(&definition.body, &definition.params, States::Two)
    }

    /// The conjuncts of a formula with these parameters.
    ///
    /// # Errors
    /// A name that is not known, sorts that differ, a sort that cannot be inferred, too large.
    pub fn formula(
        &mut self,
        body: &'f Expr,
        params: &'f [Bound],
        states: States,
    ) -> Made<(Vec<VarId>, Vec<Part>)> {
        self.scope.clear();
        self.mentioned.clear();
        (self.states, self.new) = (states, states == States::Two && self.is_older());
        (self.calls, self.depth, self.parts) = (0, 0, 0);
        let first = self.vars.len();
        let params = self.bind(params)?;
        let parts = self.closed(body)?;
        if let Some(part) = parts.iter().find(|it| it.formula.weight() > MAX_WEIGHT) {
            let what =
                format!("with `if` and `<->` written out, the formula has more than {MAX_WEIGHT} parts");
            return refuse("C0715", part.span, what);
        }
        for number in first..self.vars.len() {
            let var = VarId(number as u32);
            if self.vars.sort(var).is_none() {
                let what = format!("the sort of `{}` is not known", self.vars.name(var));
                let error = Diagnostic::error("C0712", self.vars.span(var), what);
                return Err(Box::new(
                    error.help(format!("write `{}: sort` where it is bound", self.vars.name(var))),
                ));
            }
        }
        Ok((params, parts))
    }

    fn bind(&mut self, bound: &'f [Bound]) -> Made<Vec<VarId>> {
        let mut vars = Vec::new();
        for Bound { name, sort } in bound {
            let sort = sort.as_ref().map(|it| self.symbols.sort(it)).transpose()?;
            let var = self.vars.new_var(&name.text, name.span, sort);
            self.scope.push((&name.text, Meaning::Var(var)));
            vars.push(var);
        }
        Ok(vars)
    }

    /// The conjuncts of a formula, with its free variables bound in front.
    fn closed(&mut self, body: &'f Expr) -> Made<Vec<Part>> {
        let mut names = Vec::new();
        let known: Vec<&str> = self.scope.iter().map(|it| it.0).collect();
        free_names(body, &mut known.clone(), &mut names);
        let mut vars = Vec::new();
        let mark = self.scope.len();
        let mut seen: HashSet<&str> = HashSet::new();
        for name in names {
            let capital = name.text.bytes().any(|it| it.is_ascii_uppercase())
                && !name.text.bytes().any(|it| it.is_ascii_lowercase());
            if capital && self.symbols.lookup(&name.text).is_none() && seen.insert(&name.text) {
                let var = self.vars.new_var(&name.text, name.span, None);
                self.scope.push((&name.text, Meaning::Var(var)));
                vars.push(var);
            }
        }
        let parts = self.conjuncts(body)?;
        self.scope.truncate(mark);
        let wrap = |part: Part| Part { formula: Formula::each(true, &vars, part.formula), ..part };
        Ok(parts.into_iter().map(wrap).collect())
    }

    /// The conjuncts of a formula, each with its place.
    fn conjuncts(&mut self, expr: &'f Expr) -> Made<Vec<Part>> {
        self.deeper(expr.span)?;
        let parts = self.conjuncts_here(expr);
        self.depth -= 1;
        parts
    }

    /// Counts one more level.
    fn deeper(&mut self, span: Span) -> Made<()> {
        self.depth += 1;
        self.parts += 1;
        let what = if self.depth > MAX_NESTED {
            format!("with its definitions, the formula is nested more than {MAX_NESTED} deep")
        } else if self.parts > MAX_PARTS {
            format!("the formula has more than {MAX_PARTS} parts")
        } else {
            return Ok(());
        };
        refuse("C0715", span, what)
    }

    fn conjuncts_here(&mut self, expr: &'f Expr) -> Made<Vec<Part>> {
        match &expr.kind {
            ExprKind::And(all) => {
                let mut parts = Vec::new();
                for one in all {
                    parts.extend(self.conjuncts(one)?);
                }
                Ok(parts)
            }
            ExprKind::Quantified { universal: true, vars, body } => {
                let mark = self.scope.len();
                let vars = self.bind(vars)?;
                let parts = self.conjuncts(body)?;
                self.scope.truncate(mark);
                let wrap = |part: Part| Part { formula: Formula::each(true, &vars, part.formula), ..part };
                Ok(parts.into_iter().map(wrap).collect())
            }
            ExprKind::Let { var, value, body } => {
                let mark = self.scope.len();
                self.define(var, value)?;
                let parts = self.conjuncts(body)?;
                self.scope.truncate(mark);
                Ok(parts)
            }
            ExprKind::Use { name, primed: false, args }
                if let Some(Global::Definition(at)) = self.global(name) =>
            {
                let parts = self.call(at, name, args.as_deref().unwrap_or_default())?;
                Ok(parts.into_iter().map(|part| Part { span: expr.span, ..part }).collect())
            }
            _ => Ok(vec![Part { formula: self.truth(expr)?, span: expr.span }]),
        }
    }

    /// What a name is, unless it is bound.
    fn global(&self, name: &Name) -> Option<Global> {
        let bound = self.scope.iter().any(|it| it.0 == name.text);
        if bound { None } else { self.symbols.lookup(&name.text) }
    }

    /// Makes a name stand for a value.
    fn define(&mut self, var: &'f Bound, value: &'f Expr) -> Made<()> {
        let meaning = self.named(var.sort.as_ref(), value)?;
        self.scope.push((&var.name.text, Meaning::Value(meaning)));
        Ok(())
    }

    /// A value that has a name from now on, so that it may be used many times, where a term has this sort.
    fn named(&mut self, sort: Option<&Name>, value: &'f Expr) -> Made<Value> {
        let named = self.value(value)?;
        if named.meaning.depth() > MAX_DEPTH {
            let what = format!("with its definitions, the formula is nested more than {MAX_DEPTH} deep");
            return refuse("C0715", value.span, what);
        }
        if let (Some(sort), Some(found)) = (sort, named.sort) {
            let sort = self.symbols.sort(sort)?;
            self.agree(Sort::Known(sort), found, value.span)?;
        }
        Ok(named)
    }

    /// The conjuncts of a definition for some arguments.
    fn call(&mut self, at: usize, name: &Name, args: &'f [Expr]) -> Made<Vec<Part>> {
        let definition = self.symbols.definition(at);
        if args.len() != definition.params.len() {
            return Err(Self::arity(name, definition.params.len(), args.len()));
        }
        self.may_call(name)?;
        let mut scope = Vec::new();
        for (param, arg) in definition.params.iter().zip(args) {
            let value = self.named(param.sort.as_ref(), arg)?;
            scope.push((param.name.text.as_str(), Meaning::Value(value)));
        }
        self.called(scope, |this| this.closed(&definition.body))
    }

    fn may_call(&self, name: &Name) -> Made<()> {
        if self.calls < MAX_CALLS {
            return Ok(());
        }
        let what = format!("definitions are nested more than {MAX_CALLS} deep at `{}`", name.text);
        refuse("C0715", name.span, what)
    }

    /// Reads a definition, in which only its parameters are known.
    fn called<T>(&mut self, params: Scope<'f>, read: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope, params);
        self.calls += 1;
        let read = read(self);
        self.calls -= 1;
        self.scope = outer;
        read
    }

    fn arity(name: &Name, wanted: usize, found: usize) -> Box<Diagnostic> {
        let what = format!("`{}` has {wanted} arguments, not {found}", name.text);
        Box::new(Diagnostic::error("C0712", name.span, what))
    }

    fn truth(&mut self, expr: &'f Expr) -> Made<Formula> {
        match self.value(expr)? {
            Value { meaning, sort: None } => Ok(meaning),
            _ => refuse("C0712", expr.span, "a term where a formula has to stand"),
        }
    }

    fn truths(&mut self, all: &'f [Expr]) -> Made<Vec<Formula>> {
        all.iter().map(|it| self.truth(it)).collect()
    }

    fn term(&mut self, expr: &'f Expr) -> Made<(Term, Sort)> {
        match self.value(expr)? {
            Value { meaning, sort: Some(sort) } => Ok((meaning, sort)),
            _ => refuse("C0712", expr.span, "a formula where a term has to stand"),
        }
    }

    /// Says that two sorts are one.
    fn agree(&mut self, left: Sort, right: Sort, span: Span) -> Made<()> {
        let clash = match (left, right) {
            (Sort::Known(one), Sort::Known(other)) => (one != other).then_some((one, other)),
            (Sort::Known(sort), Sort::Of(var)) | (Sort::Of(var), Sort::Known(sort)) => {
                self.vars.solve(var, sort).err().map(|known| (sort, known))
            }
            (Sort::Of(one), Sort::Of(other)) => self.vars.link(one, other).err(),
        };
        let Some((one, other)) = clash else { return Ok(()) };
        let name = |sort: SortId| self.symbols.sorts[sort.0].0.as_str();
        refuse("C0712", span, format!("sorts `{}` and `{}` where one has to stand", name(one), name(other)))
    }

    fn value(&mut self, expr: &'f Expr) -> Made<Value> {
        self.deeper(expr.span)?;
        let value = self.value_here(expr);
        self.depth -= 1;
        value
    }

    fn value_here(&mut self, expr: &'f Expr) -> Made<Value> {
        let formula = match &expr.kind {
            ExprKind::Bool(truth) => Formula::Bool(*truth),
            ExprKind::Use { name, primed, args } => return self.usage(name, *primed, args.as_deref()),
            ExprKind::Not(inner) => self.truth(inner)?.not(),
            ExprKind::And(all) => Formula::and(self.truths(all)?),
            ExprKind::Or(all) => Formula::or(self.truths(all)?),
            ExprKind::Implies(left, right) => self.truth(left)?.implies(self.truth(right)?),
            ExprKind::Iff(left, right) => Formula::iff(self.truth(left)?, self.truth(right)?),
            ExprKind::Equal { left, right, negated } => {
                let what = "a formula and a term are compared";
                let (left, right, _) = self.alike([left, right], expr.span, what)?;
                let equal = Formula::same(left, right);
                if *negated { equal.not() } else { equal }
            }
            ExprKind::Distinct(all) => {
                let mut terms: Vec<(Term, Sort)> = Vec::new();
                let mut pairs = Vec::new();
                for one in all {
                    let (term, sort) = self.term(one)?;
                    for (other, its) in &terms {
                        self.agree(sort, *its, one.span)?;
                        pairs.push(Formula::equal(other.clone(), term.clone()).not());
                    }
                    terms.push((term, sort));
                }
                Formula::and(pairs)
            }
            ExprKind::Quantified { universal, vars, body } => {
                let mark = self.scope.len();
                let vars = self.bind(vars)?;
                let body = self.truth(body)?;
                self.scope.truncate(mark);
                Formula::each(*universal, &vars, body)
            }
            ExprKind::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                let condition = self.truth(condition)?;
                let what = "one branch is a formula, the other a term";
                let (then, otherwise, sort) = self.alike([then, otherwise], expr.span, what)?;
                return Ok(Value { meaning: Formula::when(condition, then, otherwise), sort });
            }
            ExprKind::Let { var, value, body } => {
                let mark = self.scope.len();
                self.define(var, value)?;
                let value = self.value(body);
                self.scope.truncate(mark);
                return value;
            }
            ExprKind::New(inner) | ExprKind::Old(inner) => {
                let is_new = matches!(expr.kind, ExprKind::New(_));
                self.may_be(is_new, expr.span)?;
                let before = std::mem::replace(&mut self.new, is_new);
                let value = self.value(inner);
                self.new = before;
                return value;
            }
        };
        Ok(formula.into())
    }

    /// Two formulas, or two terms of one sort; else `what` is wrong.
    fn alike(
        &mut self,
        sides: [&'f Expr; 2],
        span: Span,
        what: &str,
    ) -> Made<(Formula, Formula, Option<Sort>)> {
        let [left, right] = [self.value(sides[0])?, self.value(sides[1])?];
        match (left.sort, right.sort) {
            (None, None) => {}
            (Some(one), Some(other)) => self.agree(one, other, span)?,
            _ => return refuse("C0712", span, what),
        }
        Ok((left.meaning, right.meaning, left.sort))
    }

    /// Checks that what is read may be about the other state.
    fn may_be(&self, new: bool, span: Span) -> Made<()> {
        let what = match (self.states == States::Two, new) {
            (true, _) if self.new != new => return Ok(()),
            (true, true) => "the new state of a new state",
            (true, false) => "the old state of an old state",
            (false, true) => "a new state outside of a transition",
            (false, false) => "an old state outside of a transition",
        };
        refuse("C0712", span, what)
    }

    /// A name with its arguments.
    fn usage(&mut self, name: &'f Name, primed: bool, args: Option<&'f [Expr]>) -> Made<Value> {
        if let Some((_, meaning)) = self.scope.iter().rev().find(|it| it.0 == name.text) {
            let meaning = meaning.clone();
            if args.is_some() || primed {
                let what = format!("`{}` is bound, and has neither arguments nor a new state", name.text);
                return refuse("C0712", name.span, what);
            }
            return Ok(match meaning {
                Meaning::Var(var) => Value { meaning: Term::Var(var), sort: Some(Sort::Of(var)) },
                Meaning::Value(value) => {
                    self.parts += value.meaning.size();
                    value
                }
            });
        }
        if primed {
            self.may_be(true, name.span)?;
        }
        let args = args.unwrap_or_default();
        let id = match self.symbols.lookup(&name.text) {
            Some(Global::Symbol(id)) => id,
            Some(Global::Definition(at)) => {
                let before = self.new;
                self.new |= primed;
                let parts = self.call(at, name, args);
                self.new = before;
                return Ok(Formula::and(parts?.into_iter().map(|it| it.formula)).into());
            }
            Some(Global::Transition(_) | Global::Claim(_)) => {
                let what = format!("`{}` is not a relation, constant, function or definition", name.text);
                return refuse("C0712", name.span, what);
            }
            None => {
                let error = Diagnostic::error("C0712", name.span, format!("unknown name `{}`", name.text));
                return Err(Box::new(match self.symbols.similar(&name.text) {
                    Some(similar) => error.help(format!("did you mean `{similar}`?")),
                    None => error.help("only names in capital letters are variables that need not be bound"),
                }));
            }
        };
        let symbol = self.symbols.get(id);
        if symbol.args.len() != args.len() {
            return Err(Self::arity(name, symbol.args.len(), args.len()));
        }
        if self.states == States::None && symbol.mutable {
            let what = format!("an axiom is about things that never change; `{}` is mutable", name.text);
            return refuse("C0712", name.span, what);
        }
        let mut terms = Vec::new();
        for (arg, sort) in args.iter().zip(&symbol.args) {
            let (term, found) = self.term(arg)?;
            self.agree(Sort::Known(*sort), found, arg.span)?;
            // The prime is about the symbol, `new(..)` about all that is within.
            if primed && mentions_mutable(&term, self.symbols) {
                let what = "an argument that changes, of a symbol with a prime";
                let error = Diagnostic::error("C0712", arg.span, what);
                return Err(Box::new(error.help("write `new(..)`: then the argument is new, too")));
            }
            terms.push(term);
        }
        if symbol.derived {
            return self.derived(id, name, terms, primed).map(Value::from);
        }
        // A plain symbol that a step of the older convention leaves alone is of either state.
        let may_change = symbol.mutable && (!self.is_older() || self.modified.contains(&id));
        let app = App { symbol: id, args: terms, new: (self.new || primed) && may_change };
        if symbol.mutable {
            self.mentioned.entry(id).or_default()[usize::from(app.new)].get_or_insert(name.span);
        }
        Ok(match symbol.result {
            None => Formula::Is(app).into(),
            Some(sort) => Value { meaning: Term::App(app), sort: Some(Sort::Known(sort)) },
        })
    }

    /// What a derived relation says of some arguments: its formula is `forall X. relation(X) <-> meaning`.
    fn derived(&mut self, id: SymbolId, name: &Name, args: Vec<Term>, primed: bool) -> Made<Formula> {
        let refused = |span: Span| {
            let what =
                format!("the derived relation `{}` is not defined by `name(X, ..) <-> formula`", name.text);
            Box::new(Diagnostic::error("C0714", span, what))
        };
        let Some(mut body) = self.symbols.derived(id) else { return Err(refused(name.span)) };
        while let ExprKind::Quantified { universal: true, body: inner, .. } = &body.kind {
            body = inner;
        }
        let (ExprKind::Iff(left, right) | ExprKind::Equal { left, right, negated: false }) = &body.kind
        else {
            return Err(refused(body.span));
        };
        let ExprKind::Use { name: defined, primed: false, args: names } = &left.kind else {
            return Err(refused(left.span));
        };
        let names = names.as_deref().unwrap_or_default();
        if defined.text != self.symbols.get(id).name || names.len() != args.len() {
            return Err(refused(left.span));
        }
        self.may_call(name)?;
        let mut scope: Scope<'f> = Vec::new();
        for ((param, arg), sort) in names.iter().zip(args).zip(&self.symbols.get(id).args) {
            let ExprKind::Use { name: param, primed: false, args: None } = &param.kind else {
                return Err(refused(param.span));
            };
            if scope.iter().any(|it| it.0 == param.text) {
                return Err(refused(param.span));
            }
            if arg.depth() > MAX_DEPTH {
                let what = format!("the argument is nested more than {MAX_DEPTH} deep");
                return refuse("C0715", name.span, what);
            }
            let value = Value { meaning: arg, sort: Some(Sort::Known(*sort)) };
            scope.push((&param.text, Meaning::Value(value)));
        }
        let before = self.new;
        self.new |= primed;
        let meaning = self.called(scope, |this| this.truth(right));
        self.new = before;
        meaning
    }
}

/// Whether a term is of the state.
fn mentions_mutable(term: &Term, symbols: &Symbols<'_>) -> bool {
    let mut found = false;
    term.each_app(&mut |app| found |= symbols.get(app.symbol).mutable);
    found
}

/// The names of an expression that nothing in it binds, in their order.
fn free_names<'f>(expr: &'f Expr, bound: &mut Vec<&'f str>, found: &mut Vec<&'f Name>) {
    let mut all =
        |parts: &mut dyn Iterator<Item = &'f Expr>| parts.for_each(|it| free_names(it, bound, found));
    match &expr.kind {
        ExprKind::Bool(_) => {}
        ExprKind::Use { name, args, .. } => {
            if args.is_none() && !bound.contains(&name.text.as_str()) {
                found.push(name);
            }
            for arg in args.iter().flatten() {
                free_names(arg, bound, found);
            }
        }
        ExprKind::Not(inner) | ExprKind::New(inner) | ExprKind::Old(inner) => free_names(inner, bound, found),
        ExprKind::And(parts) | ExprKind::Or(parts) | ExprKind::Distinct(parts) => all(&mut parts.iter()),
        ExprKind::Implies(left, right) | ExprKind::Iff(left, right) | ExprKind::Equal { left, right, .. } => {
            all(&mut [&**left, &**right].into_iter());
        }
        ExprKind::If(parts) => all(&mut parts.iter()),
        ExprKind::Quantified { vars, body, .. } => {
            let mark = bound.len();
            bound.extend(vars.iter().map(|it| it.name.text.as_str()));
            free_names(body, bound, found);
            bound.truncate(mark);
        }
        ExprKind::Let { var, value, body } => {
            free_names(value, bound, found);
            bound.push(&var.name.text);
            free_names(body, bound, found);
            bound.pop();
        }
    }
}
