//! Satisfiability of clauses under assumptions, and the assumptions that a refutation used.

pub use batsat::Lit;
use batsat::{Callbacks, Solver, SolverInterface, lbool};
use cubicle_run::{Interrupt, Interrupted};

/// Ends the solver with the run.
#[derive(Default)]
struct Until(Interrupt);

impl Callbacks for Until {
    fn stop(&self) -> bool {
        self.0.poll().is_err()
    }
}

#[derive(Default)]
pub struct Clauses(Solver<Until>);

impl Clauses {
    /// A new variable.
    pub fn fresh(&mut self) -> Lit {
        Lit::new(self.0.new_var_default(), true)
    }

    /// The value in the solution that was found last.
    pub fn value(&self, lit: Lit) -> Option<bool> {
        let value = *self.0.get_model().get(lit.var().idx() as usize)? ^ !lit.sign();
        (value != lbool::UNDEF).then_some(value == lbool::TRUE)
    }

    pub fn add(&mut self, clause: &[Lit]) {
        self.0.add_clause_reuse(&mut clause.to_vec());
    }

    /// Those of the assumptions that contradict the clauses; `None` where there is a solution.
    pub fn solve(
        &mut self,
        assumptions: &[Lit],
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<Lit>>, Interrupted> {
        self.0.cb_mut().0 = interrupt.clone();
        loop {
            let found = self.0.solve_limited(assumptions);
            if found != lbool::UNDEF {
                // The core is a clause: one of the assumptions is false.
                return Ok(
                    (found == lbool::FALSE).then(|| self.0.unsat_core().iter().map(|it| !*it).collect())
                );
            }
            interrupt.check()?;
        }
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
