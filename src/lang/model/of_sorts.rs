//! Formulas about processes whose sorts are known: what they say of other sorts is left out.

use std::collections::HashMap;

use super::{Conj, Dnf, Literal, ProcRef, SystemParts, Term, VarId};

/// A formula about parameters, for processes of known sorts.
///
/// In a model with sorts, `init` has a disjunct for each set of its parameters that are of their sorts: of most processes
/// only one of them can hold.
#[derive(Debug)]
pub struct FormulaOfSorts<'a> {
    formula: &'a Dnf,
    array: Option<VarId>,
    made: HashMap<Vec<Option<u8>>, Dnf>,
}

impl<'a> FormulaOfSorts<'a> {
    /// The formula, of a system.
    pub fn new(system: &SystemParts, formula: &'a Dnf) -> Self {
        Self { formula, array: system.sort_array(), made: HashMap::new() }
    }

    /// What the formula says of parameters of these sorts: it holds of them exactly when this does. `None`: the sort of this
    /// one is not known.
    pub fn of(&mut self, sorts: Vec<Option<u8>>) -> &Dnf {
        let Some(array) = self.array.filter(|_| sorts.iter().any(Option::is_some)) else {
            return self.formula;
        };
        let formula = self.formula;
        self.made.entry(sorts).or_insert_with_key(|sorts| {
            let decided = |literal: &Literal| decided(literal, array, sorts);
            let possible = |conj: &&Conj| conj.iter().all(|literal| decided(literal) != Some(false));
            let rest =
                |conj: &Conj| conj.iter().filter(|it| decided(it).is_none()).cloned().collect::<Conj>();
            let mut kept: Vec<Conj> = Vec::new();
            for conj in formula.0.iter().filter(possible).map(rest) {
                if !kept.contains(&conj) {
                    kept.push(conj);
                }
            }
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
        let Some(array) = self.sort_array() else { return said };
        for literal in conj {
            if let Literal::In { cell, values } = literal
                && let [ProcRef::Var(param)] = cell.index[..]
                && let (true, Some(sort)) = (cell.var == array, said.get_mut(usize::from(param)))
                && values.is_power_of_two()
            {
                *sort = Some(values.trailing_zeros() as u8);
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
    }
}
