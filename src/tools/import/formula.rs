//! Formulas over two states, with resolved names: what all that follows the tree works on.
//!
//! A variable is a number; each binder has its own, so that no substitution captures one. Domains are not empty, as those of mypyvy: a
//! quantifier over a variable that does not occur is left out.

use std::collections::BTreeSet;

/// A sort, by its place among the declarations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct SortId(pub usize);

/// A relation, constant or function, by its place among the declarations.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct SymbolId(pub usize);

/// A bound variable or a parameter.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct VarId(pub u32);

/// A symbol with arguments, in the state before the step or in the one after.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct App {
    pub symbol: SymbolId,
    pub args: Vec<Term>,
    pub new: bool,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Term {
    Var(VarId),
    /// A value of an [enumeration](super::enumerations), by its constant; different ones are different.
    Value(SymbolId),
    App(App),
    If(Box<Formula>, Box<[Term; 2]>),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Formula {
    Bool(bool),
    Is(App),
    Equal(Box<[Term; 2]>),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Iff(Box<[Formula; 2]>),
    If(Box<[Formula; 3]>),
    /// For all values of the variables, or for some.
    Each {
        universal: bool,
        vars: Vec<VarId>,
        body: Box<Formula>,
    },
}

impl Formula {
    pub const TRUE: Self = Self::Bool(true);
    pub const FALSE: Self = Self::Bool(false);

    /// Conjunction, flat and without constants.
    pub fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Self::Bool(true) => {}
                Self::Bool(false) => return Self::FALSE,
                Self::And(more) => all.extend(more),
                other if all.contains(&other) => {}
                other => all.push(other),
            }
        }
        if all.len() == 1 {
            all.remove(0)
        } else if all.is_empty() {
            Self::TRUE
        } else {
            Self::And(all)
        }
    }

    /// Disjunction, flat and without constants.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Self::Bool(false) => {}
                Self::Bool(true) => return Self::TRUE,
                Self::Or(more) => all.extend(more),
                other if all.contains(&other) => {}
                other => all.push(other),
            }
        }
        if all.len() == 1 {
            all.remove(0)
        } else if all.is_empty() {
            Self::FALSE
        } else {
            Self::Or(all)
        }
    }

    /// Negation; not pushed inwards.
    pub fn not(self) -> Self {
        match self {
            Self::Bool(truth) => Self::Bool(!truth),
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    pub fn implies(self, then: Self) -> Self {
        Self::or([self.not(), then])
    }

    pub fn iff(left: Self, right: Self) -> Self {
        match (left, right) {
            (Self::Bool(truth), other) | (other, Self::Bool(truth)) => {
                if truth {
                    other
                } else {
                    other.not()
                }
            }
            (left, right) if left == right => Self::TRUE,
            (left, right) => Self::Iff(Box::new([left, right])),
        }
    }

    pub fn equal(left: Term, right: Term) -> Self {
        match (&left, &right) {
            _ if left == right => Self::TRUE,
            (Term::Value(_), Term::Value(_)) => Self::FALSE,
            _ => Self::Equal(Box::new([left, right])),
        }
    }

    pub fn when(condition: Self, then: Self, otherwise: Self) -> Self {
        match condition {
            Self::Bool(true) => then,
            Self::Bool(false) => otherwise,
            condition => Self::If(Box::new([condition, then, otherwise])),
        }
    }

    /// A quantifier over those of `vars` that occur.
    pub fn each(universal: bool, vars: &[VarId], body: Self) -> Self {
        let free = body.free();
        let mut vars: Vec<VarId> = vars.iter().copied().filter(|it| free.contains(it)).collect();
        if vars.is_empty() {
            return body;
        }
        match body {
            Self::Each { universal: inner, vars: more, body } if inner == universal => {
                vars.extend(more);
                Self::Each { universal, vars, body }
            }
            body => Self::Each { universal, vars, body: Box::new(body) },
        }
    }

    /// The terms directly within it.
    fn terms(&self) -> &[Term] {
        match self {
            Self::Is(app) => &app.args,
            Self::Equal(sides) => &sides[..],
            _ => &[],
        }
    }

    /// The formulas directly within it.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Bool(_) | Self::Is(_) | Self::Equal(_) => &[],
            Self::Not(inner) | Self::Each { body: inner, .. } => std::slice::from_ref(&**inner),
            Self::And(parts) | Self::Or(parts) => parts,
            Self::Iff(sides) => &sides[..],
            Self::If(parts) => &parts[..],
        }
    }

    /// With other formulas for those directly within it. Constants are folded again.
    ///
    /// # Errors
    /// The first one of `change`.
    pub fn with_parts<E>(&self, change: &mut dyn FnMut(&Self) -> Result<Self, E>) -> Result<Self, E> {
        let mut parts = self.parts().iter().map(change).collect::<Result<Vec<Self>, E>>()?.into_iter();
        let mut next = || parts.next().unwrap_or(Self::TRUE);
        Ok(match self {
            Self::Bool(_) | Self::Is(_) | Self::Equal(_) => self.clone(),
            Self::Not(_) => next().not(),
            Self::And(_) => Self::and(parts),
            Self::Or(_) => Self::or(parts),
            Self::Iff(_) => Self::iff(next(), next()),
            Self::If(_) => Self::when(next(), next(), next()),
            Self::Each { universal, vars, .. } => Self::each(*universal, vars, next()),
        })
    }

    /// As [`with_parts`](Self::with_parts), where nothing can go wrong.
    pub fn rebuilt(&self, change: &mut dyn FnMut(&Self) -> Self) -> Self {
        let Ok(rebuilt) = self.with_parts::<std::convert::Infallible>(&mut |it| Ok(change(it)));
        rebuilt
    }

    /// The variables that occur free.
    pub fn free(&self) -> BTreeSet<VarId> {
        // The numbers of binders are not used elsewhere.
        let mut bound: BTreeSet<VarId> = BTreeSet::new();
        self.each_formula(&mut |formula| {
            if let Self::Each { vars, .. } = formula {
                bound.extend(vars);
            }
        });
        let mut free = BTreeSet::new();
        self.each_term(&mut |term| {
            if let Term::Var(var) = term
                && !bound.contains(var)
            {
                free.insert(*var);
            }
        });
        free
    }

    /// Calls the functions for each formula and each term in it, outer ones first.
    pub fn visit(&self, formula: &mut dyn FnMut(&Self), term: &mut dyn FnMut(&Term)) {
        formula(self);
        self.terms().iter().for_each(|it| it.visit(formula, term));
        self.parts().iter().for_each(|it| it.visit(formula, term));
    }

    /// Calls the function for each formula in it, outer ones first.
    pub fn each_formula(&self, see: &mut dyn FnMut(&Self)) {
        self.visit(see, &mut |_| {});
    }

    /// Calls the function for each term in it, outer ones first.
    pub fn each_term(&self, see: &mut dyn FnMut(&Term)) {
        self.visit(&mut |_| {}, see);
    }

    /// Calls the function for each symbol with its arguments, outer ones first.
    pub fn each_app(&self, see: &mut dyn FnMut(&App)) {
        let see = std::cell::RefCell::new(see);
        self.visit(
            &mut |it| {
                if let Self::Is(app) = it {
                    see.borrow_mut()(app);
                }
            },
            &mut |it| {
                if let Term::App(app) = it {
                    see.borrow_mut()(app);
                }
            },
        );
    }

    pub fn size(&self) -> usize {
        let count = std::cell::Cell::new(0);
        let more = || count.set(count.get() + 1);
        self.visit(&mut |_| more(), &mut |_| more());
        count.get()
    }

    /// A bound on the size of its normal form: what is needed both as it is and negated counts twice.
    pub fn weight(&self) -> usize {
        let (terms, factor) = weights(self.terms());
        let sum = self.parts().iter().fold(terms, |sum, it| sum.saturating_add(it.weight()));
        match self {
            Self::Iff(_) => sum.saturating_mul(2),
            Self::If(parts) => sum.saturating_add(parts[0].weight()),
            _ => sum.saturating_mul(factor),
        }
    }

    /// How deep it is nested.
    pub fn depth(&self) -> usize {
        1 + self.parts().iter().map(Self::depth).max().unwrap_or_else(|| deepest(self.terms()))
    }

    /// The symbols that occur, with whether in the new state.
    pub fn symbols(&self) -> BTreeSet<(SymbolId, bool)> {
        let mut found = BTreeSet::new();
        self.each_app(&mut |app| {
            found.insert((app.symbol, app.new));
        });
        found
    }

    /// Whether it is about the state after the step, too.
    pub fn is_new(&self) -> bool {
        self.symbols().iter().any(|(_, new)| *new)
    }

    /// Whether a quantifier of this kind occurs.
    pub fn has(&self, kind: bool) -> bool {
        let mut found = false;
        self.each_formula(&mut |it| {
            found |= matches!(it, Self::Each { universal, .. } if *universal == kind);
        });
        found
    }

    /// With other terms: `change` gives what a variable or an application, whose arguments are changed already, becomes.
    /// Constants are folded again.
    pub fn map(&self, change: &mut dyn FnMut(Term) -> Term) -> Self {
        match self {
            Self::Is(app) => {
                let args = app.args.iter().map(|it| it.map(change)).collect();
                Self::Is(App { args, ..app.clone() })
            }
            Self::Equal(sides) => Self::equal(sides[0].map(change), sides[1].map(change)),
            other => other.rebuilt(&mut |it| it.map(change)),
        }
    }

    /// With literals replaced: `change` gives the formula for a relation or an equation, or `None` to leave it.
    pub fn map_literals(&self, change: &mut dyn FnMut(&Self) -> Option<Self>) -> Self {
        match self {
            Self::Is(_) | Self::Equal(_) => change(self).unwrap_or_else(|| self.clone()),
            other => other.rebuilt(&mut |it| it.map_literals(change)),
        }
    }

    /// With terms instead of variables.
    pub fn substitute(&self, with: &dyn Fn(VarId) -> Option<Term>) -> Self {
        self.map(&mut |term| match term {
            Term::Var(var) => with(var).unwrap_or(term),
            other => other,
        })
    }

    /// Equivalent, in normal form if it was: where a conjunction says what one of `vars` equals, the rest is about that.
    pub fn propagated(&self, vars: &[VarId]) -> Self {
        let mut propagated = |it: &Self| it.propagated(vars);
        match self {
            Self::And(parts) => {
                let mut parts = parts.clone();
                for at in 0..parts.len() {
                    let Some((var, term)) = parts[at].determined(vars) else { continue };
                    for other in (0..parts.len()).filter(|other| *other != at) {
                        parts[other] = parts[other].substitute(&|it| (it == var).then(|| term.clone()));
                    }
                }
                Self::and(parts.iter().map(propagated))
            }
            Self::Or(_) => self.rebuilt(&mut propagated),
            other => other.clone(),
        }
    }

    /// What one of `vars` equals by this equation, if that is about none of them.
    pub fn determined(&self, vars: &[VarId]) -> Option<(VarId, Term)> {
        let Self::Equal(sides) = self else { return None };
        (0..2).find_map(|at| match (&sides[at], &sides[1 - at]) {
            (Term::Var(var), other)
                if vars.contains(var) && other.vars().iter().all(|it| !vars.contains(it)) =>
            {
                Some((*var, other.clone()))
            }
            _ => None,
        })
    }

    /// Equivalent, with negations only at literals, without `If`, and with `Iff` only between formulas without quantifiers.
    pub fn normal(&self) -> Self {
        self.pushed(true)
    }

    /// The normal form of the negation.
    pub fn negated(&self) -> Self {
        self.pushed(false)
    }

    fn pushed(&self, positive: bool) -> Self {
        let join = |parts: &[Self], and: bool| {
            let parts: Vec<Self> = parts.iter().map(|it| it.pushed(positive)).collect();
            if and == positive { Self::and(parts) } else { Self::or(parts) }
        };
        match self {
            Self::Bool(truth) => Self::Bool(*truth == positive),
            Self::Is(app) => match app.args.iter().position(|it| it.choice().is_some()) {
                Some(at) => {
                    let with = |arg: Term| {
                        let mut app = app.clone();
                        app.args[at] = arg;
                        Self::Is(app)
                    };
                    app.args[at].split(&with).pushed(positive)
                }
                None if positive => self.clone(),
                None => self.clone().not(),
            },
            Self::Equal(sides) => match sides.iter().position(|it| it.choice().is_some()) {
                Some(at) => {
                    let other = sides[1 - at].clone();
                    sides[at].split(&|side| Self::equal(side, other.clone())).pushed(positive)
                }
                None if positive => self.clone(),
                None => self.clone().not(),
            },
            Self::Not(inner) => inner.pushed(!positive),
            Self::And(parts) => join(parts, true),
            Self::Or(parts) => join(parts, false),
            Self::Iff(sides) => {
                let [left, right] = &**sides;
                if [left, right].iter().any(|it| it.has(true) || it.has(false)) {
                    let both = Self::and([left.pushed(true), right.pushed(positive)]);
                    let none = Self::and([left.pushed(false), right.pushed(!positive)]);
                    Self::or([both, none])
                } else {
                    Self::iff(left.pushed(true), right.pushed(positive))
                }
            }
            Self::If(parts) => {
                let [condition, then, otherwise] = &**parts;
                let one = Self::and([condition.pushed(true), then.pushed(positive)]);
                let other = Self::and([condition.pushed(false), otherwise.pushed(positive)]);
                Self::or([one, other])
            }
            Self::Each { universal, vars, body } => {
                Self::each(*universal == positive, vars, body.pushed(positive))
            }
        }
    }
}

impl Term {
    pub fn visit(&self, formula: &mut dyn FnMut(&Formula), term: &mut dyn FnMut(&Self)) {
        term(self);
        match self {
            Self::Var(_) | Self::Value(_) => {}
            Self::App(app) => app.args.iter().for_each(|it| it.visit(formula, term)),
            Self::If(condition, sides) => {
                condition.visit(formula, term);
                for side in &sides[..] {
                    side.visit(formula, term);
                }
            }
        }
    }

    pub fn map(&self, change: &mut dyn FnMut(Self) -> Self) -> Self {
        match self {
            Self::Var(_) | Self::Value(_) => change(self.clone()),
            Self::App(app) => {
                let args = app.args.iter().map(|it| it.map(change)).collect();
                change(Self::App(App { args, ..app.clone() }))
            }
            Self::If(condition, sides) => match condition.map(change) {
                Formula::Bool(truth) => sides[usize::from(!truth)].map(change),
                condition => {
                    Self::If(Box::new(condition), Box::new([sides[0].map(change), sides[1].map(change)]))
                }
            },
        }
    }

    pub fn size(&self) -> usize {
        let count = std::cell::Cell::new(0);
        let more = || count.set(count.get() + 1);
        self.visit(&mut |_| more(), &mut |_| more());
        count.get()
    }

    /// A bound on the size of the literals that its choices make of one with it, and on their number.
    fn weight(&self) -> (usize, usize) {
        match self {
            Self::Var(_) | Self::Value(_) => (1, 1),
            Self::App(app) => weights(&app.args),
            Self::If(condition, sides) => {
                let (sum, factor) = weights(&sides[..]);
                let both = condition.weight().saturating_mul(2);
                (sum.saturating_add(both), factor.saturating_mul(2))
            }
        }
    }

    /// How deep it is nested.
    pub fn depth(&self) -> usize {
        1 + match self {
            Self::Var(_) | Self::Value(_) => 0,
            Self::App(app) => deepest(&app.args),
            Self::If(condition, sides) => condition.depth().max(deepest(&sides[..])),
        }
    }

    /// The first conditional in it.
    fn choice(&self) -> Option<(&Formula, &[Self; 2])> {
        match self {
            Self::Var(_) | Self::Value(_) => None,
            Self::If(condition, sides) => Some((condition, sides)),
            Self::App(app) => app.args.iter().find_map(Self::choice),
        }
    }

    /// The formula `with` of this term, which has a conditional, as one without that conditional.
    fn split(&self, with: &dyn Fn(Self) -> Formula) -> Formula {
        let Some((condition, sides)) = self.choice() else { return with(self.clone()) };
        let chosen = Self::If(Box::new(condition.clone()), Box::new(sides.clone()));
        let side = |at: usize| with(self.replaced(&chosen, &sides[at]));
        Formula::If(Box::new([condition.clone(), side(0), side(1)]))
    }

    /// With another term in one's place.
    fn replaced(&self, old: &Self, new: &Self) -> Self {
        if self == old {
            return new.clone();
        }
        match self {
            Self::App(app) => {
                let args = app.args.iter().map(|it| it.replaced(old, new)).collect();
                Self::App(App { args, ..app.clone() })
            }
            other => other.clone(),
        }
    }

    /// The variables in it, in their order.
    pub fn vars(&self) -> BTreeSet<VarId> {
        let mut found = BTreeSet::new();
        self.visit(&mut |_| {}, &mut |term| {
            if let Self::Var(var) = term {
                found.insert(*var);
            }
        });
        found
    }

    /// Whether it is about the state after the step.
    pub fn is_new(&self) -> bool {
        match self {
            Self::Var(_) | Self::Value(_) => false,
            Self::App(app) => app.new || app.args.iter().any(Self::is_new),
            Self::If(condition, sides) => condition.is_new() || sides.iter().any(Self::is_new),
        }
    }
}

fn weights(terms: &[Term]) -> (usize, usize) {
    terms.iter().fold((1, 1), |(sum, factor), it| {
        let (own, times) = it.weight();
        (sum.saturating_add(own), factor.saturating_mul(times))
    })
}

fn deepest(terms: &[Term]) -> usize {
    terms.iter().map(Term::depth).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn var(number: u32) -> Term {
        Term::Var(VarId(number))
    }

    fn is(symbol: usize, args: &[Term]) -> Formula {
        Formula::Is(App { symbol: SymbolId(symbol), args: args.to_vec(), new: false })
    }

    #[test]
    fn negation_is_pushed_to_literals() {
        let each = Formula::each(true, &[VarId(0)], is(0, &[var(0)]).implies(is(1, &[var(0)])));
        let expected =
            Formula::each(false, &[VarId(0)], Formula::and([is(0, &[var(0)]), is(1, &[var(0)]).not()]));
        assert_eq!(each.negated(), expected);
        assert_eq!(each.negated().negated(), each.normal());
    }

    #[test]
    fn conditional_terms_become_cases() {
        let chosen = Term::If(Box::new(is(0, &[])), Box::new([var(1), var(2)]));
        let formula = is(1, &[chosen]).normal();
        let expected = Formula::or([
            Formula::and([is(0, &[]), is(1, &[var(1)])]),
            Formula::and([is(0, &[]).not(), is(1, &[var(2)])]),
        ]);
        assert_eq!(formula, expected);
    }

    #[test]
    fn quantifiers_over_absent_variables_are_left_out() {
        assert_eq!(Formula::each(true, &[VarId(3)], is(0, &[var(1)])), is(0, &[var(1)]));
        assert_eq!(is(0, &[var(1)]).free().into_iter().collect::<Vec<_>>(), [VarId(1)]);
    }
}
