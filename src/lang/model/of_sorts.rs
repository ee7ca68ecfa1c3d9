//! Formulas about processes whose sorts are known: what they say of other sorts is left out.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};

use super::semantics::choices;
use super::{Conj, Dnf, Literal, ProcRef, SystemParts, Term, VarId};
use crate::list::{extend_new, sorted};

/// A formula about parameters, for processes of known sorts.
///
/// In a model with sorts, `init` has a disjunct for each set of its parameters that are of their sorts: of most processes
/// only one of them can hold.
#[derive(Debug)]
pub struct FormulaOfSorts<'a> {
    formula: Cow<'a, Dnf>,
    array: Option<VarId>,
    made: HashMap<Vec<Option<u8>>, Dnf>,
    /// What it says of processes of these sorts, with any parameters.
    said: HashMap<Vec<Option<u8>>, Arc<Vec<Said>>>,
}

/// A part of what a formula says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Said {
    /// What is said.
    pub part: Dnf,
    /// The parameters that it mentions, in increasing order, each with its sort.
    pub params: Vec<(usize, Option<u8>)>,
}

impl<'a> FormulaOfSorts<'a> {
    /// The formula, of a system.
    pub fn new(system: &SystemParts, formula: &'a Dnf) -> Self {
        Self::of_system(system, Cow::Borrowed(formula))
    }

    /// The same for a formula that may outlive the system.
    pub fn of_system(system: &SystemParts, formula: Cow<'a, Dnf>) -> Self {
        Self { formula, array: system.sort_array(), made: HashMap::new(), said: HashMap::new() }
    }

    /// Calls `tell` with tuples of processes of these sorts (`None`: not known) and parts of what the formula says of them: together they are all that
    /// it says of these processes. Parameters that a part does not mention are any process.
    ///
    /// # Errors
    /// The first one of `tell`, which ends it.
    pub fn instances<E>(
        &mut self,
        params: u8,
        sorts: &[Option<u8>],
        mut tell: impl FnMut(&[u8], &Dnf) -> Result<(), E>,
    ) -> Result<(), E> {
        let kinds = sorted(sorts.iter().copied());
        for Said { part, params: mentioned } in self.said(params, kinds).iter() {
            let of_sort = |sort| (0..).zip(sorts).filter(move |it| *it.1 == sort).map(|it| it.0);
            let processes: Vec<Vec<u8>> = mentioned.iter().map(|it| of_sort(it.1).collect()).collect();
            for tuple in choices(&processes) {
                let mut names = vec![0; params.into()];
                for (process, (param, _)) in tuple.into_iter().zip(mentioned) {
                    names[*param] = process;
                }
                tell(&names, part)?;
            }
        }
        Ok(())
    }

    /// What the formula says of processes of these sorts, in parts: literal by literal where it is a conjunction.
    pub fn said(&mut self, params: u8, kinds: Vec<Option<u8>>) -> Arc<Vec<Said>> {
        if let Some(known) = self.said.get(&kinds) {
            return Arc::clone(known);
        }
        let mut said = IndexSet::new();
        let alike: Vec<Vec<Vec<Option<u8>>>> = (0..params).map(|param| self.alike(param, &kinds)).collect();
        for chosen in choices(&alike) {
            let all = self.of(chosen.iter().map(|alike| alike[0]).collect());
            if all.0.iter().any(Conj::is_empty) {
                continue;
            }
            let parts: Vec<Dnf> = match &all.0[..] {
                [conj] => conj.iter().map(|it| Dnf(vec![vec![it.clone()]])).collect(),
                _ => vec![all.clone()],
            };
            for part in parts {
                let procs = part.0.iter().flatten().flat_map(Literal::procs);
                let is_mentioned = |param: &u8| procs.clone().any(|it| it == ProcRef::Var(*param));
                let mentioned: Vec<usize> = (0..params).filter(is_mentioned).map(usize::from).collect();
                let of_each = |param: &usize| chosen[*param].iter().map(|kind| (*param, *kind)).collect();
                let sorts = choices(&mentioned.iter().map(of_each).collect::<Vec<Vec<_>>>());
                said.extend(sorts.into_iter().map(|params| Said { part: part.clone(), params }));
            }
        }
        let said: Arc<Vec<Said>> = Arc::new(said.into_iter().collect());
        self.said.insert(kinds, Arc::clone(&said));
        said
    }

    /// Sorts in sets of which the formula says the same, where they are that of a parameter.
    fn alike(&self, param: u8, kinds: &[Option<u8>]) -> Vec<Vec<Option<u8>>> {
        let about = |literal: &&Literal| literal.procs().contains(&ProcRef::Var(param));
        let literals = || self.formula.0.iter().flatten().filter(about);
        let compares =
            literals().any(|it| matches!(it, Literal::Eq { left: Term::Proc(_), right: Term::Proc(_), .. }));
        let is_of = |kind: Option<u8>| {
            let sort = kind.map(|sort| move |values: u64| values >> sort & 1 == 1);
            let fits = |literal: &Literal| match literal {
                Literal::In { cell, values } if Some(cell.var) == self.array => {
                    sort.as_ref().map(|fits| fits(*values))
                }
                _ => None,
            };
            literals().map(fits).collect::<Vec<_>>()
        };
        let mut sets: IndexMap<(Option<Option<u8>>, Vec<Option<bool>>), Vec<Option<u8>>> = IndexMap::new();
        for kind in kinds {
            sets.entry((compares.then_some(*kind), is_of(*kind))).or_default().push(*kind);
        }
        sets.into_values().collect()
    }

    /// What the formula says of parameters of these sorts: it holds of them exactly when this does. `None`: the sort of this
    /// one is not known.
    pub fn of(&mut self, sorts: Vec<Option<u8>>) -> &Dnf {
        let Some(array) = self.array.filter(|_| sorts.iter().any(Option::is_some)) else {
            return &self.formula;
        };
        let formula = &self.formula;
        self.made.entry(sorts).or_insert_with_key(|sorts| {
            let decided = |literal: &Literal| decided(literal, array, sorts);
            let possible = |conj: &&Conj| conj.iter().all(|literal| decided(literal) != Some(false));
            let rest =
                |conj: &Conj| conj.iter().filter(|it| decided(it).is_none()).cloned().collect::<Conj>();
            let mut kept: Vec<Conj> = Vec::new();
            extend_new(&mut kept, formula.0.iter().filter(possible).map(rest));
            Dnf(kept)
        })
    }
}

/// Whether a literal about the sort of a parameter holds, where the sort is known, or whether two of known sorts are the same, where
/// these differ.
fn decided(literal: &Literal, array: VarId, sorts: &[Option<u8>]) -> Option<bool> {
    let sort = |it: ProcRef| match it {
        ProcRef::Var(param) => sorts.get(usize::from(param)).copied().flatten(),
        ProcRef::Const(_) => None,
    };
    match literal {
        Literal::In { cell, values } => {
            let [process] = cell.index[..] else { return None };
            sort(process).filter(|_| cell.var == array).map(|sort| values >> sort & 1 == 1)
        }
        Literal::Eq { left: Term::Proc(left), right: Term::Proc(right), negated } => {
            let (left, right) = (sort(*left)?, sort(*right)?);
            (left != right).then_some(*negated)
        }
        _ => None,
    }
}

impl SystemParts {
    /// The sorts that a conjunction says its first `params` parameters are of; `None` where it does not say which one.
    pub fn sorts_said(&self, conj: &Conj, params: usize) -> Vec<Option<u8>> {
        let mut said = vec![None; params];
        for (process, sorts) in conj.iter().filter_map(|it| self.sorts_of(it)) {
            if let ProcRef::Var(param) = process
                && let (true, Some(sort)) = (sorts.is_power_of_two(), said.get_mut(usize::from(param)))
            {
                *sort = Some(sorts.trailing_zeros() as u8);
            }
        }
        said
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_other_sorts_is_left_out() {
        let text = "type node < proc type lock < proc array Up[node] : bool array Held[node, lock] : bool
            init (n : node l : lock) { Up[n] = False && Held[n, l] = False } unsafe (n : node) { Up[n] = True }";
        let system = crate::load(text).expect("well-formed").system;
        let mut init = FormulaOfSorts::new(&system, &system.init.body);
        let mut parts = |sorts: [Option<u8>; 2]| {
            let found = init.of(sorts.to_vec());
            (found.0.len(), found.0.iter().map(Vec::len).sum::<usize>())
        };
        assert_eq!(parts([Some(0), Some(1)]), (1, 2), "both of their sorts");
        assert_eq!(parts([Some(0), Some(0)]), (1, 1), "the part about nodes");
        assert_eq!(parts([Some(1), Some(1)]), (1, 0), "nothing is said");
        assert_eq!(parts([Some(0), None]).0, 2);
        assert_eq!(parts([None, None]).0, system.init.body.0.len());
        assert_eq!(system.sorts_said(&system.bad[0].cube, 1), [Some(0)]);
        let mut told = |sorts: &[Option<u8>]| {
            let mut told = Vec::new();
            let all = init.instances(system.init.params, sorts, |names, _| {
                told.push(names.to_vec());
                Ok::<(), ()>(())
            });
            all.map(|()| told)
        };
        // Nothing but that a node is up is said of two nodes, and no more of a node for each lock.
        let nodes = [[0, 0], [1, 0]];
        assert_eq!(told(&[Some(0), Some(0)]), Ok(nodes.map(Vec::from).to_vec()));
        let pairs = [[0, 0], [1, 0], [0, 2], [1, 2]];
        assert_eq!(told(&[Some(0), Some(0), Some(1)]), Ok(pairs.map(Vec::from).to_vec()));
        assert_eq!(told(&[None, None]).map(|all| all.len()), Ok(4));
    }
}
