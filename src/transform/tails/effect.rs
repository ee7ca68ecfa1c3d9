//! Conjunctions after a step, as formulas over the state before it.

use cubicle_lang::model::{
    Assignment, Conj, Literal, ProcRef, System, Term, Transition, negated, rename, simplify,
};

/// Most disjuncts of a formula.
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
        while let Some((a, b)) = merged.iter().find_map(equated) {
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
        let mut open = Conj::with_capacity(conj.len());
        for literal in conj {
            match self.truth(&literal) {
                Some(true) => {}
                Some(false) => return None,
                None => open.push(literal),
            }
        }
        Some(open)
    }

    /// Whether two processes are the same, where that is known.
    fn same(&self, a: ProcRef, b: ProcRef) -> Option<bool> {
        let is_apart = |v: u8| usize::from(v) < self.t.arity() || usize::from(v) >= self.others;
        let differs = |p: ProcRef| matches!(p, ProcRef::Var(v) if is_apart(v));
        if a == b { Some(true) } else { (differs(a) && differs(b)).then_some(false) }
    }

    /// The truth value of a comparison of processes, where it is known.
    fn truth(&self, literal: &Literal) -> Option<bool> {
        match literal {
            Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated } => {
                self.same(*a, *b).map(|same| same != *negated)
            }
            _ => None,
        }
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
        let update = self.t.updates.iter().find(|it| it.var == cell.var);
        let branches = match update.map(|it| &it.assignment) {
            None => return Some(vec![vec![literal.clone()]]),
            Some(Assignment::Nondet) => return None,
            Some(Assignment::Cases(branches)) => branches,
        };
        let arity = self.t.arity();
        let map = |p: ProcRef| match p {
            ProcRef::Var(v) if usize::from(v) >= arity => cell.index[usize::from(v) - arity],
            p => p,
        };
        let mut ways = Vec::new();
        let mut unmatched = vec![Conj::new()];
        for branch in branches {
            let when = rename::disjunction(&branch.when.0, &map)?;
            let here = self.and(&unmatched, &when)?;
            match rename::term(&branch.value, &map)? {
                Term::Constructor(c) if values >> c & 1 == 0 => {}
                Term::Constructor(_) => ways.extend(here),
                Term::Cell(cell) => {
                    let holds = Literal::In { cell, values: *values };
                    ways.extend(self.and(&here, &[vec![holds]])?);
                }
                Term::Proc(_) | Term::Linear(_) => return None,
            }
            for conj in when {
                let denials: Option<Vec<Conj>> =
                    conj.iter().map(|it| negated(self.system, it).map(|it| vec![it])).collect();
                unmatched = self.and(&unmatched, &denials?)?;
            }
        }
        Some(ways)
    }
}

/// The processes that a literal says are the same.
fn equated(literal: &Literal) -> Option<(ProcRef, ProcRef)> {
    match literal {
        Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated: false } => Some((*a, *b)),
        _ => None,
    }
}
