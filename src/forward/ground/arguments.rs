//! Which processes the parameters of a formula may be: those of the sorts that it speaks of.

use cubicle_lang::model::semantics::rising_tuples_of;
use cubicle_lang::model::{Cell, Dnf, FormulaOfSorts, Literal, ProcRef, System, Universal, VarId};

/// The sorts of the processes of an instance in which they are the same in all states.
#[derive(Clone, Debug)]
pub struct FixedSorts {
    /// The array that says them.
    pub array: VarId,
    /// The sort of each process.
    pub of: Vec<u8>,
    /// How many processes are of each, by name.
    pub sizes: Vec<(String, usize)>,
}

impl FixedSorts {
    /// Those of the instance with `procs` processes, where the system says how many there are of each sort.
    pub fn new(system: &System, procs: usize) -> Option<Self> {
        let sorts = system.sorts.as_ref()?;
        let sizes = sorts.names.iter().cloned().zip(sorts.sizes.iter().flatten().copied());
        let of = sorts.sizes.as_ref().and_then(|_| sorts.divisions(procs).pop())?;
        Some(Self { array: system.sort_array()?, of, sizes: sizes.collect() })
    }

    /// The sorts that have processes.
    pub fn present(&self) -> Vec<u8> {
        let mut present = self.of.clone();
        present.dedup();
        present
    }

    /// The sort of each process; empty where they are not known.
    pub fn of(sorts: Option<&Self>) -> &[u8] {
        sorts.map_or(&[], |it| &it.of)
    }

    /// Whether a literal about the sort of a process holds; `None` for other literals.
    pub fn decides(&self, cell: &Cell, values: u64, env: &[usize]) -> Option<bool> {
        let sort = || self.of.get(cell.index[0].of(env));
        (cell.var == self.array).then(|| sort().is_some_and(|sort| values >> sort & 1 == 1))
    }
}

/// The processes that each parameter of a formula may be.
pub struct Arguments(Vec<Vec<usize>>);

impl Arguments {
    /// Those of a conjunction over this many parameters, in an instance with `procs` processes. Where the sorts of these are known, others of
    /// the sorts that the conjunction says do not satisfy it.
    pub fn new(conj: &[Literal], params: usize, procs: usize, sorts: Option<&FixedSorts>) -> Self {
        let may_be = |param: usize, p: usize| {
            sorts.is_none_or(|sorts| {
                conj.iter().all(|literal| match literal {
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
        Self((0..params).map(of).collect())
    }

    /// Processes of which a universal over `params` parameters and others says something: of those of other sorts it holds.
    pub fn of_universal(
        universal: &Universal,
        params: usize,
        system: &System,
        sorts: Option<&FixedSorts>,
        procs: usize,
    ) -> Self {
        let bound = usize::from(universal.bound);
        let Some(sorts) = sorts else { return Self(vec![(0..procs).collect(); bound]) };
        let mut body = FormulaOfSorts::new(system, &universal.body);
        let mut says = |param: usize, sort: u8| {
            let mut known = vec![None; params + bound];
            known[param] = Some(sort);
            !is_true(body.of(known))
        };
        let present = sorts.present();
        let mut of = |param: usize| {
            let said: Vec<u8> = present.iter().copied().filter(|sort| says(param, *sort)).collect();
            (0..procs).filter(|p| said.contains(&sorts.of[*p])).collect()
        };
        Self((params..params + bound).map(&mut of).collect())
    }

    /// Those of processes from this one on.
    pub fn not_below(mut self, first: usize) -> Self {
        self.0.iter_mut().for_each(|may_be| may_be.retain(|p| *p >= first));
        self
    }

    /// Parameters that are these processes, followed by those.
    pub fn after(&self, args: &[usize]) -> Self {
        Self(args.iter().map(|p| vec![*p]).chain(self.0.iter().cloned()).collect())
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
        let above = vec![None; self.0.len()];
        self.rising(above)
    }

    /// Of these the ones in which each place holds a larger process than the earlier place that `above` names for it, if any.
    pub fn rising(self, above: Vec<Option<usize>>) -> impl Iterator<Item = Vec<usize>> {
        rising_tuples_of(self.0, above)
    }
}

/// Whether nothing is left of a formula that could be false.
pub fn is_true(formula: &Dnf) -> bool {
    formula.0.iter().any(Vec::is_empty)
}
