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

impl App {
    /// A symbol with arguments in the old state.
    pub const fn old(symbol: SymbolId, args: Vec<Term>) -> Self {
        Self { symbol, args, new: false }
    }
}

/// Variables as terms.
pub(super) fn variables(vars: &[VarId]) -> Vec<Term> {
    vars.iter().map(|it| Term::Var(*it)).collect()
}

/// A formula, or a [`Term`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Formula {
    Var(VarId),
    /// A value of an [enumeration](super::enumerations), by its constant; different ones are different.
    Value(SymbolId),
    /// The element that a constant or a function gives.
    App(App),
    Bool(bool),
    /// A relation holds.
    Is(App),
    /// Of two terms.
    Equal(Box<[Term; 2]>),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    Iff(Box<[Formula; 2]>),
    /// Of two formulas, or of two terms.
    If(Box<[Formula; 3]>),
    /// For all values of the variables, or for some.
    Each {
        universal: bool,
        vars: Vec<VarId>,
        body: Box<Formula>,
    },
}

/// What stands for an element: a variable, a value, a constant or function, or a choice between terms.
pub(super) type Term = Formula;

impl Formula {
    pub const TRUE: Self = Self::Bool(true);
    pub const FALSE: Self = Self::Bool(false);

    /// Conjunction, flat and without constants.
    pub fn and(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(parts, true)
    }

    /// Disjunction, flat and without constants.
    pub fn or(parts: impl IntoIterator<Item = Self>) -> Self {
        Self::joined(parts, false)
    }

    fn joined(parts: impl IntoIterator<Item = Self>, and: bool) -> Self {
        let mut all = Vec::new();
        for part in parts {
            match part {
                Self::Bool(truth) if truth == and => {}
                Self::Bool(truth) => return Self::Bool(truth),
                Self::And(more) if and => all.extend(more),
                Self::Or(more) if !and => all.extend(more),
                other if all.contains(&other) => {}
                other => all.push(other),
            }
        }
        match all.len() {
            0 => Self::Bool(and),
            1 => all.remove(0),
            _ if and => Self::And(all),
            _ => Self::Or(all),
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

    pub fn is_term(&self) -> bool {
        match self {
            Self::Var(_) | Self::Value(_) | Self::App(_) => true,
            Self::If(parts) => parts[1].is_term(),
            _ => false,
        }
    }

    /// That two formulas, or two terms, have one value.
    pub fn same(left: Self, right: Self) -> Self {
        if left.is_term() { Self::equal(left, right) } else { Self::iff(left, right) }
    }

    /// The formulas and terms directly within it.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Var(_) | Self::Value(_) | Self::Bool(_) => &[],
            Self::App(app) | Self::Is(app) => &app.args,
            Self::Equal(sides) | Self::Iff(sides) => &sides[..],
            Self::Not(inner) | Self::Each { body: inner, .. } => std::slice::from_ref(&**inner),
            Self::And(parts) | Self::Or(parts) => parts,
            Self::If(parts) => &parts[..],
        }
    }

    /// With others for those directly within it. Constants are folded again.
    ///
    /// # Errors
    /// The first one of `change`.
    pub fn with_parts<E>(&self, change: &mut dyn FnMut(&Self) -> Result<Self, E>) -> Result<Self, E> {
        let mut parts = self.parts().iter().map(change).collect::<Result<Vec<Self>, E>>()?.into_iter();
        let mut next = || parts.next().unwrap_or(Self::TRUE);
        Ok(match self {
            Self::Var(_) | Self::Value(_) | Self::Bool(_) => self.clone(),
            Self::App(app) => Self::App(App { args: parts.collect(), ..*app }),
            Self::Is(app) => Self::Is(App { args: parts.collect(), ..*app }),
            Self::Equal(_) => Self::equal(next(), next()),
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

    pub fn free(&self) -> BTreeSet<VarId> {
        // The numbers of binders are not used elsewhere.
        let (mut bound, mut found) = (BTreeSet::new(), BTreeSet::new());
        self.visit(&mut |it| match it {
            Self::Each { vars, .. } => bound.extend(vars),
            Self::Var(var) => {
                found.insert(*var);
            }
            _ => {}
        });
        &found - &bound
    }

    /// Calls the function for each formula and each term in it, outer ones first.
    pub fn visit(&self, see: &mut dyn FnMut(&Self)) {
        see(self);
        self.parts().iter().for_each(|it| it.visit(see));
    }

    /// Calls the function for each symbol with its arguments, outer ones first.
    pub fn each_app(&self, see: &mut dyn FnMut(&App)) {
        self.visit(&mut |part| {
            if let Self::Is(app) | Self::App(app) = part {
                see(app);
            }
        });
    }

    pub fn size(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |_| count += 1);
        count
    }

    /// A bound on the size of its normal form: what is needed both as it is and negated counts twice.
    pub fn weight(&self) -> usize {
        if let Self::Is(_) | Self::Equal(_) = self {
            let (sum, factor) = weights(self.parts());
            return sum.saturating_mul(factor);
        }
        let sum = self.parts().iter().fold(1_usize, |sum, it| sum.saturating_add(it.weight()));
        match self {
            Self::Iff(_) => sum.saturating_mul(2),
            Self::If(parts) => sum.saturating_add(parts[0].weight()),
            _ => sum,
        }
    }

    pub fn depth(&self) -> usize {
        1 + self.parts().iter().map(Self::depth).max().unwrap_or(0)
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
        let own = matches!(self, Self::Is(app) | Self::App(app) if app.new);
        own || self.parts().iter().any(Self::is_new)
    }

    /// Whether a quantifier of this kind occurs.
    pub fn has(&self, kind: bool) -> bool {
        let own = matches!(self, Self::Each { universal, .. } if *universal == kind);
        own || self.parts().iter().any(|it| it.has(kind))
    }

    /// With other terms: `change` gives what a variable, a value or an application, whose arguments are changed already, becomes.
    /// Constants are folded again.
    pub fn map(&self, change: &mut dyn FnMut(Term) -> Term) -> Self {
        let whole = self.rebuilt(&mut |it| it.map(change));
        if let Self::Var(_) | Self::Value(_) | Self::App(_) = self { change(whole) } else { whole }
    }

    /// With literals replaced: `change` gives the formula for a relation or an equation, or `None` to leave it.
    pub fn map_literals(&self, change: &mut dyn FnMut(&Self) -> Option<Self>) -> Self {
        match self {
            Self::Is(_) | Self::Equal(_) => change(self).unwrap_or_else(|| self.clone()),
            other => other.rebuilt(&mut |it| it.map_literals(change)),
        }
    }

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
                if vars.contains(var) && other.free().iter().all(|it| !vars.contains(it)) =>
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
            Self::Var(_) | Self::Value(_) | Self::App(_) | Self::Is(_) | Self::Equal(_) => {
                match self.parts().iter().find_map(Self::choice) {
                    Some(choice) => self.split(choice).pushed(positive),
                    None if positive => self.clone(),
                    None => self.clone().not(),
                }
            }
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

    /// The first conditional in a term.
    fn choice(&self) -> Option<&Self> {
        match self {
            Self::If(_) => Some(self),
            _ => self.parts().iter().find_map(Self::choice),
        }
    }

    /// A literal that has a conditional as one without it.
    fn split(&self, choice: &Self) -> Self {
        let [condition, ..] = choice.parts() else { return self.clone() };
        let side = |at: usize| self.replaced(choice, &choice.parts()[at]);
        Self::If(Box::new([condition.clone(), side(1), side(2)]))
    }

    /// With another part in one's place.
    fn replaced(&self, old: &Self, new: &Self) -> Self {
        if self == old { new.clone() } else { self.rebuilt(&mut |it| it.replaced(old, new)) }
    }

    /// A bound on the size of the literals that the choices of a term make of one with it, and on their number.
    fn choices(&self) -> (usize, usize) {
        let Self::If(parts) = self else { return weights(self.parts()) };
        let (sum, factor) = weights(&parts[1..]);
        let both = parts[0].weight().saturating_mul(2);
        (sum.saturating_add(both), factor.saturating_mul(2))
    }
}

fn weights(terms: &[Term]) -> (usize, usize) {
    terms.iter().fold((1, 1), |(sum, factor), term| {
        let (own, times) = term.choices();
        (sum.saturating_add(own), factor.saturating_mul(times))
    })
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
        let chosen = Term::If(Box::new([is(0, &[]), var(1), var(2)]));
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
