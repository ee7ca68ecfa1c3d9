//! The language's meaning evaluated on the syntax tree: no names resolved beforehand, no normal forms, no
//! splitting. Compared with the meaning of the [`System`] that the front end makes.
//!
//! Only for models without errors, as the generator makes them.

use std::collections::BTreeSet;

use cubicle::model::semantics::{
    Layout, Point, Semantics, State, Value, distinct_tuples, tuples, with_counts,
};
use cubicle::model::{Rational, System, Type, VarId};
use cubicle::syntax::ast::{
    Arg, Comparison, Count, Expr, ExprKind, File, Item, Name, Path, Predicate, Property, PropertyKind,
    Quantifier, Rhs, Term, TermKind, Transition, Update,
};

use super::explore::{canonical, domain, steps};

/// A file and a state of one of its instances.
pub struct Direct<'a> {
    file: &'a File,
    system: &'a System,
    layout: Layout,
    state: &'a State,
}

/// Names in scope; the last one counts. `None` is a value that does not exist.
type Scope<'a> = Vec<(&'a str, Option<Value>)>;

impl<'a> Direct<'a> {
    /// The state, for the file. `system` is only used for the numbers of variables, constructors and types.
    pub fn new(file: &'a File, system: &'a System, state: &'a State) -> Self {
        Self { file, system, layout: Layout::new(system, state.procs), state }
    }

    fn properties(&self, kind: PropertyKind) -> impl Iterator<Item = &'a Property> {
        self.file.items.iter().filter_map(move |item| match item {
            Item::Property(property) if property.kind == kind => Some(property),
            _ => None,
        })
    }

    /// Whether the state satisfies init for all its parameters, and violates no axiom. Only for instances
    /// with a process.
    pub fn initial(&self) -> bool {
        self.properties(PropertyKind::Init).all(|init| {
            tuples(self.state.procs, init.params.len())
                .all(|procs| self.holds(&init.body, &mut bind(&init.params, &procs), &procs))
        }) && !self.properties(PropertyKind::Invariant).any(|it| self.is_axiom(it) && self.is_met(it))
    }

    fn is_axiom(&self, property: &Property) -> bool {
        self.system.axioms.iter().any(|axiom| axiom.span == property.loc.0)
    }

    fn is_met(&self, bad: &'a Property) -> bool {
        distinct_tuples(self.state.procs, bad.params.len())
            .any(|procs| self.holds(&bad.body, &mut bind(&bad.params, &procs), &procs))
    }

    /// Whether the state satisfies some `unsafe`, or an `invariant` that is not an axiom.
    pub fn bad(&self) -> bool {
        let lemmas = self.properties(PropertyKind::Invariant).filter(|it| !self.is_axiom(it));
        self.properties(PropertyKind::Unsafe).chain(lemmas).any(|bad| self.is_met(bad))
    }

    /// All successors, not canonical; one for each value of a `:= ?` that matters.
    pub fn successors(&self) -> Vec<State> {
        let mut found = Vec::new();
        for item in &self.file.items {
            let Item::Transition(transition) = item else { continue };
            for procs in distinct_tuples(self.state.procs, transition.params.len()) {
                found.extend(self.fire(transition, &procs));
            }
        }
        let counted = |state| with_counts(self.system, state).expect("small numbers");
        found.into_iter().map(counted).collect()
    }

    fn fire(&self, transition: &'a Transition, params: &[usize]) -> Vec<State> {
        let mut scope = bind(&transition.params, params);
        if let Some(guard) = &transition.requires
            && !self.holds(guard, &mut scope, params)
        {
            return Vec::new();
        }
        let mut defined = true;
        for binding in &transition.lets {
            let value = self.term(&binding.value, &scope);
            defined &= value.is_some();
            scope.push((&binding.name.text, value));
        }
        let mut results = vec![self.state.clone()];
        for update in &transition.updates {
            defined &= self.update(update, &mut scope, params, &mut results);
        }
        if defined { results } else { Vec::new() }
    }

    /// Writes into `results`; false when a value is read that does not exist.
    fn update(
        &self,
        update: &'a Update,
        scope: &mut Scope<'a>,
        params: &[usize],
        results: &mut Vec<State>,
    ) -> bool {
        let var = self.var(&update.target.name.text).expect("a declared target");
        let index = update.target.names().expect("a model of the core language");
        match &update.value {
            Rhs::Send(_) | Rhs::Drop | Rhs::Receive(_) => unreachable!("a model of the core language"),
            Rhs::Nondet => {
                let at = self.layout.position(var, []);
                let ty = self.system.var(var).ty;
                *results = results
                    .iter()
                    .flat_map(|result| {
                        let present: Vec<Value> =
                            self.state.values.iter().chain(&result.values).copied().collect();
                        domain(self.system, ty, self.state.procs, &present).into_iter().map(move |value| {
                            let mut result = result.clone();
                            result.values[at] = value;
                            result
                        })
                    })
                    .collect();
                true
            }
            Rhs::Term(term) => {
                let Some(value) = self.term(term, scope) else { return false };
                let indices: Option<Vec<usize>> =
                    index.iter().map(|name| self.process(name, scope)).collect();
                if let Some(indices) = indices {
                    let at = self.layout.position(var, indices);
                    write(results, at, value);
                }
                true
            }
            Rhs::Cases(cases) => {
                let mut defined = true;
                for tuple in tuples(self.state.procs, index.len()) {
                    let mark = scope.len();
                    scope.extend(bind(index.iter().copied(), &tuple));
                    // A value that does not exist disables the step, whatever the branches say.
                    let values: Vec<Option<Value>> =
                        cases.iter().map(|c| self.term(&c.value, scope)).collect();
                    defined &= values.iter().all(Option::is_some);
                    let chosen = cases.iter().position(|case| match &case.when {
                        Some(when) => self.holds(when, scope, params),
                        None => true,
                    });
                    if let Some(Some(value)) = chosen.map(|c| values[c]) {
                        let at = self.layout.position(var, tuple);
                        write(results, at, value);
                    }
                    scope.truncate(mark);
                }
                defined
            }
        }
    }

    fn holds(&self, expr: &'a Expr, scope: &mut Scope<'a>, params: &[usize]) -> bool {
        match &expr.kind {
            ExprKind::Bool(truth) => *truth,
            ExprKind::Compare { op, left, right } => self.compare(*op, left, right, scope),
            ExprKind::Not(a) => !self.holds(a, scope, params),
            ExprKind::And(list) => list.iter().all(|e| self.holds(e, scope, params)),
            ExprKind::Or(list) => list.iter().any(|e| self.holds(e, scope, params)),
            ExprKind::Implies(a, b) => !self.holds(a, scope, params) || self.holds(b, scope, params),
            ExprKind::Iff(a, b) => self.holds(a, scope, params) == self.holds(b, scope, params),
            ExprKind::If(c, a, b) => {
                let branch = if self.holds(c, scope, params) { a } else { b };
                self.holds(branch, scope, params)
            }
            ExprKind::Quantified { quantifier, vars, body } => {
                let other = matches!(quantifier, Quantifier::ForallOther | Quantifier::ExistsOther);
                let universal = matches!(quantifier, Quantifier::Forall | Quantifier::ForallOther);
                // In a bad state, a process bound by `exists` is distinct from the parameters, like a parameter.
                let distinct = other || self.in_property(expr);
                let mut choices = distinct_tuples(self.state.procs, vars.len())
                    .filter(|choice| !distinct || choice.iter().all(|p| !params.contains(p)));
                let mut test = |choice: Vec<usize>| {
                    let mark = scope.len();
                    scope.extend(bind(vars, &choice));
                    // An inner `_other` excludes these, too.
                    let truth = self.holds(body, scope, &[params, &choice].concat());
                    scope.truncate(mark);
                    truth
                };
                if universal { choices.all(test) } else { choices.any(&mut test) }
            }
            ExprKind::Call { name, args } => {
                let predicate = self.predicate(&name.text);
                let values: Vec<Option<Value>> = (args.iter())
                    .map(|arg| match arg {
                        Arg::Term(term) => self.term(term, scope),
                        Arg::Formula(_) => unreachable!("no formula is an argument"),
                    })
                    .collect();
                let mut inner: Scope<'a> =
                    predicate.params.iter().map(|p| p.text.as_str()).zip(values).collect();
                self.holds(&predicate.body, &mut inner, params)
            }
            ExprKind::Error => unreachable!("no tree with errors is evaluated"),
        }
    }

    fn in_property(&self, expr: &Expr) -> bool {
        let bad = self.properties(PropertyKind::Unsafe).chain(self.properties(PropertyKind::Invariant));
        bad.map(|p| p.loc.0).any(|at| at.start <= expr.span.start && expr.span.end <= at.end)
    }

    fn predicate(&self, name: &str) -> &'a Predicate {
        let found = self.file.items.iter().find_map(|item| match item {
            Item::Predicate(predicate) if predicate.name.text == name => Some(predicate),
            _ => None,
        });
        found.expect("a declared predicate")
    }

    fn compare(&self, op: Comparison, left: &'a Term, right: &'a Term, scope: &Scope<'a>) -> bool {
        let (Some(left), Some(right)) = (self.term(left, scope), self.term(right, scope)) else {
            return false;
        };
        match op {
            Comparison::Eq => left == right,
            Comparison::Ne => left != right,
            // Values are ordered like points and numbers.
            Comparison::Lt => left < right,
            Comparison::Le => left <= right,
            Comparison::Gt => left > right,
            Comparison::Ge => left >= right,
        }
    }

    fn var(&self, name: &str) -> Option<VarId> {
        self.system.vars.iter().position(|v| v.name == name).map(|v| VarId(v as u16))
    }

    fn name(&self, name: &Name, scope: &Scope<'a>) -> Option<Value> {
        let text = name.text.as_str();
        if let Some((_, value)) = scope.iter().rev().find(|(bound, _)| *bound == text) {
            return *value;
        }
        if let Some(k) = text.strip_prefix('#') {
            return Some(Value::Proc(Point::process(k.parse::<usize>().expect("a number") - 1)));
        }
        if let Some(var) = self.var(text) {
            return Some(self.state.values[self.layout.position(var, [])]);
        }
        let constructor =
            self.system.enums.iter().find_map(|e| e.constructors.iter().position(|c| c == text));
        Some(Value::Constructor(constructor.expect("a declared name") as u8))
    }

    /// The process that a name names, if it names one.
    fn process(&self, name: &Name, scope: &Scope<'a>) -> Option<usize> {
        match self.name(name, scope)? {
            Value::Proc(point) => point.as_process(self.state.procs),
            other => unreachable!("{other:?} as an index"),
        }
    }

    fn path(&self, path: &Path, scope: &Scope<'a>) -> Option<Value> {
        if let Some(name) = path.alone() {
            return self.name(name, scope);
        }
        let index = path.names().expect("a model of the core language");
        let index: Option<Vec<usize>> = index.iter().map(|name| self.process(name, scope)).collect();
        let var = self.var(&path.name.text).expect("a declared array");
        Some(self.state.values[self.layout.position(var, index?)])
    }

    fn term(&self, term: &'a Term, scope: &Scope<'a>) -> Option<Value> {
        let number = |text: &str| Rational::parse(text).expect("a small number");
        let rational = |value: Value| match value {
            Value::Number(n) => n,
            other => unreachable!("arithmetic on {other:?}"),
        };
        match &term.kind {
            TermKind::Path(path) => self.path(path, scope),
            TermKind::Record(_) | TermKind::Remainder(..) => unreachable!("a model of the core language"),
            TermKind::Number(n) => Some(Value::Number(number(&n.text))),
            TermKind::Count(count) => self.count(count, scope).map(Value::Number),
            TermKind::Sum(summands) => {
                let mut sum = Rational::ZERO;
                for summand in summands {
                    let value = rational(self.term(&summand.operand, scope)?);
                    let factor = summand.factor.as_ref().map_or(Rational::ONE, |n| number(&n.text));
                    // A number that is too large has no value: the step is not taken.
                    let part = factor.mul(value)?;
                    let part = if summand.negative { part.neg() } else { part };
                    sum = sum.add(part)?;
                }
                Some(Value::Number(sum))
            }
        }
    }
}

/// Whether the system has the meaning of the file in a state: if not, of what, and how they differ.
pub fn state_agrees(file: &File, system: &System, state: &State) -> Result<(), (&'static str, String)> {
    let semantics = Semantics::new(system, state.procs);
    let direct = Direct::new(file, system, state);
    if direct.initial() != semantics.initial(state) {
        return Err(("init is elaborated wrongly", format!("{state:?}: {}", direct.initial())));
    }
    let bad = (0..system.bad.len()).any(|b| semantics.satisfies(state, b).is_some());
    if direct.bad() != bad {
        return Err(("unsafe is elaborated wrongly", format!("{state:?}: {}", direct.bad())));
    }
    let right: BTreeSet<Vec<Value>> =
        direct.successors().iter().map(|s| canonical(system, s).values).collect();
    let made: BTreeSet<Vec<Value>> = (steps(system, &semantics, state).into_iter())
        .flat_map(|(_, _, (successors, _))| successors)
        .map(|s| canonical(system, &with_counts(system, s).expect("small numbers")).values)
        .collect();
    if right != made {
        let detail = format!("{state:?}\nright {right:?}\nmade {made:?}\n{:#?}", system.transitions);
        return Err(("a transition is elaborated wrongly", detail));
    }
    Ok(())
}

impl<'a> Direct<'a> {
    /// `None` where a summand has no value for some process, counted or not.
    fn count(&self, count: &'a Count, scope: &Scope<'a>) -> Option<Rational> {
        let mut total = Rational::ZERO;
        for process in 0..self.state.procs {
            let mut scope = scope.clone();
            let part = match count.parts() {
                None => Rational::ONE,
                Some((name, summand, body)) => {
                    scope.extend(bind([name], &[process]));
                    let part = match summand {
                        None => Rational::ONE,
                        Some(summand) => match self.term(summand, &scope)? {
                            Value::Number(number) => number,
                            other => unreachable!("a sum of {other:?}"),
                        },
                    };
                    let counts = body.is_none_or(|body| self.holds(body, &mut scope, &[]));
                    if counts { part } else { Rational::ZERO }
                }
            };
            total = total.add(part)?;
        }
        Some(total)
    }
}

fn bind<'a>(names: impl IntoIterator<Item = &'a Name>, procs: &[usize]) -> Scope<'a> {
    let value = |&p: &usize| Some(Value::Proc(Point::process(p)));
    names.into_iter().map(|name| name.text.as_str()).zip(procs.iter().map(value)).collect()
}

fn write(results: &mut [State], at: usize, value: Value) {
    for result in results {
        result.values[at] = value;
    }
}

/// A state with arbitrary values: reachable or not.
pub fn random_state(system: &System, procs: usize, dice: &mut super::dice::Dice) -> State {
    let mut values: Vec<Value> = Vec::new();
    for var in &system.vars {
        for _ in tuples(procs, var.arity()) {
            let all = match var.ty {
                Type::Int | Type::Real => (-1..4).map(|n| Value::Number(Rational::integer(n))).collect(),
                ty => domain(system, ty, procs, &values),
            };
            values.push(*dice.pick(&all));
        }
    }
    with_counts(system, State { procs, values }).expect("small numbers")
}
