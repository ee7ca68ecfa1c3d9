//! States that no run reaches.

use super::axioms::negated;
use super::dnf::dnf;
use super::formula::Formula;
use super::{Bad, Conj, Literal, ProcRef, System, Universal, rename};

/// States that no run reaches: those in which the cube holds for some pairwise **distinct** processes of which no other
/// process is one of `others`. A parameter that the cube does not mention still demands that the process exists.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Forbidden {
    /// Number of distinct processes.
    pub params: u8,
    /// Over [`ProcRef::Var`](super::ProcRef::Var) below `params`.
    pub cube: Conj,
    /// What no further process is: no process but those of the parameters, constants `#k` included, satisfies one of these
    /// conjunctions, in which [`ProcRef::Var`](super::ProcRef::Var) `params` is that process. Each says fewer states: leaving one
    /// out of a claim makes it stronger.
    pub others: Vec<Conj>,
}

impl Forbidden {
    /// The states of a cube, whatever other processes do.
    pub const fn new(params: u8, cube: Conj) -> Self {
        Self { params, cube, others: Vec::new() }
    }

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
        let one = |t: &super::Transition| {
            let cube = t.guard.iter().filter(|it| !is_note(it)).cloned().collect();
            let mut others = Vec::new();
            for universal in &t.universals {
                others.extend(denied(system, universal)?);
            }
            Some(Self { params: t.arity() as u8, cube, others })
        };
        notes.into_iter().map(one).collect()
    }

    /// All its literals.
    pub fn literals(&self) -> impl Iterator<Item = &Literal> {
        self.cube.iter().chain(self.others.iter().flatten())
    }
}

impl From<&Bad> for Forbidden {
    fn from(bad: &Bad) -> Self {
        Self::new(bad.params, bad.cube.clone())
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
    let same = |a: ProcRef, b: ProcRef| match (a, b) {
        (ProcRef::Var(_), ProcRef::Var(_)) | (ProcRef::Const(_), ProcRef::Const(_)) => Some(a == b),
        _ => None,
    };
    let denied = dnf(&Formula::and(all), &same).ok()?;
    rename::disjunction(&denied.into_iter().map(|it| it.literals).collect::<Vec<_>>(), &|process| process)
}
