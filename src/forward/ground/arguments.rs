//! Arguments of transitions: which processes a guard allows.

use super::formula::FixedSorts;
use cubicle_lang::model::{Literal, ProcRef, Transition};

/// The processes that each parameter of a transition may be, where the sorts of all processes are known: those of the sorts that the guard says.
pub struct Arguments(Vec<Vec<usize>>);

impl Arguments {
    /// Those of a transition in an instance with `procs` processes.
    pub fn new(t: &Transition, procs: usize, sorts: Option<&FixedSorts>) -> Self {
        let may_be = |param: usize, p: usize| {
            sorts.is_none_or(|sorts| {
                t.guard.iter().all(|it| match it {
                    Literal::In { cell, values }
                        if cell.var == sorts.array && cell.index[0] == ProcRef::Var(param as u8) =>
                    {
                        values >> sorts.of[p] & 1 == 1
                    }
                    _ => true,
                })
            })
        };
        let of = |param: usize| (0..procs).filter(|p| may_be(param, *p)).collect();
        Self((0..t.arity()).map(of).collect())
    }

    /// No fewer than there are tuples: those of parameters that may be the same processes are different.
    pub fn most(&self) -> usize {
        let of = |param: usize| {
            let same = self.0[..param].iter().filter(|it| **it == self.0[param]).count();
            self.0[param].len().saturating_sub(same)
        };
        (0..self.0.len()).map(of).fold(1, usize::saturating_mul)
    }

    /// The tuples of different processes, in lexicographic order.
    pub fn tuples(self) -> impl Iterator<Item = Vec<usize>> {
        let allowed = self.0;
        // The first tuple that begins with `tuple` and then with `least` or more, or comes later.
        let complete = move |mut tuple: Vec<usize>, mut least: usize| {
            while let Some(of) = allowed.get(tuple.len()) {
                if let Some(p) = of.iter().find(|p| **p >= least && !tuple.contains(p)) {
                    tuple.push(*p);
                    least = 0;
                } else {
                    least = tuple.pop()? + 1;
                }
            }
            Some(tuple)
        };
        std::iter::successors(complete(Vec::new(), 0), move |last| {
            let mut next = last.clone();
            let least = next.pop()? + 1;
            complete(next, least)
        })
    }
}
