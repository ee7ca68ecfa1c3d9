//! Satisfiability of clauses by conflict-driven clause learning.
//!
//! As in `MiniSat` (Eén and Sörensson, "An extensible SAT-solver", 2003): two watched literals for each clause, clauses learned at the first
//! unique implication point, assumptions, and the assumptions that a refutation used. Variables of the last conflicts are decided first,
//! with the value that they had last.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use cubicle_run::{Interrupt, Interrupted};

/// Conflicts between two looks at the interrupt.
const CONFLICTS_BETWEEN_POLLS: u64 = 256;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Lit(u32);

impl Lit {
    const fn var(self) -> usize {
        (self.0 >> 1) as usize
    }

    const fn index(self) -> usize {
        self.0 as usize
    }

    /// The value of its variable that makes it true.
    const fn sign(self) -> bool {
        self.0 & 1 == 0
    }
}

impl std::ops::Not for Lit {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// What is known of a variable.
#[derive(Clone, Debug, Default)]
struct Variable {
    value: Option<bool>,
    last: bool,
    level: usize,
    reason: Option<usize>,
    /// The number of the last conflict that it took part in.
    conflict: u64,
    seen: bool,
}

#[derive(Debug, Default)]
pub struct Clauses {
    vars: Vec<Variable>,
    all: Vec<Vec<Lit>>,
    /// By literal, the clauses to be looked at when it becomes false.
    watching: Vec<Vec<usize>>,
    /// True literals in the order in which they became so, and the first of each level.
    trail: Vec<Lit>,
    levels: Vec<usize>,
    /// Literals of the trail before this have been propagated.
    done: usize,
    /// Variables to be decided.
    open: BTreeSet<(Reverse<u64>, usize)>,
    conflicts: u64,
    contradictory: bool,
}

impl Clauses {
    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        let var = self.vars.len();
        self.vars.push(Variable::default());
        self.watching.extend([Vec::new(), Vec::new()]);
        self.open.insert((Reverse(0), var));
        Lit((var as u32) << 1)
    }

    pub fn value(&self, lit: Lit) -> Option<bool> {
        self.vars[lit.var()].value.map(|it| it == lit.sign())
    }

    pub fn add(&mut self, clause: &[Lit]) {
        self.back_to(0);
        let mut clause = clause.to_vec();
        clause.sort_unstable();
        clause.dedup();
        let tautology = clause.windows(2).any(|two| two[0] == !two[1]);
        if tautology || clause.iter().any(|it| self.value(*it) == Some(true)) {
            return;
        }
        clause.retain(|it| self.value(*it).is_none());
        match clause[..] {
            [] => self.contradictory = true,
            [unit] => self.set(unit, None),
            _ => {
                self.keep(clause);
            }
        }
    }

    fn keep(&mut self, clause: Vec<Lit>) -> usize {
        let number = self.all.len();
        self.watching[clause[0].index()].push(number);
        self.watching[clause[1].index()].push(number);
        self.all.push(clause);
        number
    }

    fn set(&mut self, lit: Lit, reason: Option<usize>) {
        let level = self.levels.len();
        let var = &mut self.vars[lit.var()];
        (var.value, var.last, var.level, var.reason) = (Some(lit.sign()), lit.sign(), level, reason);
        self.trail.push(lit);
    }

    fn back_to(&mut self, level: usize) {
        let Some(&start) = self.levels.get(level) else { return };
        for lit in self.trail.drain(start..) {
            let var = &mut self.vars[lit.var()];
            var.value = None;
            self.open.insert((Reverse(var.conflict), lit.var()));
        }
        self.levels.truncate(level);
        self.done = start;
    }

    /// Sets what follows; a clause that is false, if one is.
    fn propagate(&mut self) -> Option<usize> {
        while let Some(&lit) = self.trail.get(self.done) {
            self.done += 1;
            let wrong = !lit;
            let mut watching = std::mem::take(&mut self.watching[wrong.index()]);
            let mut at = 0;
            let mut conflict = None;
            while let Some(&number) = watching.get(at) {
                let mut clause = std::mem::take(&mut self.all[number]);
                if clause[0] == wrong {
                    clause.swap(0, 1);
                }
                let first = self.value(clause[0]);
                let other = (first != Some(true))
                    .then(|| (2..clause.len()).find(|&it| self.value(clause[it]) != Some(false)));
                if let Some(Some(other)) = other {
                    clause.swap(1, other);
                    self.watching[clause[1].index()].push(number);
                    watching.swap_remove(at);
                } else {
                    at += 1;
                    if first == Some(false) {
                        conflict = Some(number);
                    } else if first.is_none() {
                        self.set(clause[0], Some(number));
                    }
                }
                self.all[number] = clause;
                if conflict.is_some() {
                    break;
                }
            }
            self.watching[wrong.index()] = watching;
            if conflict.is_some() {
                return conflict;
            }
        }
        None
    }

    /// The clause that a conflict teaches, its only literal of the last level first, then one of the level to go back to.
    fn learn(&mut self, conflict: usize) -> (Vec<Lit>, usize) {
        let level = self.levels.len();
        let (mut others, mut seen) = (Vec::new(), Vec::new());
        let (mut reason, mut open, mut at) = (conflict, 0, self.trail.len());
        let first = loop {
            for &lit in &self.all[reason] {
                let var = &mut self.vars[lit.var()];
                if var.seen || var.level == 0 || var.value == Some(lit.sign()) {
                    continue;
                }
                var.seen = true;
                seen.push(lit.var());
                if var.level == level {
                    open += 1;
                } else {
                    others.push(lit);
                }
            }
            let lit = loop {
                at -= 1;
                if self.vars[self.trail[at].var()].seen {
                    break self.trail[at];
                }
            };
            open -= 1;
            match self.vars[lit.var()].reason {
                Some(next) if open > 0 => reason = next,
                _ => break lit,
            }
        };
        for var in seen {
            let known = &mut self.vars[var];
            (known.seen, known.conflict) = (false, self.conflicts);
        }
        others.sort_by_key(|it| Reverse(self.vars[it.var()].level));
        let back = others.first().map_or(0, |it| self.vars[it.var()].level);
        others.insert(0, !first);
        (others, back)
    }

    /// The assumptions from which the negation of one follows, and it.
    fn used(&mut self, failed: Lit) -> Vec<Lit> {
        let mut out = vec![failed];
        self.vars[failed.var()].seen = true;
        for at in (0..self.trail.len()).rev() {
            let lit = self.trail[at];
            let var = &mut self.vars[lit.var()];
            if !std::mem::take(&mut var.seen) || var.level == 0 {
                continue;
            }
            match var.reason {
                Some(reason) => {
                    for other in &self.all[reason] {
                        self.vars[other.var()].seen |= *other != lit;
                    }
                }
                None => out.push(lit),
            }
        }
        out
    }

    /// Those of the assumptions that contradict the clauses; `None` where all variables have values that satisfy all of them.
    pub fn solve(
        &mut self,
        assumptions: &[Lit],
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<Lit>>, Interrupted> {
        self.back_to(0);
        loop {
            if self.contradictory {
                return Ok(Some(Vec::new()));
            }
            if let Some(conflict) = self.propagate() {
                self.conflicts += 1;
                if self.conflicts.is_multiple_of(CONFLICTS_BETWEEN_POLLS) {
                    interrupt.poll()?;
                }
                if self.levels.is_empty() {
                    self.contradictory = true;
                    continue;
                }
                let (clause, level) = self.learn(conflict);
                self.back_to(level);
                let first = clause[0];
                let reason = (clause.len() > 1).then(|| self.keep(clause));
                self.set(first, reason);
                continue;
            }
            let next = match assumptions.get(self.levels.len()) {
                Some(&lit) if self.value(lit) == Some(false) => {
                    return Ok(Some(self.used(lit)));
                }
                Some(&lit) => lit,
                None => match self.undecided() {
                    Some(lit) => lit,
                    None => return Ok(None),
                },
            };
            self.levels.push(self.trail.len());
            if self.value(next).is_none() {
                self.set(next, None);
            }
        }
    }

    /// What to decide next.
    fn undecided(&mut self) -> Option<Lit> {
        while let Some((_, var)) = self.open.pop_first() {
            let known = &self.vars[var];
            if known.value.is_none() {
                return Some(Lit((var as u32) << 1 | u32::from(!known.last)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::{RngExt as _, SeedableRng as _};
    use rand_chacha::ChaCha8Rng;

    /// Clauses of three literals over this number of variables.
    fn random(rng: &mut ChaCha8Rng, vars: u32, clauses: usize) -> Vec<Vec<(u32, bool)>> {
        let mut literal = |_| (rng.random_range(0..vars), rng.random_bool(0.5));
        (0..clauses).map(|_| (0..3).map(&mut literal).collect()).collect()
    }

    /// Random clauses, added in two parts, under assumptions: against all values of all variables.
    #[test]
    fn it_answers_as_all_values_do() {
        let interrupt = Interrupt::default();
        let (mut rng, vars) = (ChaCha8Rng::seed_from_u64(7), 9);
        let mut refuted = 0;
        for round in 0..2000 {
            let count = 10 + round % 40;
            let clauses = random(&mut rng, vars, count);
            let mut tried = Clauses::default();
            let lits: Vec<Lit> = (0..vars).map(|_| tried.fresh()).collect();
            let lit =
                |(var, holds): (u32, bool)| if holds { lits[var as usize] } else { !lits[var as usize] };
            for (part, end) in [count / 2, count].into_iter().enumerate() {
                for clause in &clauses[part * (count / 2)..end] {
                    tried.add(&clause.iter().copied().map(lit).collect::<Vec<_>>());
                }
                let assumed = random(&mut rng, vars, 1).remove(0);
                let holds = |values: u32, it: &(u32, bool)| (values >> it.0 & 1 == 1) == it.1;
                let possible = |assumed: &[(u32, bool)]| {
                    (0..1 << vars).any(|values| {
                        assumed.iter().all(|it| holds(values, it))
                            && clauses[..end].iter().all(|clause| clause.iter().any(|it| holds(values, it)))
                    })
                };
                let assumptions: Vec<Lit> = assumed.iter().copied().map(lit).collect();
                match tried.solve(&assumptions, &interrupt).expect("it may run") {
                    None => {
                        let true_in = |it: &(u32, bool)| tried.value(lit(*it)) == Some(true);
                        assert!(assumed.iter().all(true_in));
                        assert!(clauses[..end].iter().all(|clause| clause.iter().any(true_in)));
                    }
                    Some(used) => {
                        refuted += 1;
                        let core: Vec<_> =
                            assumed.into_iter().filter(|it| used.contains(&lit(*it))).collect();
                        assert!(used.iter().all(|it| core.iter().any(|other| lit(*other) == *it)));
                        assert!(!possible(&core), "{clauses:?} {core:?}");
                    }
                }
            }
        }
        assert!(refuted > 500, "{refuted}");
    }
}
