//! Makes the steps of counts explicit: a system whose transitions also assign its counts, for engines that read updates.
//!
//! Let a transition have parameters i, and let `phi'(p)` say that process p is counted after the step. Of the processes that are not
//! parameters, all are treated alike: `phi'` is one formula `psi(p)` of the state before for them. So the count after the step is
//! `#{p | psi(p)}`, and for each parameter one more if `phi'(i)` holds, one less if `psi(i)` does. If the step leaves other processes alone, `psi`
//! is `phi`, and the first summand is the count itself; otherwise it is another count, which is added. Sums
//! are treated alike. That is exact; a count that cannot be followed in this way gets any value.

use crate::after::values_after;
use cubicle_lang::diagnostic::Span;
use cubicle_lang::list::{add_new, extend_new};
use cubicle_lang::model::{
    Assignment, Branch, Cell, Conj, Count, Dnf, Linear, Literal, ProcRef, Rational, System, SystemParts,
    Term, Transition, Update, fold_processes, rename, rename::Truth, simplify, substitute,
};
use tracing::debug_span;

/// Most counts, with those that updates need.
const MOST_COUNTS: usize = 40;

/// Counts beside those of the model where updates would need ever more. By estimate.
const MOST_OF_CHAIN: usize = 2;

/// Most disjuncts of a formula, and branches of an update.
const MOST_BRANCHES: usize = 200;

/// The system where each transition assigns the counts that it may change, with the counts that such updates need. Where there would be too many of these, or
/// an update depends on a choice or a count in a way that no count says, a step may give the count any value: the system then has more steps.
pub fn with_updates_of_counts(system: &System) -> System {
    let _span = debug_span!("with_updates_of_counts", counts = system.counts.len()).entered();
    let (all, is_exact) = explicit(system, MOST_COUNTS, true);
    if is_exact {
        return all;
    }
    // A chain of counts, each for what a step does to the one before, has no end: most of it tells nothing.
    explicit(system, system.counts.len() + MOST_OF_CHAIN, false).0
}

/// The system where what steps do to the counts of the model, and to others as long as there are at most `most`, adds the counts that it needs, and
/// whether all steps are followed exactly; as it is where they are to be and one is not.
fn explicit(system: &System, most: usize, to_be_exact: bool) -> (System, bool) {
    let mut parts = system.to_parts();
    let mut is_exact = true;
    let mut updates: Vec<Vec<Update>> = vec![Vec::new(); system.transitions.len()];
    let mut at = 0;
    while let Some(count) = parts.counts.get(at).cloned() {
        for (t, updates) in system.transitions.iter().zip(&mut updates) {
            if !parts.may_change(t, count.var) {
                continue;
            }
            let before = (parts.vars.len(), parts.counts.len());
            let branches = Step { system, t, count: &count }.branches(&mut parts);
            let added = parts.counts.len();
            let most = if at < system.counts.len() { MOST_COUNTS } else { most };
            let assignment = if let Some(branches) = branches.filter(|_| added <= most.max(before.1)) {
                Assignment::Cases(branches)
            } else if to_be_exact {
                return (system.clone(), false);
            } else {
                parts.vars.truncate(before.0);
                parts.counts.truncate(before.1);
                is_exact = false;
                Assignment::Nondet
            };
            updates.push(Update { var: count.var, assignment });
        }
        at += 1;
    }
    for (t, updates) in parts.transitions.iter_mut().zip(updates) {
        t.updates.extend(updates);
    }
    (System::new(parts), is_exact)
}

/// Formulas and what holds under them; they exclude each other, and one holds.
type Ways<T> = Vec<(Vec<Conj>, T)>;

/// A transition and a count that it may change.
struct Step<'a> {
    system: &'a System,
    t: &'a Transition,
    count: &'a Count,
}

impl Step<'_> {
    /// How many parameters there are; in an update, the indices of the count follow them, and the counted process these.
    fn arity(&self) -> u8 {
        self.t.arity() as u8
    }

    /// The branches of the update, in an order in which the first that fits counts.
    fn branches(&self, parts: &mut SystemParts) -> Option<Vec<Branch>> {
        let indices = parts.var(self.count.var).arity() as u8;
        let mut found = vec![(Conj::new(), Vec::new())];
        for own in (self.arity()..self.arity() + indices).map(ProcRef::Var) {
            // Each index is a parameter, or, once it is none of them, another process.
            let with = |p: ProcRef| {
                let is = (p != own).then(|| Literal::same(p, own));
                let longer = |(when, index): &(Conj, Vec<ProcRef>)| {
                    let when = when.iter().chain(&is).cloned().collect();
                    (when, [&index[..], &[p]].concat())
                };
                found.iter().map(longer).collect::<Vec<_>>()
            };
            found = (0..self.arity()).map(ProcRef::Var).chain([own]).flat_map(with).collect();
        }
        // Those with more parameters come first.
        found.sort_by_key(|(when, _)| std::cmp::Reverse(when.len()));
        let mut branches = Vec::new();
        for (when, index) in found {
            for (conj, value) in self.values(parts, &index)? {
                let when = Dnf(conj.into_iter().map(|it| [&when[..], &it].concat()).collect());
                branches.push(Branch { when, value: Term::Linear(value) });
                if branches.len() > MOST_BRANCHES {
                    return None;
                }
            }
        }
        Some(branches)
    }

    fn is_parameter(&self, p: ProcRef) -> bool {
        matches!(p, ProcRef::Var(v) if v < self.arity())
    }

    /// Whether two processes in scope are the same, where that is known: parameters differ from each other, and other indices and the
    /// counted process differ from them.
    fn same(&self, a: ProcRef, b: ProcRef) -> Option<bool> {
        if a == b {
            return Some(true);
        }
        (self.is_parameter(a) || self.is_parameter(b))
            .then_some(false)
            .filter(|_| matches!((a, b), (ProcRef::Var(_), ProcRef::Var(_))))
    }

    /// The values of the count's cell at these processes after the step, in an order in which the first that fits counts.
    fn values(&self, parts: &mut SystemParts, index: &[ProcRef]) -> Option<Ways<Linear>> {
        let other = ProcRef::Var(self.arity() + index.len() as u8);
        let generic = self.after(index, other)?;
        let unchanged = generic == self.now(index, other)?;
        let mut base = Linear::number(Rational::ZERO);
        if unchanged {
            base = Linear::of(Cell::at(self.count.var, index.iter().copied()));
        } else {
            for (when, value) in &generic {
                base = base.add_scaled(Rational::ONE, &Self::counted(parts, when, value, other)?)?;
            }
        }
        let mut all: Ways<Linear> = vec![(vec![Conj::new()], base)];
        for p in (0..self.arity()).map(ProcRef::Var) {
            // What the first summand has of this process. The count itself has what its own formula says of it: of `generic`, all is left
            // out that is so of each process but the parameters, such as `c <> p`.
            let as_other = if unchanged { self.now(index, p)? } else { self.at(&generic, other, p)? };
            let after = self.after(index, p)?;
            if as_other == after {
                continue;
            }
            let mut next = Vec::new();
            for (so_far, sum) in &all {
                for (was, minus) in with_rest(&as_other) {
                    for (is, plus) in with_rest(&after) {
                        let conj = self.and(&self.and(so_far, &was)?, &is)?;
                        if conj.is_empty() {
                            continue;
                        }
                        let sum =
                            sum.add_scaled(Rational::ONE, &plus)?.add_scaled(Rational::ONE.neg(), &minus)?;
                        next.push((conj, sum));
                    }
                }
            }
            all = next;
            if all.len() > MOST_BRANCHES {
                return None;
            }
        }
        Some(all)
    }

    /// What a process contributes before the step; it contributes nothing where no formula holds.
    fn now(&self, index: &[ProcRef], p: ProcRef) -> Option<Ways<Linear>> {
        self.read(index, p, &|_| Some(vec![(vec![Conj::new()], None)]))
    }

    /// What a process contributes after the step, in terms of the state before.
    fn after(&self, index: &[ProcRef], p: ProcRef) -> Option<Ways<Linear>> {
        self.read(index, p, &|cell| {
            let values = values_after(self.system, self.t, cell, &|a, b| self.and(a, b))?;
            let kept = |value: Term| Some(value).filter(|value| !value.is(cell));
            Some(values.into_iter().map(|(when, value)| (when, kept(value))).collect())
        })
    }

    /// What a process contributes where cells have other values (`None`: their own).
    fn read(
        &self,
        index: &[ProcRef],
        p: ProcRef,
        value: &dyn Fn(&Cell) -> Option<Ways<Option<Term>>>,
    ) -> Option<Ways<Linear>> {
        let map = |it: ProcRef| it.renamed(|v| index.get(usize::from(v)).copied().unwrap_or(p));
        let summand = rename::term(&Term::Linear(self.count.added().into_owned()), &map)?;
        let body = rename::disjunction(&self.count.body.0, &map)?;
        let mut cells: Vec<&Cell> = Vec::new();
        extend_new(&mut cells, body.iter().flatten().flat_map(Literal::cells).chain(summand.cells()));
        let mut ways: Ways<Vec<(Cell, Term)>> = vec![(vec![Conj::new()], Vec::new())];
        for cell in cells {
            let mut next = Vec::new();
            for (when, known) in &ways {
                for (also, term) in value(cell)? {
                    let both = self.and(when, &also)?;
                    if both.is_empty() {
                        continue;
                    }
                    let mut known = known.clone();
                    known.extend(term.map(|term| (cell.clone(), term)));
                    next.push((both, known));
                }
                // Each cell may double them.
                if next.len() > MOST_BRANCHES {
                    return None;
                }
            }
            ways = next;
        }
        let mut found: Ways<Linear> = Vec::new();
        for (when, known) in ways {
            let value = |cell: &Cell| known.iter().find(|it| it.0 == *cell).map(|it| it.1.clone());
            let Some(Term::Linear(sum)) = substitute::term(&summand, &value) else { return None };
            let mut holds = Vec::new();
            for conj in &body {
                holds.extend(rename::all(conj.iter().map(|it| self.substituted(it, &value)))?);
            }
            let both = self.and(&when, &holds)?;
            if both.is_empty() {
                continue;
            }
            match found.iter_mut().find(|it| it.1 == sum) {
                Some((known, _)) => known.extend(both),
                None => found.push((both, sum)),
            }
        }
        Some(found)
    }

    fn substituted(&self, literal: &Literal, value: &impl Fn(&Cell) -> Option<Term>) -> Option<Truth> {
        if let Literal::Eq { left, right, .. } | Literal::Less { left, right, .. } = literal
            && let (Term::Proc(a), Term::Proc(b)) =
                (substitute::term(left, value)?, substitute::term(right, value)?)
            && self.same(a, b).is_none()
        {
            let (left, right) = (Term::Proc(a), Term::Proc(b));
            return match literal {
                Literal::Eq { negated, .. } => {
                    Some(Truth::Literal(Literal::Eq { left, right, negated: *negated }))
                }
                _ => None,
            };
        }
        substitute::literal(self.system, literal, value)
    }

    fn counted(parts: &mut SystemParts, when: &[Conj], value: &Linear, other: ProcRef) -> Option<Linear> {
        // No count reads another one.
        let counts = |cell: &Cell| parts.count_of(cell.var).is_some();
        let read = when.iter().flatten().flat_map(Literal::cells).chain(value.terms.iter().map(|it| &it.0));
        if read.into_iter().any(counts) {
            return None;
        }
        let own = |cell: &Cell| cell.index.contains(&other);
        let (of_process, of_none): (Vec<_>, Vec<_>) =
            value.terms.iter().cloned().partition(|(cell, _)| own(cell));
        if !of_none.is_empty() {
            // A number of processes times a number.
            return None;
        }
        let mut sum = Linear::number(Rational::ZERO);
        let mut add = |summand: Option<Linear>, factor: Rational| -> Option<()> {
            let mut free: Vec<ProcRef> = Vec::new();
            let read = when.iter().flatten().flat_map(Literal::cells);
            let in_summand = summand.iter().flat_map(|it| &it.terms).map(|(cell, _)| cell);
            let in_cells = read.chain(in_summand).flat_map(|cell| cell.index.iter().copied());
            let in_terms = when.iter().flatten().flat_map(terms);
            let is_free = |p: &ProcRef| matches!(p, ProcRef::Var(_)) && *p != other;
            extend_new(&mut free, in_cells.chain(in_terms).filter(is_free));
            let map = |p: ProcRef| match free.iter().position(|it| *it == p) {
                Some(at) => ProcRef::Var(at as u8),
                None if p == other => ProcRef::Var(free.len() as u8),
                None => p,
            };
            let body = Dnf(rename::disjunction(when, &map)?);
            let summand = match summand {
                None => None,
                Some(it) => Some(it.map_cells(|cell| rename::cell(cell, &map))?),
            };
            let var = parts.counted(free.len() as u8, body, summand, Span::default())?;
            sum = sum.add_scaled(factor, &Linear::of(Cell::at(var, free)))?;
            Some(())
        };
        if !of_process.is_empty() {
            add(Some(Linear { terms: of_process, constant: Rational::ZERO }), Rational::ONE)?;
        }
        if !value.constant.is_zero() {
            add(None, value.constant)?;
        }
        Some(sum)
    }

    /// What is said of the process that is not a parameter, said of a parameter.
    fn at(&self, ways: &Ways<Linear>, other: ProcRef, p: ProcRef) -> Option<Ways<Linear>> {
        let map = |it: ProcRef| if it == other { p } else { it };
        let mut found = Vec::new();
        for (when, value) in ways {
            let when = self.and(&[Conj::new()], &rename::disjunction(when, &map)?)?;
            let value = value.map_cells(|cell| rename::cell(cell, &map))?;
            if !when.is_empty() {
                found.push((when, value));
            }
        }
        Some(found)
    }

    /// Conjunction, without what contradicts itself or the guard, and without what the guard says.
    fn and(&self, a: &[Conj], b: &[Conj]) -> Option<Vec<Conj>> {
        let mut found: Vec<Conj> = Vec::new();
        for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))) {
            let both: Conj = a.iter().chain(b).cloned().collect();
            let Some(both) = simplify(both, &|a, b| self.same(a, b)) else { continue };
            let Some(both) = self.under_guard(both) else { continue };
            add_new(&mut found, both);
        }
        if found.iter().any(Vec::is_empty) {
            return Some(vec![Conj::new()]);
        }
        (found.len() <= MOST_BRANCHES).then_some(found)
    }

    /// The conjunction where the guard holds; `None` where it cannot.
    fn under_guard(&self, conj: Conj) -> Option<Conj> {
        let mut left = fold_processes(conj, &|a, b| self.same(a, b))?;
        let excluded = |literal: &Literal| self.t.guard.iter().any(|known| known.excludes(literal));
        left.retain(|literal| !self.t.guard.iter().any(|known| known.implies(literal)));
        (!left.iter().any(excluded)).then_some(left)
    }
}

/// The ways, and that none of them holds, last: the first that fits counts.
fn with_rest(ways: &Ways<Linear>) -> Ways<Linear> {
    let mut all = ways.clone();
    if !all.iter().any(|(when, _)| when.iter().any(Vec::is_empty)) {
        all.push((vec![Conj::new()], Linear::number(Rational::ZERO)));
    }
    all
}

/// The processes that a literal names outside of cells.
fn terms(literal: &Literal) -> impl Iterator<Item = ProcRef> {
    literal.terms().filter_map(|term| if let Term::Proc(p) = term { Some(*p) } else { None })
}
