//! What a bad cube forbids that stands for something about all processes.

use super::axioms::negated;
use super::dnf::dnf;
use super::formula::Formula;
use super::{Bad, Conj, Forbidden, Literal, ProcRef, System, Transition, Universal, rename};

impl Forbidden {
    /// The states that a bad cube of a system stands for: its own, or, where a transition notes that something holds for all processes,
    /// those in which it does so. `None` if that is about several others at once, or numbers leave the 64-bit range.
    pub fn noted(system: &System, bad: &Bad) -> Option<Vec<Self>> {
        let notes: Vec<_> = system.transitions.iter().filter(|t| t.span == bad.span).collect();
        if notes.is_empty() {
            return Some(vec![Self::from(bad)]);
        }
        let is_note = |literal: &Literal| {
            literal.cells().iter().any(|it| bad.cube.iter().flat_map(Literal::cells).any(|note| note == *it))
        };
        let one = |t: &Transition| {
            let cube = t.guard.iter().filter(|it| !is_note(it)).cloned().collect();
            let mut others = Vec::new();
            for universal in &t.universals {
                others.extend(denied(system, universal)?);
            }
            Some(Self { params: t.arity() as u8, cube, others })
        };
        notes.into_iter().map(one).collect()
    }
}

/// What a process is of which a universal about one process does not hold.
fn denied(system: &System, universal: &Universal) -> Option<Vec<Conj>> {
    if universal.bound != 1 {
        return None;
    }
    let mut all = Vec::new();
    for conj in &universal.body.0 {
        let opposite = |literal| negated(system, literal).map(Formula::Literal);
        all.push(Formula::or(conj.iter().map(opposite).collect::<Option<_>>()?));
    }
    let denied = dnf(&Formula::and(all), &ProcRef::same).ok()?;
    rename::disjunction(&denied.into_iter().map(|it| it.literals).collect::<Vec<_>>(), &|process| process)
}
