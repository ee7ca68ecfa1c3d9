//! Initial states, symbolically: the instantiated init as a disjunction of leaves.

use super::ground::{GroundConj, GroundDnf, Grounder, Lit, Overflow, push};
use super::machine::Unbuildable;
use crate::model::Type;
use crate::model::semantics::tuples;

/// One way to meet the instantiated init: a set of values for each cell, and what relates cells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Leaf {
    /// For each cell of finite type, its values as in [`Lit::In`]; 0 for other types.
    pub sets: Vec<u128>,
    /// All other literals.
    pub rest: GroundConj,
}

/// Leaves beyond this many are refused: the instance is too large.
const MAX_LEAVES: usize = 1 << 18;

impl From<Overflow> for Unbuildable {
    fn from(_: Overflow) -> Self {
        Self::Numbers
    }
}

/// The leaves of the instance; every initial state satisfies one of them, and conversely.
pub(super) fn leaves(grounder: &Grounder<'_>, full: &[u128]) -> Result<Vec<Leaf>, Unbuildable> {
    let init = &grounder.system.init;
    let procs = grounder.layout.procs;
    let mut clauses: Vec<GroundDnf> = Vec::new();
    if procs == 0 {
        clauses.push(grounder.dnf(&init.without_processes, &[])?);
    } else {
        for tuple in tuples(procs, usize::from(init.params)) {
            let clause = grounder.dnf(&init.body, &tuple)?;
            if !clauses.contains(&clause) {
                clauses.push(clause);
            }
        }
    }
    let mut first = Leaf { sets: full.to_vec(), rest: Vec::new() };
    // Deterministic clauses first: they prune the choices of the others.
    clauses.sort_by_key(|c| c.len().min(2));
    let mut choices = Vec::new();
    for clause in clauses {
        match clause.as_slice() {
            [] => return Ok(Vec::new()),
            [conj] => {
                if !first.assume(conj) {
                    return Ok(Vec::new());
                }
            }
            _ => choices.push(clause),
        }
    }
    let mut out = Vec::new();
    branch(&choices, first, &mut out)?;
    let mut seen: Vec<Leaf> = Vec::with_capacity(out.len());
    for leaf in out {
        if seen.len() > 4096 || !seen.contains(&leaf) {
            seen.push(leaf);
        }
    }
    Ok(seen)
}

fn branch(choices: &[GroundDnf], leaf: Leaf, out: &mut Vec<Leaf>) -> Result<(), Unbuildable> {
    let mut stack = vec![(choices, leaf)];
    while let Some((choices, leaf)) = stack.pop() {
        let Some((clause, others)) = choices.split_first() else {
            if out.len() >= MAX_LEAVES {
                return Err(Unbuildable::TooLarge);
            }
            out.push(leaf);
            continue;
        };
        if clause.iter().any(|conj| leaf.implies(conj)) {
            stack.push((others, leaf));
            continue;
        }
        // Pushed in reverse, so that leaves come out in the order of the disjuncts.
        for conj in clause.iter().rev() {
            let mut next = leaf.clone();
            if next.assume(conj) {
                stack.push((others, next));
            }
        }
    }
    Ok(())
}

impl Leaf {
    /// Adds a conjunction; false when nothing is left.
    fn assume(&mut self, conj: &GroundConj) -> bool {
        conj.iter().all(|lit| match lit {
            Lit::In { cell, values } => {
                self.sets[*cell] &= values;
                self.sets[*cell] != 0
            }
            other => push(&mut self.rest, other.clone()),
        })
    }

    /// Whether each literal of `conj` is already part of this leaf.
    fn implies(&self, conj: &GroundConj) -> bool {
        conj.iter().all(|lit| match lit {
            Lit::In { cell, values } => self.sets[*cell] & !values == 0,
            other => self.rest.contains(other),
        })
    }
}

/// All values of each cell, as in [`Lit::In`]; 0 for cells of infinite type.
pub(super) fn full_sets(grounder: &Grounder<'_>) -> Vec<u128> {
    let procs = grounder.layout.procs;
    let mut sets = Vec::with_capacity(grounder.layout.len());
    for var in &grounder.system.vars {
        let set = match var.ty {
            Type::Enum(e) => u128::from(grounder.system.enumeration(e).all()),
            Type::Proc => (1u128 << (procs + 1)) - 1,
            Type::Int | Type::Real | Type::Abstract(_) => 0,
        };
        sets.extend(std::iter::repeat_n(set, procs.pow(var.arity() as u32)));
    }
    sets
}
