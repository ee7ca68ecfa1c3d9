//! What cells hold after a step, in formulas over the state before it.

use cubicle_lang::model::{Assignment, Cell, Conj, ProcRef, System, Term, Transition, negated, rename};

/// Both of two formulas, in short; `None` where that is too large.
pub type And<'a> = &'a dyn Fn(&[Conj], &[Conj]) -> Option<Vec<Conj>>;

/// That none of these conjunctions holds.
pub fn none_of(system: &System, of: &[Conj], and: And<'_>) -> Option<Vec<Conj>> {
    let mut found = vec![Conj::new()];
    for conj in of {
        let denied: Option<Vec<Conj>> = conj.iter().map(|it| Some(vec![negated(system, it)?])).collect();
        found = and(&found, &denied?)?;
    }
    Some(found)
}

/// The values of a cell after a step, each where a formula holds before it: they exclude each other, and one holds. `None` where
/// the value is chosen freely, or a formula is too large.
pub fn values_after(
    system: &System,
    t: &Transition,
    cell: &Cell,
    and: And<'_>,
) -> Option<Vec<(Vec<Conj>, Term)>> {
    let Some(assignment) = t.assignment(cell.var) else {
        let own = Term::held(cell.clone(), system.var(cell.var).ty);
        return Some(vec![(vec![Conj::new()], own)]);
    };
    let map = |p: ProcRef| p.indexed(t.arity(), &cell.index);
    let mut found = Vec::new();
    let mut unmatched = vec![Conj::new()];
    let Assignment::Cases(branches) = assignment else { return None };
    for branch in branches {
        let when = and(&[Conj::new()], &rename::disjunction(&branch.when.0, &map)?)?;
        let here = and(&unmatched, &when)?;
        if !here.is_empty() {
            found.push((here, rename::term(&branch.value, &map)?));
        }
        unmatched = and(&unmatched, &none_of(system, &when, and)?)?;
        if unmatched.is_empty() {
            break;
        }
    }
    Some(found)
}
