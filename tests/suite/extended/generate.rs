//! Random models.

use std::collections::BTreeSet;

use super::model::{
    Claim, Formula, INIT, Index, Model, Over, Place, Property, SORTS, Sort, Term, Transition, Ty, Update,
    Var, Word,
};
use super::variables::variables;
use crate::support::dice::Dice;
use crate::support::fair::{Fair, KINDS};

#[allow(clippy::struct_excessive_bools, reason = "each is a matter of its own")]
pub struct Maker {
    pub dice: Dice,
    pub vars: Vec<Var>,
    pub slot: Ty,
    pub sorted: bool,
    /// Whether it counts processes.
    pub counts: bool,
    /// Whether cells may be those of pointers.
    pub pointed: bool,
    /// How many processes are named, `#1` and so on; and whether there are quantifiers of several kinds.
    pub constants: usize,
    pub rich: bool,
    /// Whether only cells are read that always have a value.
    pub total: bool,
}

impl Var {
    /// The sorts of the processes among its indices.
    fn sorts(&self) -> impl Iterator<Item = Sort> {
        self.index.iter().filter_map(|it| if let Over::Process(sort) = it { Some(*sort) } else { None })
    }

    /// Two processes that are indices of it, if it has one index, which is a process.
    fn two(&self, params: &[Sort]) -> Option<[Vec<Index>; 2]> {
        let [Over::Process(sort)] = self.index[..] else { return None };
        let mut of = (0..params.len()).filter(|it| params[*it] == sort).map(|it| vec![Index::Process(it)]);
        Some([of.next()?, of.next()?])
    }
}

impl Term {
    /// Whether it reads nothing of processes from this one on.
    fn is_plain(&self, below: usize) -> bool {
        match self {
            Self::Plus(term, _)
            | Self::Remainder(term, _)
            | Self::Multiple(_, term)
            | Self::Abbreviated(term) => term.is_plain(below),
            Self::Sum(_, a, b) => a.is_plain(below) && b.is_plain(below),
            Self::Read { index, .. } => index.iter().all(|it| match it {
                Index::Process(process) => *process < below,
                Index::Value(term) => term.is_plain(below),
                Index::Pointer(..) | Index::Constant(_) => true,
            }),
            Self::Process(at) | Self::Bound(_, at) => *at < below,
            Self::Count(known, ..) | Self::Total(known, ..) => *known <= below,
            Self::Value(..) | Self::Constant(_) | Self::Param => true,
        }
    }

    /// Whether it is a cell of this variable, or a sum of such.
    fn reads(&self, var: usize) -> bool {
        match self {
            Self::Read { var: it, .. } => *it == var,
            Self::Plus(term, _) | Self::Multiple(_, term) => term.reads(var),
            Self::Sum(_, a, b) => a.reads(var) || b.reads(var),
            _ => false,
        }
    }

    /// Whether it counts processes.
    pub fn counts(&self) -> bool {
        match self {
            Self::Plus(term, _) | Self::Remainder(term, _) | Self::Abbreviated(term) => term.counts(),
            Self::Count(..) | Self::Total(..) => true,
            _ => false,
        }
    }
}

impl Maker {
    /// The variables that name processes of this sort, where cells may be theirs.
    fn pointers(&self, sort: Sort) -> Vec<usize> {
        let names = |it: &usize| self.vars[*it].index.is_empty() && self.vars[*it].names() == Some(sort);
        (0..self.vars.len()).filter(|it| self.pointed && !self.total && names(it)).collect()
    }

    /// Whether a variable has a cell at these processes, or where pointers are.
    fn fits(&self, var: usize, params: &[Sort]) -> bool {
        let exists = |sort| params.contains(&sort) || self.constants > 0 || !self.pointers(sort).is_empty();
        self.vars[var].sorts().all(exists)
    }

    fn index(&mut self, var: usize, params: &[Sort]) -> Vec<Index> {
        let kinds = self.vars[var].index.clone();
        let mut processes: Vec<usize> = (0..params.len()).collect();
        kinds
            .iter()
            .map(|kind| match kind {
                Over::Process(sort) => {
                    let of: Vec<usize> =
                        (0..processes.len()).filter(|it| params[processes[*it]] == *sort).collect();
                    let pointers = self.pointers(*sort);
                    let named = pointers.is_empty() && of.is_empty();
                    if self.constants > 0 && (named || self.dice.chance(20)) {
                        return Index::Constant(self.dice.below(self.constants));
                    }
                    if !pointers.is_empty() && (of.is_empty() || self.dice.chance(40)) {
                        return Index::Pointer(*self.dice.pick(&pointers), false);
                    }
                    let at = *self.dice.pick(&of);
                    // The diagonal of a matrix now and then.
                    let repeated = self.dice.chance(10);
                    Index::Process(if repeated || of.len() == 1 {
                        processes[at]
                    } else {
                        processes.remove(at)
                    })
                }
                Over::Value(ty) => Index::Value(Box::new(self.exact(*ty, params, false))),
            })
            .collect()
    }

    /// The fields of this type that can be read with this number of processes.
    fn fields(&self, params: &[Sort], fits: impl Fn(Ty) -> bool, flat: bool) -> Vec<(usize, usize)> {
        let mut found = Vec::new();
        for (at, var) in self.vars.iter().enumerate() {
            let has_head = var.queue.is_some();
            if !self.fits(at, params) || flat && (var.is_over_values() || has_head) || self.total && has_head
            {
                continue;
            }
            found.extend((0..var.fields.len()).filter(|it| fits(var.fields[*it].1)).map(|field| (at, field)));
        }
        found
    }

    fn read(&mut self, params: &[Sort], fits: impl Fn(Ty) -> bool, nested: bool) -> Option<Term> {
        let fields = self.fields(params, fits, !nested);
        if fields.is_empty() {
            return None;
        }
        let (var, field) = *self.dice.pick(&fields);
        let place = if self.vars[var].queue.is_some() { Place::Head } else { Place::Cell };
        Some(Term::Read { var, index: self.index(var, params), place, field })
    }

    /// A term whose values are all of the type.
    fn exact(&mut self, ty: Ty, params: &[Sort], nested: bool) -> Term {
        if self.dice.chance(55)
            && let Some(term) = self.read(params, |it| it == ty, nested)
        {
            return term;
        }
        if let Ty::Pointer(sort) = ty {
            let of: Vec<usize> = (0..params.len()).filter(|it| params[*it] == sort).collect();
            if !of.is_empty() && self.dice.chance(75) {
                return Term::Process(*self.dice.pick(&of));
            }
            if self.constants > 0 {
                return Term::Constant(self.dice.below(self.constants));
            }
        }
        let values: Vec<i64> = ty.values().collect();
        Term::Value(ty, *self.dice.pick(&values))
    }

    /// How many processes of a sort satisfy a formula.
    fn count(&mut self, params: &[Sort]) -> Term {
        let sort = self.sort();
        let inner = [params, &[sort]].concat();
        let body = Box::new(self.compared(&inner));
        // In `init`, what a sum over none is of would be about processes here, and about none in the core.
        if self.rich && !self.total && self.dice.chance(40) {
            let total = std::mem::replace(&mut self.total, true);
            let term = self.read(&inner, |it| matches!(it, Ty::Range(..)), false);
            self.total = total;
            if let Some(term) = term {
                return Term::Total(params.len(), sort, Box::new(term), body);
            }
        }
        Term::Count(params.len(), sort, body)
    }

    /// A term to assign: it may leave a range.
    fn assigned(&mut self, ty: Ty, params: &[Sort]) -> Term {
        let Ty::Range(..) = ty else { return self.exact(ty, params, true) };
        if self.counts && self.dice.chance(15) {
            return self.count(params);
        }
        if self.rich && self.dice.chance(20) {
            let sum = self.exact(ty, params, true);
            return self.sum(sum, params);
        }
        match self.dice.below(5) {
            0 | 1 => self.exact(ty, params, true),
            2 => self
                .read(params, |it| matches!(it, Ty::Range(..)), true)
                .unwrap_or_else(|| self.exact(ty, params, true)),
            _ => {
                let by = *self.dice.pick(&[1, 1, -1, -1, 2]);
                match self.read(params, |it| matches!(it, Ty::Range(..)), true) {
                    Some(term) => {
                        let sum = Term::Plus(Box::new(term), by);
                        if self.dice.chance(40) { self.remainder(sum) } else { sum }
                    }
                    None => self.exact(ty, params, true),
                }
            }
        }
    }

    /// A sum of this and what is read, a multiple of it now and then.
    fn sum(&mut self, term: Term, params: &[Sort]) -> Term {
        let Some(other) = self.read(params, |it| matches!(it, Ty::Range(..)), true) else { return term };
        // What is taken from itself is about nothing in the core.
        if self.total && matches!(other, Term::Read { var, .. } if term.reads(var)) {
            return term;
        }
        let other = if self.dice.chance(30) { Term::Multiple(2, Box::new(other)) } else { other };
        let sum = Term::Sum(self.dice.chance(50), Box::new(term), Box::new(other));
        if self.dice.chance(30) { self.remainder(sum) } else { sum }
    }

    /// A term to assign, with names of `let`s for its parts.
    fn value(&mut self, ty: Ty, params: &[Sort]) -> Term {
        let value = self.assigned(ty, params);
        self.abbreviated(value, params)
    }

    /// What is left of a term where it is of a range that is enumerated; otherwise the term.
    fn remainder(&mut self, of: Term) -> Term {
        let by = *self.dice.pick(&[2, 3, 4]);
        if self.ty(&of).values().count() > 16 || of.counts() { of } else { Term::Remainder(Box::new(of), by) }
    }

    fn comparison(&mut self, params: &[Sort]) -> Formula {
        let queues: Vec<usize> = (0..self.vars.len())
            .filter(|&it| self.vars[it].queue.is_some() && self.fits(it, params))
            .collect();
        if self.dice.chance(25) && !queues.is_empty() {
            let var = *self.dice.pick(&queues);
            let index = self.index(var, params);
            return match self.dice.below(4) {
                0 => Formula::Empty(var, index),
                1 => Formula::Full(var, index),
                2 => Formula::Not(Box::new(Formula::Empty(var, index))),
                _ => {
                    let length = Term::Read { var, index, place: Place::Length, field: 0 };
                    Formula::Compare(self.operator(), length, Term::Value(Ty::Range(0, 2), 1))
                }
            };
        }
        let plain = self.vars.iter().enumerate().filter(|it| it.1.queue.is_none() && it.1.fields.len() > 1);
        let records = plain.filter_map(|(at, var)| Some((at, var.two(params)?)));
        let records: Vec<(usize, [Vec<Index>; 2])> = records.collect();
        if self.dice.chance(10) && !records.is_empty() {
            let (var, [mut a, b]) = self.dice.pick(&records).clone();
            let pointers = self.vars[var].sorts().next().map_or_else(Vec::new, |it| self.pointers(it));
            if !pointers.is_empty() && self.dice.chance(40) {
                a = vec![Index::Pointer(*self.dice.pick(&pointers), false)];
            }
            return Formula::Same(var, a, b, self.dice.chance(50));
        }
        if self.rich
            && self.dice.chance(8)
            && let Some(&sort) = params.last()
            && let Some(other) = (0..params.len() - 1).find(|it| params[*it] == sort)
        {
            return Formula::Compare(self.operator(), Term::Process(params.len() - 1), Term::Process(other));
        }
        let Some(left) = self.read(params, |_| true, true) else {
            return Formula::Compare("=", Term::Value(Ty::Range(0, 1), 0), Term::Value(Ty::Range(0, 1), 0));
        };
        let ty = self.ty(&left);
        if let Ty::Range(..) = ty {
            let left = if self.dice.chance(15) { Term::Plus(Box::new(left), 1) } else { left };
            let left = if self.dice.chance(15) { self.remainder(left) } else { left };
            let plain = !matches!(left, Term::Remainder(..)) && self.rich;
            let left = if plain && self.dice.chance(15) { self.sum(left, params) } else { left };
            if self.dice.chance(35)
                && let Some(right) = self.read(params, |it| matches!(it, Ty::Range(..)), true)
                && !disjoint(ty, self.ty(&right))
            {
                let op = *self.dice.pick(&["<", "<=", ">", ">="]);
                return Formula::Compare(op, left, right);
            }
            let values: Vec<i64> = ty.values().collect();
            let value = *self.dice.pick(&values);
            let op = match left {
                // Such equalities that never hold are errors.
                Term::Plus(..) | Term::Remainder(..) | Term::Sum(..) => {
                    *self.dice.pick(&["<", "<=", ">", ">="])
                }
                _ => self.operator(),
            };
            return Formula::Compare(op, left, Term::Value(ty, value));
        }
        let right = self.exact(ty, params, true);
        Formula::Compare(if self.dice.chance(70) { "=" } else { "<>" }, left, right)
    }

    fn operator(&mut self) -> &'static str {
        ["=", "<>", "<", "<=", ">", ">="][self.dice.below(6)]
    }

    fn ty(&self, term: &Term) -> Ty {
        match term {
            Term::Value(ty, _) | Term::Bound(ty, _) => *ty,
            Term::Plus(term, _)
            | Term::Remainder(term, _)
            | Term::Multiple(_, term)
            | Term::Abbreviated(term) => self.ty(term),
            Term::Sum(_, a, b) => {
                let [a, b] = [a, b].map(|it| self.ty(it));
                if a.values().count() > b.values().count() { a } else { b }
            }
            Term::Count(..) | Term::Total(..) => Ty::Range(0, 2),
            Term::Process(_) | Term::Constant(_) | Term::Param => unreachable!("not what is added to"),
            Term::Read { var, field, .. } => self.vars[*var].fields[*field].1,
        }
    }

    fn sort(&mut self) -> Sort {
        if self.sorted { self.dice.below(SORTS.len()) } else { 0 }
    }

    /// Parameters, the first of which is as many variables need.
    fn params(&mut self) -> Vec<Sort> {
        let count = 1 + self.dice.below(2);
        (0..count).map(|_| self.sort()).collect()
    }

    /// The same, by the name of a `let` now and then.
    fn abbreviated(&mut self, term: Term, params: &[Sort]) -> Term {
        let term = match term {
            Term::Plus(inner, by) => Term::Plus(Box::new(self.abbreviated(*inner, params)), by),
            Term::Read { var, index, place, field } => {
                Term::Read { var, index: self.named(index, params), place, field }
            }
            other => other,
        };
        if term.is_plain(params.len()) && self.dice.chance(25) {
            return Term::Abbreviated(Box::new(term));
        }
        term
    }

    /// The same indices, by names of `let`s now and then.
    fn named(&mut self, index: Vec<Index>, params: &[Sort]) -> Vec<Index> {
        let one = |it| match it {
            Index::Value(term) => Index::Value(Box::new(self.abbreviated(*term, params))),
            Index::Pointer(var, _) => Index::Pointer(var, self.dice.chance(25)),
            process @ (Index::Process(_) | Index::Constant(_)) => process,
        };
        index.into_iter().map(one).collect()
    }

    /// The same, by a predicate now and then.
    fn called(&mut self, formula: Formula) -> Formula {
        if self.dice.chance(25) { Formula::Called(Box::new(formula)) } else { formula }
    }

    fn compared(&mut self, params: &[Sort]) -> Formula {
        let comparison = self.comparison(params);
        self.called(comparison)
    }

    fn formula(&mut self, params: &[Sort], quantified: bool) -> Formula {
        let formula = self.connected(params, quantified);
        self.called(formula)
    }

    fn connected(&mut self, params: &[Sort], quantified: bool) -> Formula {
        if self.counts && self.dice.chance(12) {
            let (op, count) = (self.operator(), self.count(params));
            let number = self.dice.below(3) as i64;
            return Formula::Compare(op, count, Term::Value(Ty::Range(0, 2), number));
        }
        match self.dice.below(12) {
            0 => Formula::Not(Box::new(self.compared(params))),
            1 | 2 => Formula::Either(Box::new(self.compared(params)), Box::new(self.compared(params))),
            3 if quantified => {
                let (sort, kind) = (self.sort(), if self.rich { self.dice.below(4) } else { 0 });
                if kind == 3 {
                    let both = [sort, self.sort()];
                    let inner = [params, &both].concat();
                    let [a, b] = [&inner[..=params.len()], &inner[..]].map(|it| Box::new(self.compared(it)));
                    return Formula::Nested(both, self.dice.chance(50), [a, b]);
                }
                let bound = &[sort, sort][..if kind == 1 { 2 } else { 1 }];
                let body = Box::new(self.compared(&[params, bound].concat()));
                let all = self.dice.chance(60);
                match kind {
                    0 => Formula::Others(all, sort, body),
                    1 => Formula::Two(all, sort, body),
                    _ => Formula::All(all, sort, body),
                }
            }
            5 if self.rich => {
                let mut part = || Box::new(self.compared(params));
                let (a, b) = (part(), part());
                match self.dice.below(3) {
                    0 => Formula::Implies(a, b),
                    1 => Formula::Iff(a, b),
                    _ => Formula::If(Box::new([*a, *b, self.compared(params)])),
                }
            }
            4 => Formula::Both(Box::new(self.comparison(params)), Box::new(self.comparison(params))),
            _ => self.comparison(params),
        }
    }

    fn claim(&mut self) -> Claim {
        let params = self.params();
        let body = (0..2 + self.dice.below(2)).map(|_| self.compared(&params)).collect();
        Claim { word: Word::Unsafe, params, body }
    }

    /// Claims of all kinds, also about all processes.
    fn claims(&mut self) -> Vec<Claim> {
        let most = self.dice.below(3);
        let one = |_| {
            let word = *self.dice.pick(&Word::ALL);
            let params = if self.dice.chance(15) { Vec::new() } else { self.params() };
            let quantified = self.dice.chance(50);
            self.total = word.is_positive();
            let body = if word.is_positive() {
                let [a, b] = [(); 2].map(|()| Box::new(self.compared(&params)));
                let either = Formula::Either(Box::new(self.formula(&params, quantified)), a.clone());
                vec![if self.dice.chance(50) { Formula::Not(Box::new(Formula::Both(a, b))) } else { either }]
            } else {
                (0..2 + self.dice.below(2)).map(|_| self.formula(&params, quantified)).collect()
            };
            self.total = false;
            Claim { word, params, body }
        };
        (0..=most).map(one).collect()
    }

    /// The fields of which `init` does not say the value, and what it says besides.
    fn beginnings(&mut self) -> (BTreeSet<(usize, usize)>, Vec<Formula>) {
        let mut open = BTreeSet::new();
        for (at, var) in self.vars.iter().enumerate().filter(|it| it.1.queue.is_none()) {
            for (field, (_, ty)) in var.fields.iter().enumerate() {
                let few = ty.values().count() < 5 && !matches!(ty, Ty::Pointer(_));
                if few && self.dice.chance(if var.is_constant() { 80 } else { 20 }) {
                    open.insert((at, field));
                }
            }
        }
        let sorts: Vec<Sort> = INIT.iter().map(|it| it.1).filter(|it| self.sorted || *it == 0).collect();
        let more = if open.is_empty() { 0 } else { self.dice.below(3) };
        self.total = true;
        let init = (0..more).map(|_| self.formula(&sorts, false)).collect();
        self.total = false;
        (open, init)
    }

    /// A condition of a `case` for each process, with names of `let`s.
    fn condition(&mut self, inner: &[Sort], params: &[Sort]) -> Formula {
        let when = match self.connected(inner, false) {
            Formula::Compare(op, a, b) => Formula::Compare(op, self.abbreviated(a, params), b),
            other => self.called(other),
        };
        if !self.dice.chance(20) {
            return when;
        }
        let sort = self.sort();
        let body = match self.comparison(&[params, &[sort]].concat()) {
            Formula::Compare(op, a, b) => Formula::Compare(op, a, self.abbreviated(b, params)),
            other => other,
        };
        let quantified = Formula::Others(self.dice.chance(50), sort, Box::new(body));
        if self.dice.chance(50) { Formula::Both(Box::new(quantified), Box::new(when)) } else { quantified }
    }

    /// An update of the cells at all values of an index.
    fn values(
        &mut self,
        var: usize,
        mut index: Vec<Index>,
        at: usize,
        field: usize,
        params: &[Sort],
    ) -> Update {
        let Over::Value(over) = self.vars[var].index[at] else { unreachable!("a value") };
        let bound = Term::Bound(over, params.len());
        index[at] = Index::Value(Box::new(bound.clone()));
        let ty = self.vars[var].fields[field].1;
        let own = ty == over && self.dice.chance(40);
        let value = if own { bound.clone() } else { self.value(ty, params) };
        let when = self.dice.chance(70).then(|| {
            let op = *self.dice.pick(&["=", "<>"]);
            let when = Formula::Compare(op, bound, self.exact(over, params, true));
            if self.dice.chance(60) {
                when
            } else {
                Formula::Either(Box::new(when), Box::new(self.compared(params)))
            }
        });
        Update::Values(over, var, index, field, when, value)
    }

    fn updates(&mut self, params: &[Sort]) -> Vec<Update> {
        let mut updates = Vec::new();
        let mut written = BTreeSet::new();
        for _ in 0..=self.dice.below(3) {
            let var = self.dice.below(self.vars.len());
            if !self.fits(var, params) || self.vars[var].is_constant() || !written.insert(var) {
                continue;
            }
            let index = self.index(var, params);
            let index = if self.pointed { self.named(index, params) } else { index };
            let fields = self.vars[var].fields.clone();
            if self.vars[var].queue.is_some() {
                let records: Vec<usize> = (0..self.vars.len())
                    .filter(|&it| {
                        let this = &self.vars[it];
                        this.queue.is_none()
                            && this.fields == fields
                            && !this.is_over_values()
                            && self.fits(it, params)
                    })
                    .collect();
                updates.push(match self.dice.below(5) {
                    1 if !records.is_empty() => {
                        let to = *self.dice.pick(&records);
                        if !written.insert(to) {
                            continue;
                        }
                        let target = self.index(to, params);
                        Update::Take(to, target, var, index)
                    }
                    0 | 1 => Update::Receive(var, index),
                    _ => {
                        let values = fields.iter().map(|(_, ty)| self.value(*ty, params)).collect();
                        Update::Send(var, index, values)
                    }
                });
                continue;
            }
            let field = self.dice.below(fields.len());
            let ty = fields[field].1;
            let small = ty.values().count() < 9 && !matches!(ty, Ty::Pointer(_));
            let sorts: Vec<Sort> = self.vars[var].sorts().collect();
            let one_process = sorts.len() == 1;
            let inner = [params, &sorts].concat();
            let all = |index: &[Index]| {
                index
                    .iter()
                    .map(
                        |it| {
                            if let Index::Value(_) = it { it.clone() } else { Index::Process(params.len()) }
                        },
                    )
                    .collect::<Vec<_>>()
            };
            let over = self.vars[var].index.iter().position(|it| matches!(it, Over::Value(_)));
            if let Some(at) = over
                && self.rich
                && self.dice.chance(40)
            {
                updates.push(self.values(var, index, at, field, params));
                continue;
            }
            let two = self.vars[var].two(params);
            let update = match self.dice.below(9) {
                0 if small => Update::Any(var, index, field),
                1 if one_process => {
                    let value = self.assigned(ty, &inner);
                    let value = self.abbreviated(value, params);
                    Update::Each(self.dice.chance(50), sorts[0], var, all(&index), field, value)
                }
                2 if one_process => {
                    let (when, value) = (self.condition(&inner, params), self.assigned(ty, &inner));
                    let value = self.abbreviated(value, params);
                    Update::Case(sorts[0], var, all(&index), field, when, value)
                }
                3 | 4 if fields.len() > 1 => {
                    let values = fields.iter().map(|(_, ty)| self.value(*ty, params)).collect();
                    Update::Assign(var, index, 0, values)
                }
                5 | 6 if two.is_some() => {
                    let [a, b] = two.expect("two processes");
                    let first = self.value(ty, params);
                    updates.push(Update::Assign(var, b, field, vec![first]));
                    Update::Assign(var, a, field, vec![self.value(ty, params)])
                }
                // A `case` for one cell is that of a parameter.
                _ if self.pointed
                    && !index.iter().any(|it| matches!(it, Index::Pointer(..) | Index::Constant(_)))
                    && self.dice.chance(30) =>
                {
                    let when = self.condition(params, params);
                    let values = [(); 2].map(|()| self.value(ty, params));
                    Update::Choose(var, index, field, when, values)
                }
                _ => Update::Assign(var, index, field, vec![self.value(ty, params)]),
            };
            updates.push(update);
        }
        updates
    }
}

pub fn disjoint(a: Ty, b: Ty) -> bool {
    match (a, b) {
        (Ty::Range(a, b), Ty::Range(c, d)) => b < c || d < a,
        _ => true,
    }
}

/// The model of a seed: all states begin the same, and it has one claim.
pub fn model(seed: u64) -> Model {
    made(seed, false)
}

/// The model of a seed, of which several states may be the first one, with claims of all kinds.
pub fn opened(seed: u64) -> Model {
    made(seed, true)
}

fn made(seed: u64, rich: bool) -> Model {
    let mut dice = Dice::new(seed);
    let low = *dice.pick(&[0, 0, 1, -1]);
    let slot = Ty::Range(low, low + 1 + dice.below(2) as i64);
    let wide = Ty::Range(0, 17 + dice.below(4) as i64);
    let sorted = dice.chance(50);
    let pointed = seed % 3 != 2;
    let pointers = pointed.then(|| if sorted { dice.below(SORTS.len()) } else { 0 });
    let mut vars = variables(&mut dice, slot, sorted, wide, pointers);
    if rich && dice.chance(40) {
        let declared = "const Lim : slot".to_owned();
        vars.push(Var {
            name: "Lim".to_owned(),
            declared,
            index: vec![],
            fields: vec![("", slot)],
            queue: None,
        });
    }
    let constants = if rich && !sorted && dice.chance(30) { 1 + dice.below(2) } else { 0 };
    let most = (constants > 0 || rich && dice.chance(15)).then(|| 2 + dice.below(2));
    let start = vars.iter().filter(|it| it.queue.is_none()).map(|_| dice.below(3) as i64).collect();
    let counts = dice.chance(50);
    let mut maker = Maker { dice, vars, slot, sorted, counts, pointed, constants, rich, total: false };
    let claims = if rich { maker.claims() } else { vec![maker.claim()] };
    let (open, init) = if rich { maker.beginnings() } else { Default::default() };
    let mut transitions = Vec::new();
    for _ in 0..2 + maker.dice.below(4) {
        let params = maker.params();
        let guard = (0..=maker.dice.below(3)).map(|_| maker.formula(&params, true)).collect();
        let updates = maker.updates(&params);
        transitions.push(Transition { params, guard, updates });
    }
    Model {
        vars: maker.vars,
        start,
        open,
        init,
        constants,
        most,
        slot: maker.slot,
        sorted,
        pointers,
        claims,
        transitions,
        properties: Vec::new(),
        fair: Vec::new(),
    }
}

/// The model of a seed, with properties of runs; whether these have quantifiers.
pub fn with_runs(seed: u64, quantified: bool) -> Model {
    let rich = quantified && !seed.is_multiple_of(2);
    let mut model = made(seed, rich);
    if rich {
        // One state begins, and nothing but runs is asked for.
        (model.open, model.init, model.claims) = Default::default();
    }
    let (vars, dice) = (std::mem::take(&mut model.vars), Dice::new(seed ^ 0x5eed));
    let (slot, sorted, pointed) = (model.slot, model.sorted, model.pointers.is_some());
    let (counts, constants) = (seed.is_multiple_of(3), model.constants);
    let mut maker = Maker { dice, vars, slot, sorted, counts, pointed, constants, rich, total: false };
    model.fair = Fair::of_some(&mut maker.dice, model.transitions.len());
    for _ in 0..=maker.dice.below(3) {
        let (kind, params) = (*maker.dice.pick(&KINDS), maker.params());
        let mut formula = || vec![maker.formula(&params, quantified)];
        let (first, then) = (formula(), formula());
        model.properties.push(Property { kind, params, first, then });
    }
    model.vars = maker.vars;
    model
}
