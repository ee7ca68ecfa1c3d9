//! Model formulas read with names or numbers for their processes: guards, new values, bad states.

use super::expr::{ExportComparison, ExportExpr, Process};
use super::instance::{Range, TakenNames};
use super::sized::sort_of;
use cubicle_lang::model::semantics::distinct_tuples;
use cubicle_lang::model::{
    Assignment, Bad, Branch, Cell, Conj, Dnf, Linear, Literal, ProcRef, Rational, Relation, System, Term,
    Transition, Type, Update, VarId,
};

#[derive(Clone, Copy, Debug)]
pub struct SystemReader<'a> {
    pub system: &'a System,
    pub range: Range,
    pub procs: usize,
    /// The name of the process that a count is about, where the target has a term for the number of processes that satisfy a
    /// formula; elsewhere counts are sums.
    pub counted: Option<&'a str>,
}

/// The processes that a universal guard ranges over.
#[derive(Clone, Debug)]
pub enum Others<'a> {
    /// Each of these processes.
    These(&'a [usize]),
    /// Quantifiers of the target over processes with these names: at least as many as the universal guard has parameters.
    Bound(&'a [String]),
}

impl SystemReader<'_> {
    /// A conjunction; `scope` are the processes of its variables.
    pub fn conj(self, conj: &Conj, scope: &[Process]) -> ExportExpr {
        ExportExpr::all(conj.iter().map(|literal| self.literal(literal, scope)))
    }

    pub fn dnf(self, dnf: &Dnf, scope: &[Process]) -> ExportExpr {
        ExportExpr::any(dnf.0.iter().map(|conj| self.conj(conj, scope)))
    }

    fn literal(self, literal: &Literal, scope: &[Process]) -> ExportExpr {
        match literal {
            Literal::In { cell, values } => self.member(cell, *values, scope),
            Literal::Eq { left, right, negated } => {
                let how = if *negated { ExportComparison::Different } else { ExportComparison::Equal };
                ExportExpr::compare(how, self.term(left, None, scope), self.term(right, None, scope))
            }
            Literal::Less { left, right, strict } => {
                let how = if *strict { ExportComparison::Less } else { ExportComparison::AtMost };
                ExportExpr::compare(how, self.term(left, None, scope), self.term(right, None, scope))
            }
            Literal::Linear { expr, relation, .. } => self.linear(expr, *relation, scope),
        }
    }

    fn member(self, cell: &Cell, values: u64, scope: &[Process]) -> ExportExpr {
        let Type::Enum(id) = self.system.var(cell.var).ty else { unreachable!("only enums have value sets") };
        if let Some(sort) = self.sort_of(cell, scope) {
            return if values >> sort & 1 == 1 { ExportExpr::TRUE } else { ExportExpr::FALSE };
        }
        let all = self.system.enumeration(id).all();
        let few = (values & all).count_ones() * 2 <= all.count_ones();
        let shown = if few { values & all } else { all & !values };
        let how = if few { ExportComparison::Equal } else { ExportComparison::Different };
        let parts = (0..64u8)
            .filter(|c| shown >> c & 1 == 1)
            .map(|c| ExportExpr::compare(how, place(cell, scope), ExportExpr::Constructor(id, c)));
        if few { ExportExpr::any(parts) } else { ExportExpr::all(parts) }
    }

    /// The sort that a cell says a process with a number is of.
    fn sort_of(self, cell: &Cell, scope: &[Process]) -> Option<u8> {
        let [index] = cell.index[..] else { return None };
        let Process::Number(number) = process(index, scope) else { return None };
        sort_of(self.system, number - 1).filter(|_| self.system.sort_array() == Some(cell.var))
    }

    /// The guard of a transition with these arguments, hidden ones included; does not say that they differ.
    pub fn guard(self, transition: &Transition, args: &[Process], others: &Others<'_>) -> ExportExpr {
        let plain = self.conj(&transition.guard, args);
        let universal = transition.universals.iter().map(|universal| {
            let of = |tuple: &[Process]| {
                let scope: Vec<Process> = args.iter().chain(tuple).cloned().collect();
                self.dnf(&universal.body, &scope)
            };
            let bound = usize::from(universal.bound);
            match others {
                Others::These(these) => ExportExpr::all(distinct_tuples(these.len(), bound).map(|tuple| {
                    of(&tuple.into_iter().map(|it| Process::Number(these[it])).collect::<Vec<_>>())
                })),
                Others::Bound(names) => {
                    let tuple: Vec<Process> = names.iter().take(bound).cloned().map(Process::Named).collect();
                    // Tuples with an argument or a repeated process are excluded.
                    (0..bound).rev().fold(of(&tuple), |body, n| {
                        let other = ExportExpr::Process(tuple[n].clone());
                        let same = args.iter().chain(&tuple[..n]).map(|known| {
                            let known = ExportExpr::Process(known.clone());
                            ExportExpr::compare(ExportComparison::Equal, other.clone(), known)
                        });
                        ExportExpr::each(true, names[n].clone(), ExportExpr::any(same.chain([body])))
                    })
                }
            }
        });
        ExportExpr::all([plain].into_iter().chain(universal))
    }

    /// The new value of one cell; `None` for `:= ?`.
    pub fn new_value(self, update: &Update, args: &[Process], index: &[Process]) -> Option<ExportExpr> {
        let Assignment::Cases(branches) = &update.assignment else { return None };
        let scope: Vec<Process> = args.iter().chain(index).cloned().collect();
        Some(self.branches(branches, &scope, &|value| self.value(value, update.var, &scope)))
    }

    /// The condition that the new value of one cell lies within the bounds of numbers.
    pub fn in_range(self, update: &Update, args: &[Process], index: &[Process]) -> ExportExpr {
        let (Some((low, high)), Assignment::Cases(branches)) = (self.range, &update.assignment) else {
            return ExportExpr::TRUE;
        };
        if !self.system.var(update.var).ty.is_numeric() {
            return ExportExpr::TRUE;
        }
        let scope: Vec<Process> = args.iter().chain(index).cloned().collect();
        self.branches(branches, &scope, &|value| {
            let Term::Linear(sum) = value else { unreachable!("a number") };
            let bound = |n| ExportExpr::number(Rational::integer(n));
            match sum.terms.as_slice() {
                [] => {
                    let n = sum.constant;
                    let within = (Rational::integer(low)..=Rational::integer(high)).contains(&n);
                    if within { ExportExpr::TRUE } else { ExportExpr::FALSE }
                }
                [(cell, one)]
                    if *one == Rational::ONE
                        && sum.constant.is_zero()
                        && self.system.count_of(cell.var).is_none() =>
                {
                    ExportExpr::TRUE
                }
                _ => {
                    let value = self.value(value, update.var, &scope);
                    ExportExpr::all([
                        ExportExpr::compare(ExportComparison::AtMost, bound(low), value.clone()),
                        ExportExpr::compare(ExportComparison::AtMost, value, bound(high)),
                    ])
                }
            }
        })
    }

    /// The condition that the values an update writes lie within the bounds of numbers; `index` are free names for the indices.
    pub fn bounds(self, update: &Update, args: &[Process], index: &[Process]) -> ExportExpr {
        if let Some((at, _)) = point_write(update, index.len(), args.len()) {
            let at: Vec<Process> = at.into_iter().map(|p| process(p, args)).collect();
            return self.in_range(update, args, &at);
        }
        index.iter().rev().fold(self.in_range(update, args, index), |body, name| match name {
            Process::Named(name) => ExportExpr::each(true, name.clone(), body),
            Process::Number(_) => unreachable!("indices have names here"),
        })
    }

    /// The value of the first branch whose condition holds.
    fn branches(
        self,
        branches: &[Branch],
        scope: &[Process],
        of: &impl Fn(&Term) -> ExportExpr,
    ) -> ExportExpr {
        let (last, before) = branches.split_last().expect("the last branch of an update is unconditional");
        before.iter().rev().fold(of(&last.value), |otherwise, branch| {
            ExportExpr::choice(self.dnf(&branch.when, scope), of(&branch.value), otherwise)
        })
    }

    /// A term that cells of `var` can hold.
    pub fn value(self, value: &Term, var: VarId, scope: &[Process]) -> ExportExpr {
        self.term(value, Some(self.system.var(var).ty), scope)
    }

    /// The cube of a bad state, for these processes; does not say that they differ.
    pub fn bad(self, bad: &Bad, scope: &[Process]) -> ExportExpr {
        self.conj(&bad.cube, scope)
    }

    fn term(self, term: &Term, ty: Option<Type>, scope: &[Process]) -> ExportExpr {
        match (term, ty) {
            (Term::Constructor(c), Some(Type::Enum(id))) => ExportExpr::Constructor(id, *c),
            (Term::Constructor(_), _) => unreachable!("constructors are assigned to enum cells only"),
            (Term::Proc(p), _) => ExportExpr::Process(process(*p, scope)),
            (Term::Cell(cell), _) => place(cell, scope),
            (Term::Linear(linear), _) => self.sum(&linear.terms, linear.constant, scope),
        }
    }

    fn sum(self, terms: &[(Cell, Rational)], constant: Rational, scope: &[Process]) -> ExportExpr {
        match terms {
            [(cell, one)] if *one == Rational::ONE && constant.is_zero() => self.number(cell, scope),
            _ => added(terms.iter().map(|(cell, n)| (*n, self.number(cell, scope))), constant),
        }
    }

    /// A numeric cell, or what it counts.
    fn number(self, cell: &Cell, scope: &[Process]) -> ExportExpr {
        let Some(count) = self.system.count_of(cell.var) else { return place(cell, scope) };
        let of = |counted: Process| -> Vec<Process> {
            cell.index.iter().map(|&p| process(p, scope)).chain([counted]).collect()
        };
        if let (Some(name), None) = (self.counted, &count.summand) {
            let body = self.dnf(&count.body, &of(Process::Named(name.to_owned())));
            return match body {
                ExportExpr::All(parts) if parts.is_empty() => {
                    ExportExpr::number(Rational::integer(self.procs as i64))
                }
                body => ExportExpr::Count(name.to_owned(), Box::new(body)),
            };
        }
        let parts = (1..=self.procs).map(|n| {
            let scope = of(Process::Number(n));
            let summand = count.added();
            let value = self.sum(&summand.terms, summand.constant, &scope);
            let none = ExportExpr::number(Rational::ZERO);
            (Rational::ONE, ExportExpr::choice(self.dnf(&count.body, &scope), value, none))
        });
        added(parts, Rational::ZERO)
    }

    /// `expr relation 0`, with the negative terms moved to the right.
    fn linear(self, expr: &Linear, relation: Relation, scope: &[Process]) -> ExportExpr {
        let of = |positive: bool| -> Vec<(Cell, Rational)> {
            let terms = expr.terms.iter().filter(|(_, n)| (n.signum() > 0) == positive);
            terms.map(|(cell, n)| (cell.clone(), if positive { *n } else { n.neg() })).collect()
        };
        let (mut left, mut right) = (expr.constant, Rational::ZERO);
        if left.signum() < 0 || of(false).is_empty() {
            (left, right) = (Rational::ZERO, left.neg());
        }
        let how = match relation {
            Relation::Eq => ExportComparison::Equal,
            Relation::Ne => ExportComparison::Different,
            Relation::Le => ExportComparison::AtMost,
            Relation::Lt => ExportComparison::Less,
        };
        ExportExpr::compare(how, self.sum(&of(true), left, scope), self.sum(&of(false), right, scope))
    }
}

/// A write of one cell, named by the processes of the transition: the other cells of the array keep their values.
pub fn point_write(update: &Update, arity: usize, params: usize) -> Option<(Vec<ProcRef>, &Term)> {
    let Assignment::Cases(branches) = &update.assignment else { return None };
    let bound = |i: usize| ProcRef::Var((params + i) as u8);
    if arity == 0 {
        return (branches.len() == 1).then(|| (Vec::new(), &branches[0].value));
    }
    let [first, last] = branches.as_slice() else { return None };
    let own = Cell { var: update.var, index: (0..arity).map(bound).collect() };
    let is_bound = |p: ProcRef| matches!(p, ProcRef::Var(v) if usize::from(v) >= params);
    let [conj] = first.when.0.as_slice() else { return None };
    if !last.value.is(&own) || conj.len() != arity || first.value.procs().into_iter().any(is_bound) {
        return None;
    }
    let mut at: Vec<Option<ProcRef>> = vec![None; arity];
    for literal in conj {
        let [a, b] = literal.same_processes()?;
        let place = (0..arity).find(|&i| a == bound(i) || b == bound(i))?;
        let other = if a == bound(place) { b } else { a };
        if is_bound(other) {
            return None;
        }
        at[place] = Some(other);
    }
    Some((at.into_iter().collect::<Option<_>>()?, &first.value))
}

/// The condition that processes are pairwise distinct.
pub fn distinct(processes: &[Process]) -> ExportExpr {
    let pairs = processes.iter().enumerate().flat_map(|(i, p)| processes[..i].iter().map(move |q| (q, p)));
    ExportExpr::all(pairs.map(|(q, p)| {
        ExportExpr::compare(
            ExportComparison::Different,
            ExportExpr::Process(q.clone()),
            ExportExpr::Process(p.clone()),
        )
    }))
}

/// A formula about pairwise distinct processes.
pub fn distinct_and(processes: &[Process], formula: ExportExpr) -> ExportExpr {
    ExportExpr::all([distinct(processes), formula])
}

/// For all processes, or some: a formula about them. They have names like these, which are not taken.
pub fn bound(
    taken: &TakenNames,
    names: impl Iterator<Item = String>,
    all: bool,
    of: impl FnOnce(&[Process]) -> ExportExpr,
) -> ExportExpr {
    let mut taken = taken.clone();
    let names: Vec<String> = names.map(|name| taken.fresh(&name)).collect();
    let scope: Vec<Process> = names.iter().cloned().map(Process::Named).collect();
    names.into_iter().rev().fold(of(&scope), |body, name| ExportExpr::each(all, name, body))
}

/// The process that a reference stands for.
pub fn process(reference: ProcRef, scope: &[Process]) -> Process {
    match reference {
        ProcRef::Var(v) => scope[usize::from(v)].clone(),
        ProcRef::Const(k) => Process::Number(usize::from(k) + 1),
    }
}

fn place(cell: &Cell, scope: &[Process]) -> ExportExpr {
    ExportExpr::Cell(cell.var, cell.index.iter().map(|&p| process(p, scope)).collect())
}

/// A sum of products and a constant; constants among the summands are part of the constant.
fn added(terms: impl Iterator<Item = (Rational, ExportExpr)>, constant: Rational) -> ExportExpr {
    let mut constant = constant;
    let mut kept = Vec::new();
    for (factor, term) in terms {
        let known = match &term {
            ExportExpr::Sum(parts, n) if parts.is_empty() => factor.mul(*n).and_then(|n| constant.add(n)),
            _ => None,
        };
        match known {
            Some(sum) => constant = sum,
            None => kept.push((factor, term)),
        }
    }
    match kept.as_slice() {
        [(one, _)] if *one == Rational::ONE && constant.is_zero() => kept.remove(0).1,
        _ => ExportExpr::Sum(kept, constant),
    }
}
