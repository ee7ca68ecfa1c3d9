//! Conjunctions after a step, as formulas over the state before it.

use crate::after::values_after;
use cubicle_lang::model::{
    Conj, Literal, ProcRef, System, Term, Transition, fold_processes, negated, rename, simplify,
};

const MOST_DISJUNCTS: usize = 200;

/// A transition, and formulas over its parameters and further processes, which have the numbers after these. `None` stands for a
/// formula that is too large, or about cells that may hold anything after the step.
pub struct Effect<'a> {
    system: &'a System,
    t: &'a Transition,
    /// The number of the first process that is not a parameter, in place of a bound one of a tail; those before it may be parameters.
    others: usize,
}

impl<'a> Effect<'a> {
    /// Steps of a transition; the processes from number `others` on differ from the parameters and from each other.
    pub const fn new(system: &'a System, t: &'a Transition, others: usize) -> Self {
        Self { system, t, others }
    }

    /// The states before a step after which all literals of a denial hold.
    pub fn denied_after(&self, denial: &Conj) -> Option<Vec<Conj>> {
        let mut ways = vec![Conj::new()];
        for literal in denial {
            ways = self.and(&ways, &self.after(literal)?)?;
        }
        Some(ways)
    }

    /// The states before a step in which all literals of a denial hold, and after which one does not.
    pub fn becomes(&self, denial: &Conj) -> Option<Vec<Conj>> {
        let before = self.and(std::slice::from_ref(denial), &[Conj::new()])?;
        let mut ways = Vec::new();
        for literal in denial {
            let opposite = negated(self.system, literal)?;
            ways.extend(self.and(&before, &self.after(&opposite)?)?);
        }
        Some(ways)
    }

    /// The conjunction in short, unless it is plainly contradictory. The parameters and the others are different processes.
    pub fn consistent(&self, conj: Conj) -> Option<Conj> {
        let open: Conj = self.open(conj)?;
        // Where processes are the same, what is said of both is said of one.
        let mut merged = open.clone();
        while let Some([a, b]) = merged.iter().find_map(Literal::same_processes) {
            let map = |p: ProcRef| if p == a.max(b) { a.min(b) } else { p };
            // A number that leaves the 64-bit range contradicts nothing.
            let Some(renamed) = rename::conj(&merged, &map) else { break };
            merged = self.open(renamed?)?;
        }
        simplify(merged, &|a, b| self.same(a, b))?;
        simplify(open, &|a, b| self.same(a, b))
    }

    /// Without comparisons of processes that are known to hold; `None` when one does not hold.
    fn open(&self, conj: Conj) -> Option<Conj> {
        fold_processes(conj, &|a, b| self.same(a, b))
    }

    /// Whether two processes are the same, where that is known.
    fn same(&self, a: ProcRef, b: ProcRef) -> Option<bool> {
        let is_apart = |v: u8| usize::from(v) < self.t.arity() || usize::from(v) >= self.others;
        let differs = |p: ProcRef| matches!(p, ProcRef::Var(v) if is_apart(v));
        if a == b { Some(true) } else { (differs(a) && differs(b)).then_some(false) }
    }

    fn and(&self, left: &[Conj], right: &[Conj]) -> Option<Vec<Conj>> {
        let mut both = Vec::new();
        for a in left {
            for b in right {
                both.extend(self.consistent([&a[..], b].concat()));
            }
            if both.len() > MOST_DISJUNCTS {
                return None;
            }
        }
        both.dedup();
        Some(both)
    }

    /// The states before a step after which a literal holds.
    fn after(&self, literal: &Literal) -> Option<Vec<Conj>> {
        let Literal::In { cell, values } = literal else { return None };
        let mut ways = Vec::new();
        for (here, value) in values_after(self.system, self.t, cell, &|a, b| self.and(a, b))? {
            match value {
                Term::Constructor(c) if values >> c & 1 == 0 => {}
                Term::Constructor(_) => ways.extend(here),
                Term::Cell(cell) => {
                    let holds = Literal::In { cell, values: *values };
                    ways.extend(self.and(&here, &[vec![holds]])?);
                }
                Term::Proc(_) | Term::Linear(_) => return None,
            }
        }
        Some(ways)
    }
}
