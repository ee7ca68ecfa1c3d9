//! Disjunctive normal form, with the existential processes of each disjunct, and the cheap
//! simplification of conjunctions.

use std::collections::HashMap;

pub(super) use super::decided::Sameness;
use super::decided::{decided, given};
use super::formula::Formula;
use super::limits::{MAX_DISJUNCTS, MAX_LITERALS};
use super::rename;
use super::tuning::MAX_COMPARED;
use super::{Cell, Conj, Linear, Literal, ProcRef, Relation, Term};
use crate::list::sequences;

/// For some pairwise distinct further processes: all literals and all universals hold.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Disjunct {
    /// The further processes.
    pub exists: Vec<u8>,
    pub literals: Conj,
    /// Bound variables and body of each universal.
    pub universals: Vec<(Vec<u8>, Vec<Conj>)>,
}

impl Disjunct {
    /// Whether it holds wherever these literals do.
    pub(super) fn follows_from(&self, known: &Conj, same: &Sameness<'_>) -> bool {
        self.exists.is_empty()
            && self.universals.is_empty()
            && self.literals.iter().all(|it| decided(it, known, same) == Some(true))
    }

    /// Leaves out of its universals what its literals decide.
    pub(super) fn reduce_universals(&mut self, same: &Sameness<'_>) {
        for (_, body) in &mut self.universals {
            body.retain(|conj| !conj.iter().any(|it| decided(it, &self.literals, same) == Some(false)));
            for conj in body {
                conj.retain(|it| decided(it, &self.literals, same) != Some(true));
            }
        }
        self.universals.retain(|(_, body)| !body.iter().any(Vec::is_empty));
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum NoNormalForm {
    TooLarge,
    OutOfRange,
}

impl NoNormalForm {
    pub fn message(self) -> String {
        match self {
            Self::TooLarge => format!(
                "the disjunctive normal form has more than {MAX_DISJUNCTS} disjuncts or {MAX_LITERALS} literals"
            ),
            Self::OutOfRange => "a number leaves the 64-bit range".to_owned(),
        }
    }
}

/// The disjuncts of a formula; contradictory ones are left out.
pub(super) fn dnf(formula: &Formula, same: &Sameness<'_>) -> Result<Vec<Disjunct>, NoNormalForm> {
    let mut size = 0;
    let disjuncts = expand(&given(formula, &Vec::new(), same), same, &mut size)?;
    Ok(remove_implied(disjuncts))
}

/// The disjuncts of a formula without quantifiers.
pub(super) fn conjunctions(formula: &Formula, same: &Sameness<'_>) -> Result<Vec<Conj>, NoNormalForm> {
    Ok(dnf(formula, same)?.into_iter().map(|d| d.literals).collect())
}

fn charge(size: &mut usize, disjuncts: &[Disjunct]) -> Result<(), NoNormalForm> {
    *size += disjuncts.iter().map(|d| d.literals.len() + 1).sum::<usize>();
    if disjuncts.len() > MAX_DISJUNCTS || *size > 4 * MAX_LITERALS {
        Err(NoNormalForm::TooLarge)
    } else {
        Ok(())
    }
}

fn expand(formula: &Formula, same: &Sameness<'_>, size: &mut usize) -> Result<Vec<Disjunct>, NoNormalForm> {
    let disjuncts = match formula {
        Formula::True => vec![Disjunct::default()],
        Formula::False => Vec::new(),
        Formula::Literal(literal) => {
            vec![Disjunct { literals: vec![literal.clone()], ..Disjunct::default() }]
        }
        Formula::Or(parts) => {
            let mut all = Vec::new();
            for part in parts {
                all.extend(expand(part, same, size)?);
                if all.len() > MAX_DISJUNCTS {
                    return Err(NoNormalForm::TooLarge);
                }
            }
            all
        }
        Formula::And(parts) => {
            // Plain literals first: they are shared by all disjuncts and may rule many out.
            let (plain, rest): (Vec<_>, Vec<_>) =
                parts.iter().partition(|p| matches!(p, Formula::Literal(_)));
            let literals = plain
                .into_iter()
                .filter_map(|p| if let Formula::Literal(l) = p { Some(l.clone()) } else { None });
            let mut all: Vec<Disjunct> = simplify(literals.collect(), same)
                .map(|literals| Disjunct { literals, ..Disjunct::default() })
                .into_iter()
                .collect();
            for part in rest {
                if all.is_empty() {
                    break;
                }
                let part = expand(part, same, size)?;
                all = product(&all, &part, same, size)?;
            }
            all
        }
        Formula::Exists(vars, inner) => {
            let mut all = expand(inner, same, size)?;
            for disjunct in &mut all {
                disjunct.exists.extend(vars);
            }
            all
        }
        Formula::Forall(vars, inner) => {
            let body = conjunctions(inner, same)?;
            vec![Disjunct { universals: vec![(vars.clone(), body)], ..Disjunct::default() }]
        }
    };
    charge(size, &disjuncts)?;
    Ok(disjuncts)
}

/// Conjunction of two disjunctions. The further processes of the two sides may coincide or differ.
pub(super) fn product(
    left: &[Disjunct],
    right: &[Disjunct],
    same: &Sameness<'_>,
    size: &mut usize,
) -> Result<Vec<Disjunct>, NoNormalForm> {
    let mut all = Vec::new();
    for a in left {
        if right.iter().any(|b| b.follows_from(&a.literals, same)) {
            all.push(a.clone());
            continue;
        }
        for b in right {
            identify(a, b, same, &mut all)?;
            if all.len() > MAX_DISJUNCTS {
                return Err(NoNormalForm::TooLarge);
            }
        }
        *size += all.last().map_or(0, |d| d.literals.len());
        if *size > 4 * MAX_LITERALS {
            return Err(NoNormalForm::TooLarge);
        }
    }
    charge(size, &all)?;
    Ok(all)
}

/// The ways in which each of these processes is a different one of some known ones, or itself; that comes last.
pub(super) fn coincidences<'a>(of: &'a [u8], known: &'a [u8]) -> impl Iterator<Item = Vec<u8>> + 'a {
    sequences(of.len(), |chosen: &[u8]| {
        let own = of[chosen.len()];
        let others = known.iter().copied().filter(|it| *it != own && !chosen.contains(it));
        others.chain([own]).collect()
    })
}

/// Adds `a && b` for each way in which the processes of `b` are processes of `a` or further ones.
fn identify(
    a: &Disjunct,
    b: &Disjunct,
    same: &Sameness<'_>,
    all: &mut Vec<Disjunct>,
) -> Result<(), NoNormalForm> {
    for chosen in coincidences(&b.exists, &a.exists) {
        if all.len() > MAX_DISJUNCTS {
            return Err(NoNormalForm::TooLarge);
        }
        let at = |v: u8| b.exists.iter().position(|it| *it == v);
        let map = |p: ProcRef| p.renamed(|v| at(v).map_or(p, |at| ProcRef::Var(chosen[at])));
        let literals = rename::conj(&b.literals, &map).ok_or(NoNormalForm::OutOfRange)?;
        let both = literals.map(|literals| [&a.literals[..], &literals].concat());
        let Some(literals) = both.and_then(|both| simplify(both, same)) else { continue };
        let mut exists = a.exists.clone();
        exists.extend(chosen.iter().copied().filter(|v| !a.exists.contains(v)));
        let mut universals = a.universals.clone();
        for (bound, body) in &b.universals {
            let body = rename::disjunction(body, &map).ok_or(NoNormalForm::OutOfRange)?;
            universals.push((bound.clone(), body));
        }
        all.push(Disjunct { exists, literals, universals });
    }
    Ok(())
}

/// The conjunction without duplicates, with the value sets of each cell intersected; `None` when two of
/// its literals contradict each other. (It may be contradictory in other ways.)
pub fn simplify(literals: Conj, same: &Sameness<'_>) -> Option<Conj> {
    if literals.len() < 2 {
        return Some(literals);
    }
    let mut result: Vec<Option<Literal>> = Vec::with_capacity(literals.len());
    let mut known = Known::default();
    for literal in literals {
        if known.add(&literal, &mut result, same)? {
            result.push(Some(literal));
        }
    }
    // `G = p` makes `G <> q` redundant for another process q.
    for slot in &mut result {
        if let Some(Literal::Eq { left, right: Term::Proc(q), negated: true }) = slot
            && let Some(&p) = known.process_of.get(left)
            && same(p, *q) == Some(false)
        {
            *slot = None;
        }
    }
    Some(result.into_iter().flatten().collect())
}

/// The facts that the literals of a conjunction so far state.
#[derive(Default)]
struct Known {
    /// Which of them has the values of a cell.
    values: HashMap<Cell, usize>,
    equalities: HashMap<(Term, Term), bool>,
    process_of: HashMap<Term, ProcRef>,
    orders: HashMap<(Term, Term), bool>,
    linears: HashMap<Linear, Vec<Relation>>,
}

impl Known {
    /// Whether `literal` is to be added to `literals`; otherwise they imply it now. `None` when it contradicts one.
    fn add(
        &mut self,
        literal: &Literal,
        literals: &mut [Option<Literal>],
        same: &Sameness<'_>,
    ) -> Option<bool> {
        match literal {
            Literal::In { cell, values: new } => {
                if let Some(&at) = self.values.get(cell) {
                    if let Some(Literal::In { values: old, .. }) = &mut literals[at] {
                        *old &= new;
                        if *old == 0 {
                            return None;
                        }
                    }
                    return Some(false);
                }
                self.values.insert(cell.clone(), literals.len());
                Some(true)
            }
            Literal::Eq { left, right, negated } => self.equal(left, right, *negated, same),
            Literal::Less { left, right, strict } => self.less(left, right, *strict),
            Literal::Linear { expr, relation, .. } => self.linear(expr, *relation),
        }
    }

    fn equal(&mut self, left: &Term, right: &Term, negated: bool, same: &Sameness<'_>) -> Option<bool> {
        match self.equalities.insert((left.clone(), right.clone()), negated) {
            Some(old) if old == negated => return Some(false),
            Some(_) => return None,
            None => {}
        }
        if let (Term::Cell(_), Term::Proc(p), false) = (left, right, negated) {
            match self.process_of.get(left) {
                Some(&q) if same(*p, q) == Some(false) => return None,
                Some(_) => {}
                None => {
                    self.process_of.insert(left.clone(), *p);
                }
            }
        }
        Some(true)
    }

    fn less(&mut self, left: &Term, right: &Term, strict: bool) -> Option<bool> {
        let other = self.orders.get(&(right.clone(), left.clone()));
        if other.is_some_and(|&other| other || strict) {
            return None;
        }
        match self.orders.get_mut(&(left.clone(), right.clone())) {
            Some(known) if *known || !strict => return Some(false),
            Some(known) => *known = true,
            None => {
                self.orders.insert((left.clone(), right.clone()), strict);
            }
        }
        Some(true)
    }

    fn linear(&mut self, expr: &Linear, relation: Relation) -> Option<bool> {
        let known = self.linears.entry(expr.clone()).or_default();
        if known.contains(&relation) {
            return Some(false);
        }
        let excludes = |other: &Relation| {
            matches!(
                (relation, *other),
                (Relation::Eq, Relation::Ne | Relation::Lt) | (Relation::Ne | Relation::Lt, Relation::Eq)
            )
        };
        if known.iter().any(excludes) {
            return None;
        }
        known.push(relation);
        Some(true)
    }
}

/// Leaves out disjuncts that imply another one because they contain all its literals.
fn remove_implied(disjuncts: Vec<Disjunct>) -> Vec<Disjunct> {
    if disjuncts.len() < 2 || disjuncts.len() > MAX_COMPARED {
        return disjuncts;
    }
    let implied_by = |i: usize, j: usize| {
        let (a, b) = (&disjuncts[i], &disjuncts[j]);
        let weaker = b.exists.is_empty()
            && b.universals.iter().all(|u| a.universals.contains(u))
            && b.literals.len() <= a.literals.len()
            && b.literals.iter().all(|l| a.literals.contains(l));
        // Of equal ones, the first stays.
        weaker
            && (j < i
                || a.literals.len() > b.literals.len()
                || a.universals.len() > b.universals.len()
                || !a.exists.is_empty())
    };
    let keep: Vec<bool> =
        (0..disjuncts.len()).map(|i| !(0..disjuncts.len()).any(|j| j != i && implied_by(i, j))).collect();
    disjuncts.into_iter().zip(keep).filter_map(|(d, keep)| keep.then_some(d)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Disjunct, dnf, simplify};
    use crate::model::formula::Formula;
    use crate::model::{Cell, Literal, ProcRef, VarId};

    fn is(var: u16, values: u64) -> Literal {
        Literal::In { cell: Cell::global(VarId(var)), values }
    }

    fn at(p: u8, values: u64) -> Formula {
        Formula::Literal(Literal::In { cell: Cell::at(VarId(9), [ProcRef::Var(p)]), values })
    }

    fn distinct(a: ProcRef, b: ProcRef) -> Option<bool> {
        Some(a == b)
    }

    #[test]
    fn value_sets_are_intersected() {
        assert_eq!(simplify(vec![is(0, 3), is(1, 1), is(0, 6)], &distinct), Some(vec![is(0, 2), is(1, 1)]));
        assert_eq!(simplify(vec![is(0, 3), is(0, 4)], &distinct), None);
    }

    #[test]
    fn one_global_names_one_process() {
        let eq = |p, holds| Literal::points(Cell::global(VarId(0)), ProcRef::Var(p), holds);
        assert_eq!(simplify(vec![eq(0, true), eq(1, true)], &distinct), None);
        assert_eq!(simplify(vec![eq(0, true), eq(1, false)], &distinct), Some(vec![eq(0, true)]));
        assert_eq!(simplify(vec![eq(0, true), eq(1, true)], &|_, _| None).map(|c| c.len()), Some(2));
    }

    #[test]
    fn further_processes_coincide_or_differ() {
        let exists = |v: u8, values| Formula::Exists(vec![v], Box::new(at(v, values)));
        // One process cannot hold both values, so that they differ; with overlapping sets it may.
        for (values, ways) in [(2, vec![vec![5, 6]]), (3, vec![vec![5], vec![5, 6]])] {
            let both = Formula::And(vec![exists(5, 1), exists(6, values)]);
            let found = dnf(&both, &distinct).map(|d| d.iter().map(|d| d.exists.clone()).collect::<Vec<_>>());
            assert_eq!(found, Ok(ways));
        }
    }

    #[test]
    fn implied_disjuncts_are_dropped() {
        let (a, b) = (Formula::Literal(is(0, 1)), Formula::Literal(is(1, 1)));
        let formula = Formula::Or(vec![Formula::And(vec![a.clone(), b]), a]);
        assert_eq!(
            dnf(&formula, &distinct),
            Ok(vec![Disjunct { literals: vec![is(0, 1)], ..Disjunct::default() }])
        );
    }

    #[test]
    fn growth_is_bounded() {
        let choice =
            |i: u16| Formula::Or(vec![Formula::Literal(is(2 * i, 1)), Formula::Literal(is(2 * i + 1, 1))]);
        let formula = Formula::And((0..40).map(choice).collect());
        assert_eq!(dnf(&formula, &distinct), Err(super::NoNormalForm::TooLarge));
    }
}
