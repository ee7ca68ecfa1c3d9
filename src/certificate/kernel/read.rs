//! Reads formulas of a system at named processes, as `coq/Check.v` does.

use std::rc::Rc;

use super::formula::{CountCell, Formula, Key, KeyParts, Sum, Widths, cell_key, process_key};
use crate::ground::{Overflow, Reading, plus};
use cubicle_lang::model::{
    Assignment, Branch, Cell, Conj, Count, Dnf, Linear, Literal, Rational, Relation, System, Term, Type,
    VarId,
};

/// The type of a cell, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// An enumeration, with all its constructors.
    Enum(u64),
    Process,
    /// Integers, or other numbers and abstract values.
    Number {
        /// Whether they are integers.
        whole: bool,
    },
}

#[derive(Clone, Debug)]
enum Value {
    Constructor(u8),
    Enum(Key, u64),
    Process(u8),
    Place(Key),
    Number(Sum),
}

/// Values, each under a condition; one of the conditions holds.
type Ways = Vec<(Formula, Value)>;

pub struct Reader<'a> {
    pub system: &'a System,
    /// A bound on the number of named processes; their places are below it.
    pub most: u8,
    /// The number of variables that the system itself has; the others were added for the proof.
    pub own: usize,
}

impl Widths for Reader<'_> {
    fn width(&self, key: Key) -> u64 {
        match self.sort(key) {
            Some(Sort::Enum(all)) => all,
            Some(Sort::Process) => self.everywhere(),
            _ => 1,
        }
    }
}

impl Reader<'_> {
    /// The type of the cell with this key.
    pub fn sort(&self, key: Key) -> Option<Sort> {
        let KeyParts { var, .. } = KeyParts::of_cell(key)?;
        (usize::from(var) < self.system.vars.len()).then(|| self.sort_of(VarId(var)))
    }

    fn sort_of(&self, var: VarId) -> Sort {
        match self.system.var(var).ty {
            Type::Enum(id) => Sort::Enum(self.system.enumeration(id).all()),
            Type::Proc => Sort::Process,
            Type::Int => Sort::Number {
                whole: usize::from(var.0) < self.own
                    || self.system.count_of(var).is_some_and(has_whole_summand),
            },
            Type::Real | Type::Abstract(_) => Sort::Number { whole: false },
        }
    }

    /// Whether a key stands for integers.
    pub fn is_whole(&self, key: Key) -> bool {
        match (self.sort(key), CountCell::of_part(key)) {
            (Some(Sort::Number { whole }), _) => whole,
            (None, Some((cell, _))) => self.system.count_of(VarId(cell.var)).is_some_and(has_whole_summand),
            _ => false,
        }
    }

    /// What a named process adds to a cell of a count.
    pub fn part(&self, cell: &CountCell, process: u8, later: Reading<'_>) -> Result<Formula, Overflow> {
        let Some(count) = self.system.count_of(VarId(cell.var)) else { return Ok(Formula::True) };
        let time = if cell.after { later } else { Reading::Now };
        let names = [&cell.index[..], &[process]].concat();
        let part = Sum::of(cell.part(process).ok_or(Overflow)?);
        let mut values = Vec::new();
        for (when, value) in self.linear(&count.added(), &names, time)? {
            let difference = part.minus(&sum_of(&value)?).ok_or(Overflow)?;
            values.push(when.and(Formula::linear(Relation::Eq, difference)));
        }
        let counted = self.dnf(&count.body, &names, time)?.and(Formula::any(values));
        let nothing = Formula::linear(Relation::Eq, part);
        Ok(counted.or(self.not_dnf(&count.body, &names, time)?.and(nothing)))
    }

    /// All places of a cell of type `proc`.
    pub const fn everywhere(&self) -> u64 {
        u64::MAX >> (63 - self.most)
    }

    /// The place of what is not a named process.
    const fn elsewhere(&self) -> u64 {
        1 << self.most
    }

    fn cell_at(&self, after: bool, var: VarId, index: &[u8]) -> Result<Value, Overflow> {
        let key = cell_key(after, var.0, index).ok_or(Overflow)?;
        Ok(match self.sort_of(var) {
            Sort::Enum(all) => Value::Enum(key, all),
            Sort::Process => Value::Place(key),
            Sort::Number { .. } => Value::Number(Sum::of(key)),
        })
    }

    fn cell(&self, cell: &Cell, names: &[u8], time: Reading<'_>) -> Result<Ways, Overflow> {
        let index: Vec<u8> = cell.index.iter().map(|&p| p.of(names)).collect();
        let now = |after| Ok(vec![(Formula::True, self.cell_at(after, cell.var, &index)?)]);
        let Reading::After(transition, args) = time else { return now(false) };
        match transition.updates.iter().find(|it| it.var == cell.var).map(|it| &it.assignment) {
            _ if self.system.count_of(cell.var).is_some() => now(true),
            None => now(false),
            Some(Assignment::Nondet) => now(true),
            Some(Assignment::Cases(branches)) => self.branches(branches, &[args, &index].concat()),
        }
    }

    fn branches(&self, branches: &[Branch], names: &[u8]) -> Result<Ways, Overflow> {
        let mut ways = Vec::new();
        let mut before = Formula::True;
        for branch in branches {
            let here = before.clone().and(self.dnf(&branch.when, names, Reading::Now)?);
            let later = before.and(self.not_dnf(&branch.when, names, Reading::Now)?);
            if !matches!(here, Formula::False) {
                for (when, value) in self.term(&branch.value, names, Reading::Now)? {
                    ways.push((here.clone().and(when), value));
                }
            }
            if matches!(later, Formula::False) {
                break;
            }
            before = later;
        }
        Ok(ways)
    }

    fn linear(&self, expr: &Linear, names: &[u8], time: Reading<'_>) -> Result<Ways, Overflow> {
        let mut sums = vec![(Formula::True, Value::Number(Sum::number(expr.constant)))];
        for (cell, factor) in expr.terms.iter().rev() {
            let mut next = Vec::new();
            for (when, value) in self.cell(cell, names, time)? {
                for (also, sum) in &sums {
                    let (Value::Number(value), Value::Number(sum)) = (&value, sum) else {
                        unreachable!("a numeric cell")
                    };
                    let total = Value::Number(plus(sum, *factor, value)?);
                    next.push((when.clone().and(also.clone()), total));
                }
            }
            sums = next;
        }
        Ok(sums)
    }

    fn term(&self, term: &Term, names: &[u8], time: Reading<'_>) -> Result<Ways, Overflow> {
        Ok(match term {
            Term::Constructor(c) => vec![(Formula::True, Value::Constructor(*c))],
            Term::Proc(p) => vec![(Formula::True, Value::Process(p.of(names)))],
            Term::Cell(cell) => self.cell(cell, names, time)?,
            Term::Linear(linear) => self.linear(linear, names, time)?,
        })
    }

    fn located(key: Key, all: u64, places: u64) -> Formula {
        match all & places {
            0 => Formula::False,
            some if some == all => Formula::True,
            some => Formula::In(key, some),
        }
    }

    fn at_places(yes: bool, key: Key, all: u64, places: u64) -> Formula {
        Self::located(key, all, if yes { places } else { all & !places })
    }

    /// Whether a cell holds a named process.
    pub fn at_process(&self, yes: bool, key: Key, process: u8) -> Formula {
        Self::at_places(yes, key, self.everywhere(), 1 << process)
    }

    /// The places of named processes, and that of other values.
    pub const fn named_places(&self, named: u8) -> u64 {
        ((1 << named) - 1) | self.elsewhere()
    }

    /// A cell holds a named process or another value.
    pub fn at_named(&self, key: Key, named: u8) -> Formula {
        Self::located(key, self.everywhere(), self.named_places(named))
    }

    fn together(key: Key, other: Key, all: (u64, u64), count: u32) -> Formula {
        let places = (0..count).map(|c| 1 << c);
        Formula::any(
            places.map(|c| Self::located(key, all.0, c).and(Self::located(other, all.1, c))).collect(),
        )
    }

    fn never_together(key: Key, other: Key, all: (u64, u64), count: u32) -> Formula {
        let places = (0..count).map(|c| 1 << c);
        Formula::all(
            places
                .map(|c| Self::at_places(false, key, all.0, c).or(Self::at_places(false, other, all.1, c)))
                .collect(),
        )
    }

    fn equal(&self, yes: bool, a: &Value, b: &Value) -> Result<Formula, Overflow> {
        let alike = if yes { Self::together } else { Self::never_together };
        let relation = if yes { Relation::Eq } else { Relation::Ne };
        Ok(match (a, b) {
            (Value::Constructor(c), Value::Constructor(d)) => Formula::truth((c == d) == yes),
            (Value::Constructor(c), Value::Enum(key, all))
            | (Value::Enum(key, all), Value::Constructor(c)) => Self::at_places(yes, *key, *all, 1 << c),
            (Value::Enum(k, _), Value::Enum(l, _)) | (Value::Place(k), Value::Place(l)) if k == l => {
                Formula::truth(yes)
            }
            (Value::Enum(k, all), Value::Enum(l, others)) => {
                alike(*k, *l, (*all, *others), 64 - all.leading_zeros())
            }
            (Value::Process(p), Value::Process(q)) => Formula::truth((p == q) == yes),
            (Value::Process(p), Value::Place(key)) | (Value::Place(key), Value::Process(p)) => {
                self.at_process(yes, *key, *p)
            }
            (Value::Place(k), Value::Place(l)) => {
                let (all, other) = (self.everywhere(), self.elsewhere());
                let (named, outside) =
                    (alike(*k, *l, (all, all), self.most.into()), compared(relation, a, b)?);
                if yes {
                    named.or(Formula::In(*k, other).and(Formula::In(*l, other)).and(outside))
                } else {
                    let outside = Self::at_places(false, *l, all, other).or(outside);
                    named.and(Self::at_places(false, *k, all, other).or(outside))
                }
            }
            (Value::Number(_), Value::Number(_)) => compared(relation, a, b)?,
            _ => unreachable!("values of one type are compared"),
        })
    }

    /// `a < b`, or `a <= b`.
    fn less(&self, strict: bool, a: &Value, b: &Value) -> Result<Formula, Overflow> {
        if let (Value::Process(p), Value::Process(q)) = (a, b)
            && (*p < self.system.proc_constants || *q < self.system.proc_constants)
        {
            return Ok(Formula::truth(if strict { p < q } else { p <= q }));
        }
        compared(if strict { Relation::Lt } else { Relation::Le }, a, b)
    }

    fn pairs(
        &self,
        left: &Term,
        right: &Term,
        names: &[u8],
        time: Reading<'_>,
        test: impl Fn(&Value, &Value) -> Result<Formula, Overflow>,
    ) -> Result<Formula, Overflow> {
        let rights = self.term(right, names, time)?;
        let mut parts = Vec::new();
        for (when, a) in self.term(left, names, time)? {
            let mut inner = Vec::new();
            for (also, b) in &rights {
                inner.push(also.clone().and(test(&a, b)?));
            }
            parts.push(when.and(Formula::any(inner)));
        }
        Ok(Formula::any(parts))
    }

    /// A literal, or (not `yes`) its negation.
    pub fn literal(
        &self,
        yes: bool,
        literal: &Literal,
        names: &[u8],
        time: Reading<'_>,
    ) -> Result<Formula, Overflow> {
        match literal {
            Literal::In { cell, values } => {
                let mut parts = Vec::new();
                for (when, value) in self.cell(cell, names, time)? {
                    parts.push(when.and(match value {
                        Value::Constructor(c) => Formula::truth((values >> c & 1 == 1) == yes),
                        Value::Enum(key, all) => Self::at_places(yes, key, all, *values),
                        _ => unreachable!("an enum cell"),
                    }));
                }
                Ok(Formula::any(parts))
            }
            Literal::Eq { left, right, negated } => {
                self.pairs(left, right, names, time, |a, b| self.equal(yes != *negated, a, b))
            }
            Literal::Less { left, right, strict } => self.pairs(left, right, names, time, |a, b| {
                if yes { self.less(*strict, a, b) } else { self.less(!strict, b, a) }
            }),
            Literal::Linear { expr, relation, .. } => {
                let mut parts = Vec::new();
                for (when, value) in self.linear(expr, names, time)? {
                    let Value::Number(sum) = value else { unreachable!("a sum") };
                    let denied = if yes { Some((sum, *relation)) } else { sum.denied(*relation) };
                    let (sum, relation) = denied.ok_or(Overflow)?;
                    parts.push(when.and(Formula::linear(relation, sum)));
                }
                Ok(Formula::any(parts))
            }
        }
    }

    pub fn literals(&self, conj: &Conj, names: &[u8], time: Reading<'_>) -> Result<Vec<Formula>, Overflow> {
        conj.iter().map(|it| self.literal(true, it, names, time)).collect()
    }

    pub fn not_conj(&self, conj: &Conj, names: &[u8], time: Reading<'_>) -> Result<Formula, Overflow> {
        let parts: Result<_, _> = conj.iter().map(|it| self.literal(false, it, names, time)).collect();
        Ok(Formula::any(parts?))
    }

    pub fn dnf(&self, dnf: &Dnf, names: &[u8], time: Reading<'_>) -> Result<Formula, Overflow> {
        let parts: Result<_, Overflow> =
            dnf.0.iter().map(|conj| Ok(Formula::all(self.literals(conj, names, time)?))).collect();
        Ok(Formula::any(parts?))
    }

    fn not_dnf(&self, dnf: &Dnf, names: &[u8], time: Reading<'_>) -> Result<Formula, Overflow> {
        let parts: Result<_, _> = dnf.0.iter().map(|conj| self.not_conj(conj, names, time)).collect();
        Ok(Formula::all(parts?))
    }
}

/// Whether each process adds the same integer.
fn has_whole_summand(count: &Count) -> bool {
    let added = count.added();
    added.terms.is_empty() && added.constant.is_integer()
}

fn sum_of(value: &Value) -> Result<Sum, Overflow> {
    Ok(match value {
        Value::Process(p) => Sum::of(process_key(*p).ok_or(Overflow)?),
        Value::Place(key) => Sum::of(*key),
        Value::Number(sum) => sum.clone(),
        Value::Constructor(_) | Value::Enum(..) => unreachable!("constructors are not ordered"),
    })
}

/// What relation the first value has to the second.
fn compared(relation: Relation, a: &Value, b: &Value) -> Result<Formula, Overflow> {
    Ok(Formula::linear(relation, sum_of(a)?.minus(&sum_of(b)?).ok_or(Overflow)?))
}

pub fn as_linear(formula: &Formula) -> Option<(Rc<super::formula::LinearAtom>, bool)> {
    match formula {
        Formula::Linear(atom, holds) => Some((atom.clone(), *holds)),
        _ => None,
    }
}

pub fn difference(a: Key, b: Key) -> Result<Sum, Overflow> {
    Sum::of(a).minus(&Sum::of(b)).ok_or(Overflow)
}

pub const ONE: Sum = Sum { terms: Vec::new(), constant: Rational::ONE };
