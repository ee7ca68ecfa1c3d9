//! From the syntax of formulas to typed formulas in negation normal form: connectives, predicates,
//! quantifiers.

use super::compare::oriented;
use super::context::{Context, FormulaPlace};
use super::formula::Formula;
use super::prenex::{self, TOO_MANY};
use super::scope::{Scope, TermMeaning};
use super::symbols::{Symbol, duplicate};
use super::terms::IndexMeaning;
use super::{Literal, ProcRef, Term};
use crate::diagnostic::{Diagnostic, Span};
use crate::syntax::ast::{Arg, Comparison, Expr, ExprKind, Name, Predicate, Quantifier};

/// The names that a quantifier binds, and where.
#[derive(Clone, Copy)]
struct Quantified<'a, 'b> {
    vars: &'b [&'a Name],
    body: &'a Expr,
    /// Whether it is universal, as it is written.
    universal: bool,
    /// Whether it passes over the processes in scope.
    other: bool,
    /// Whether it is read as it is written; otherwise its negation is.
    positive: bool,
}

/// The processes that the first variables of an existential quantifier stand for.
#[derive(Default)]
struct Binding {
    chosen: Vec<ProcRef>,
    /// Those among the chosen that are not candidates.
    fresh: Vec<u8>,
    /// The body for each choice so far.
    parts: Vec<Formula>,
}

impl<'a> Context<'a> {
    /// The formula, or its negation when not `positive`.
    pub fn formula(&mut self, expr: &'a Expr, scope: &mut Scope<'a>, positive: bool) -> Formula {
        if !self.step() {
            return Formula::False;
        }
        match &expr.kind {
            ExprKind::Error => Formula::False,
            ExprKind::Bool(truth) => Formula::constant(*truth == positive),
            ExprKind::Compare { op, left, right } => {
                let mut parts = self.sorts_compared([left, right], scope, positive, expr.span);
                let (l, r) = (self.term(left, scope), self.term(right, scope));
                let formula = self.compare(*op, l, r, positive, expr.span);
                self.note_origin(&formula, expr.span);
                parts.push(formula);
                Formula::joined(parts, positive)
            }
            kind @ (ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Implies(..)) => {
                let parts = kind.signed().into_iter();
                let parts = parts.map(|(it, sign)| self.formula(it, scope, (sign == Some(true)) == positive));
                let formula = Formula::joined(parts.collect(), matches!(kind, ExprKind::And(_)) == positive);
                self.note_written_out(kind, &formula, expr.span);
                formula
            }
            ExprKind::Iff(a, b) => {
                let both = vec![self.formula(a, scope, true), self.formula(b, scope, positive)];
                let none = vec![self.formula(a, scope, false), self.formula(b, scope, !positive)];
                Formula::or(vec![Formula::and(both), Formula::and(none)])
            }
            ExprKind::If(c, a, b) => {
                let then = vec![self.formula(c, scope, true), self.formula(a, scope, positive)];
                let otherwise = vec![self.formula(c, scope, false), self.formula(b, scope, positive)];
                Formula::or(vec![Formula::and(then), Formula::and(otherwise)])
            }
            ExprKind::Quantified { quantifier, vars, body } => {
                let (vars, body) = self.with_other_sorts(*quantifier, vars, body);
                let universal = matches!(quantifier, Quantifier::Forall | Quantifier::ForallOther);
                let other = matches!(quantifier, Quantifier::ForallOther | Quantifier::ExistsOther);
                let bound = Quantified { vars: &vars, body, universal, other, positive };
                self.quantified(bound, scope, expr.span)
            }
            ExprKind::Call { name, args } => self.call(name, args, scope, positive, expr.span),
        }
    }

    /// A predicate, with its arguments' meanings for its parameters.
    fn call(
        &mut self,
        name: &Name,
        args: &'a [Arg],
        scope: &mut Scope<'a>,
        positive: bool,
        at: Span,
    ) -> Formula {
        self.called.insert(name.text.clone());
        let mut values = Vec::with_capacity(args.len());
        for arg in args {
            values.push(match arg {
                Arg::Term(term) => self.term(term, scope),
                Arg::Formula(formula) => {
                    Diagnostic::error("C0108", formula.span, "formula given for a predicate parameter")
                        .label("parameters stand for terms")
                        .help("use a term, or write the formula out")
                        .refuse(self)
                }
            });
        }
        let Some(&predicate) = self.predicates.get(name.text.as_str()) else {
            let unclear = self.symbols.lookup(&name.text) == Some(Symbol::Unclear);
            if unclear || !self.unknown.insert((None, name.text.clone())) {
                return Formula::False;
            }
            let error = Diagnostic::error("C0107", name.span(), format!("unknown predicate `{}`", name.text))
                .label("not defined before this place")
                .did_you_mean_one_of(&name.text, self.predicates.keys().copied(), |error| {
                    error.help("a predicate is defined before its first use; it cannot use itself")
                });
            return error.refuse(self);
        };
        if predicate.params.len() != args.len() {
            let message = format!(
                "predicate `{}` takes {} argument{}, not {}",
                name.text,
                predicate.params.len(),
                if predicate.params.len() == 1 { "" } else { "s" },
                args.len()
            );
            return Diagnostic::error("C0108", at, message)
                .also(predicate.name.span(), "defined here")
                .refuse(self);
        }
        let mark = scope.len();
        for (param, value) in predicate.params.iter().zip(values) {
            scope.push(&param.text, value);
        }
        self.calls.push(at);
        let formula = self.formula(&predicate.body, scope, positive);
        self.calls.pop();
        scope.truncate(mark);
        formula
    }

    /// Whether process variables may have these names here. Says why not.
    pub(super) fn may_bind(&mut self, vars: &[&Name], scope: &Scope<'a>) -> bool {
        for (i, var) in vars.iter().enumerate() {
            if let Some(first) = vars[..i].iter().find(|other| other.text == var.text) {
                return duplicate("C0109", var, "process variable", Some(first.span())).refuse(self);
            }
            if let Some(TermMeaning::Value(Term::Proc(_), _)) = scope.lookup(&var.text) {
                let strict = self.place == FormulaPlace::Bad && !self.counting;
                if strict && self.calls.is_empty() {
                    return duplicate("C0109", var, "process variable", None)
                        .label("already in scope")
                        .refuse(self);
                }
                if self.calls.is_empty() {
                    let message = format!("`{}` hides another process variable", var.text);
                    Diagnostic::warning("C0903", var.span(), message)
                        .label("this one is meant from here on")
                        .report(self);
                }
            }
        }
        true
    }

    fn quantified(&mut self, bound: Quantified<'a, '_>, scope: &mut Scope<'a>, at: Span) -> Formula {
        let Quantified { vars, body, positive, .. } = bound;
        let universal = bound.universal == positive;
        if self.counting {
            self.misplaced(universal, false, false, body, at);
            return Formula::False;
        }
        if !self.may_bind(vars, scope) {
            return Formula::False;
        }
        let other = bound.other || (self.others && self.place == FormulaPlace::Guard && bound.universal);
        let bound = Quantified { other, ..bound };
        let nested = !self.universal.is_empty() || self.existential;
        if other && self.place == FormulaPlace::State {
            // It ranges over all but the parameters: which these are makes a difference.
            self.used_params.fill(true);
        }
        match (self.place, universal) {
            (FormulaPlace::Predicate, _) => {
                let mark = scope.len();
                for var in vars {
                    scope.push(&var.text, TermMeaning::Unknown);
                }
                let formula = self.formula(body, scope, positive);
                scope.truncate(mark);
                formula
            }
            (FormulaPlace::Init, true) if !other => self.init_parameters(bound, scope),
            (FormulaPlace::Bad, true) if self.foreign && vars.len() == 1 && !nested => {
                self.none_of_others(bound, scope)
            }
            // Distinct from the parameters, but perhaps what a global used as an index names.
            (FormulaPlace::Bad, false) if self.universal.is_empty() => {
                if !other && (self.params > 0 || self.existential) {
                    let word = if positive { "exists" } else { "forall" };
                    self.passes_over.get_or_insert((at, word));
                }
                let other = other || !self.inclusive;
                self.existential_choice(Quantified { other, ..bound }, scope)
            }
            (FormulaPlace::State, true) => self.universal_choice(bound, scope),
            (FormulaPlace::State | FormulaPlace::Guard, false) if self.universal.is_empty() => {
                self.existential_choice(bound, scope)
            }
            (FormulaPlace::Guard, true) if !self.existential => self.universal_choice(bound, scope),
            _ => {
                self.misplaced(universal, other, nested, bound.body, at);
                Formula::False
            }
        }
    }

    fn misplaced(&mut self, universal: bool, other: bool, nested: bool, body: &Expr, at: Span) {
        // In a claim it is the denial of a universal's body that is read.
        let denied = self.place == FormulaPlace::Bad && !self.universal.is_empty();
        let kind = if universal == denied { "existential" } else { "universal" };
        let (place, help) = match self.place {
            _ if self.counting => ("a count", "bind the process outside of the count, and mention it there"),
            FormulaPlace::Init if universal && other => {
                ("init", "use `forall`: every process is meant in init")
            }
            FormulaPlace::Init => ("init", "init describes all processes: use parameters or `forall`"),
            FormulaPlace::State => {
                ("a universal one", "name the inner process with a parameter, or say it the other way round")
            }
            FormulaPlace::Bad if nested => {
                ("another quantifier", "name the inner process with a parameter of the declaration")
            }
            FormulaPlace::Bad => (
                "an invariant",
                "what never holds is described by some processes: use parameters or `exists`",
            ),
            FormulaPlace::Condition => {
                ("a case condition", "split the transition, with the quantified formula in its guard")
            }
            _ if nested && self.stands_apart(body, at) => (
                "another quantifier",
                "the quantifier before it extends to the end of the formula: put that one in parentheses, as in \
                 `(forall_other q. ..) && ..`",
            ),
            _ if nested => {
                ("another quantifier", "name the inner process with a parameter of the transition")
            }
            _ => ("a guard", "use a parameter of the transition instead"),
        };
        Diagnostic::error("C0301", at, format!("{kind} quantifier not allowed in {place}"))
            .label("after negations are pushed inwards")
            .help(help)
            .report(self);
    }

    /// Whether a quantifier at `at` about `body` has nothing to do with the one around it: it comes after something
    /// else, and mentions no name that is bound there.
    fn stands_apart(&self, body: &Expr, at: Span) -> bool {
        let text = body.to_string();
        let mentions = |name: &str| crate::syntax::words(&text).any(|it| it == name);
        self.bound.last().is_some_and(|&(_, start)| start < at.start)
            && !self.bound.iter().any(|&(name, _)| mentions(name))
    }

    /// Elaborates a body with names for processes.
    fn bind(&mut self, bound: Quantified<'a, '_>, values: &[ProcRef], scope: &mut Scope<'a>) -> Formula {
        let positive = bound.positive;
        let mark = scope.len();
        let outer = self.bound.len();
        let op = if bound.universal { Comparison::Ne } else { Comparison::Eq };
        let mut parts = Vec::new();
        for (var, value) in bound.vars.iter().zip(values) {
            let sort = self.sort(var, &[bound.body]);
            let process = IndexMeaning::Process(*value);
            parts.extend(sort.map(|sort| self.compared_sort(op, process, sort, positive, var.span())));
            scope.push_of(&var.text, TermMeaning::process(*value), sort);
            self.bound.push((&var.text, bound.body.span.start));
        }
        parts.push(self.formula(bound.body, scope, positive));
        self.bound.truncate(outer);
        scope.truncate(mark);
        Formula::joined(parts, bound.universal != positive)
    }

    /// Universal quantifiers of init join its parameters, which need not be distinct.
    fn init_parameters(&mut self, bound: Quantified<'a, '_>, scope: &mut Scope<'a>) -> Formula {
        let vars = bound.vars;
        if vars.len() > 1 && self.calls.is_empty() {
            Diagnostic::warning("C0904", vars[1].span(), "`<>` has no effect in init")
                .label("the formula must also hold when the variables are one process")
                .help("write the condition into the formula, as in `x = y || ..`")
                .report(self);
        }
        let fresh: Vec<u8> = vars.iter().map(|var| self.fresh(var.span())).collect();
        self.loose.extend(&fresh);
        let values: Vec<ProcRef> = fresh.into_iter().map(ProcRef::Var).collect();
        self.bind(bound, &values, scope)
    }

    /// `exists`: each variable is a process in scope or a further one. `exists_other`, and any `exists` in a
    /// bad state, passes over the declared parameters.
    fn existential_choice(&mut self, bound: Quantified<'a, '_>, scope: &mut Scope<'a>) -> Formula {
        let outer = self.existential;
        self.existential = true;
        let mut choice = Binding::default();
        self.choose(bound, &mut choice, scope);
        self.existential = outer;
        Formula::or(choice.parts)
    }

    fn choose(&mut self, bound: Quantified<'a, '_>, choice: &mut Binding, scope: &mut Scope<'a>) {
        if !self.step() {
            return;
        }
        if choice.chosen.len() == bound.vars.len() {
            let candidates = self.candidates.clone();
            if self.place == FormulaPlace::Bad && !self.inclusive {
                // All that is bound joins the parameters: pairwise distinct, also when nested.
                self.candidates.retain(|candidate| !choice.chosen.contains(candidate));
            } else {
                self.candidates.extend(choice.fresh.iter().map(|&v| ProcRef::Var(v)));
            }
            let around = self.chosen.len();
            if self.place != FormulaPlace::Bad {
                self.chosen.extend(&choice.chosen);
            }
            let inner = self.bind(bound, &choice.chosen, scope);
            self.chosen.truncate(around);
            self.candidates = candidates;
            let fresh = &choice.fresh;
            choice.parts.push(if fresh.is_empty() {
                inner
            } else {
                Formula::Exists(fresh.clone(), Box::new(inner))
            });
            return;
        }
        for i in 0..self.candidates.len() {
            let candidate = self.candidates[i];
            let meant = !bound.other || !self.is_left_out(candidate);
            if meant && !choice.chosen.contains(&candidate) {
                choice.chosen.push(candidate);
                self.choose(bound, choice, scope);
                choice.chosen.pop();
            }
        }
        let new = self.fresh(bound.vars[choice.chosen.len()].span());
        choice.chosen.push(ProcRef::Var(new));
        choice.fresh.push(new);
        self.choose(bound, choice, scope);
        choice.fresh.pop();
        choice.chosen.pop();
    }

    /// `forall`: each variable is a declared parameter, a process of a universal around it, or a further one, which
    /// `forall_other` always is.
    fn universal_choice(&mut self, bound: Quantified<'a, '_>, scope: &mut Scope<'a>) -> Formula {
        let other = bound.other;
        let around = self.universal.len();
        let in_scope = (0..self.params).chain(self.universal.iter().copied().filter(|_| !other));
        let in_scope = in_scope.map(ProcRef::Var);
        let known: Vec<ProcRef> = in_scope.filter(|it| !other || !self.is_left_out(*it)).collect();
        // A process that an existential quantifier chose is not a parameter: the others are those that differ from it.
        let chosen_around = if other { self.chosen.clone() } else { Vec::new() };
        let mut open: Vec<Vec<ProcRef>> = vec![Vec::new()];
        let mut parts = Vec::new();
        while let Some(chosen) = open.pop() {
            if !self.step() {
                break;
            }
            if let Some(var) = bound.vars.get(chosen.len()) {
                let new = ProcRef::Var(self.fresh(var.span()));
                let next = known.iter().filter(|it| !chosen.contains(it)).chain([&new]);
                open.extend(next.map(|it| [&chosen[..], &[*it]].concat()));
                continue;
            }
            let new = chosen.iter().filter(|it| !known.contains(it));
            let new: Vec<u8> =
                new.filter_map(|it| if let ProcRef::Var(v) = it { Some(*v) } else { None }).collect();
            self.universal.extend(&new);
            let chosen_before = self.chosen.len();
            let params = self.params;
            self.chosen.extend(chosen.iter().filter(|it| matches!(it, ProcRef::Var(v) if *v < params)));
            let inner = self.bind(bound, &chosen, scope);
            self.chosen.truncate(chosen_before);
            self.universal.truncate(around);
            if new.is_empty() {
                parts.push(inner);
                continue;
            }
            let inner = or_one_of(inner, &new, &chosen_around, self.params);
            let Some(formula) = prenex::universal(&new, inner) else {
                self.report_bound(bound.body.span, TOO_MANY);
                return Formula::False;
            };
            parts.push(formula);
        }
        // The order of the text.
        parts.reverse();
        Formula::and(parts)
    }

    /// A universal in a claim from outside of the model, for one process: its instances for the parameters, unless it is about others,
    /// and what no process beside these is. That is the denial of its body, so that it is in the form in which claims have it.
    fn none_of_others(&mut self, bound: Quantified<'a, '_>, scope: &mut Scope<'a>) -> Formula {
        let params = (0..self.params).filter(|_| !bound.other).map(ProcRef::Var);
        let mut parts: Vec<Formula> = params.map(|it| self.bind(bound, &[it], scope)).collect();
        let var = self.fresh(bound.body.span);
        self.universal.push(var);
        let denial = Quantified { positive: !bound.positive, ..bound };
        let denied = self.bind(denial, &[ProcRef::Var(var)], scope);
        self.universal.pop();
        if denied != Formula::False {
            parts.push(Formula::Forall(vec![var], Box::new(denied)));
        }
        Formula::and(parts)
    }

    /// Checks a predicate on its own, with parameters of unknown type, and adds it to the known ones.
    pub fn define(&mut self, predicate: &'a Predicate) {
        if let Some(previous) = self.predicates.get(predicate.name.text.as_str()) {
            let previous = previous.name.span();
            duplicate("C0107", &predicate.name, "predicate", Some(previous)).report(self);
            return;
        }
        self.reset_budget();
        self.start(predicate.loc.0, FormulaPlace::Predicate, 0);
        let mut scope = self.parameters(&predicate.params, &[]);
        scope.open = true;
        scope.names.iter_mut().for_each(|it| it.meaning = TermMeaning::Unknown);
        self.formula(&predicate.body, &mut scope, true);
        self.predicates.insert(&predicate.name.text, predicate);
    }
}

/// The formula, or one of the processes is one of the others that are not parameters.
fn or_one_of(formula: Formula, processes: &[u8], others: &[ProcRef], params: u8) -> Formula {
    let others = others.iter().filter(|it| !matches!(it, ProcRef::Var(v) if *v < params));
    let pairs = others.flat_map(|other| processes.iter().map(move |it| (ProcRef::Var(*it), *other)));
    let same = pairs.map(|(it, other)| {
        let (left, right) = oriented(Term::Proc(it), Term::Proc(other));
        Formula::Literal(Literal::Eq { left, right, negated: false })
    });
    Formula::or(std::iter::once(formula).chain(same).collect())
}
