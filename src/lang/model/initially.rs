//! Whether an initial state satisfies a cube, as far as a cheap procedure can tell.
//!
//! Init is universal: when some initial state satisfies the cube at some processes, the same state less all
//! other processes is an initial state of a smaller instance that does. So the instance with as many
//! processes as the cube has parameters decides; a cube without parameters is tried in the instances
//! with no and with one process.
//!
//! The ways to satisfy the instantiated init are tried within a budget. A way is excluded when two
//! literals contradict each other, and it surely has a state when all its literals bound one cell each by
//! a set of constructors or compare it with a process: such literals depend on each other only when they
//! are about one cell.

use super::dnf::{Sameness, simplify};
use super::semantics::{distinct_tuples, tuples};
use super::tuning::{MAX_INIT_PROCS, MAX_WAYS};
use super::{Axiom, Conj, Dnf, Literal, ProcRef, SystemParts, Term, rename};

/// Whether some initial state of some instance of `system` satisfies the cube for distinct processes; `None` when
/// that is not decided.
pub fn is_initially(system: &SystemParts, params: u8, cube: &Conj) -> Option<bool> {
    Initially::new(system).satisfies(params, cube)
}

/// The initial states of a system.
pub(super) struct Initially<'a> {
    system: &'a SystemParts,
    axioms: &'a [Axiom],
}

impl<'a> Initially<'a> {
    /// Those that satisfy init.
    pub fn without_axioms(system: &'a SystemParts) -> Self {
        Self { system, axioms: &[] }
    }

    /// Those that satisfy init and the axioms.
    pub fn new(system: &'a SystemParts) -> Self {
        Self { system, axioms: &system.axioms }
    }

    /// Whether some initial state of some instance satisfies the cube for distinct processes; `None` when
    /// that is not decided.
    pub fn satisfies(&self, params: u8, cube: &Conj) -> Option<bool> {
        // A parameter may be one of the process constants: several cases, which are left to the engines.
        if self.system.proc_constants > 0 {
            return None;
        }
        let sizes = if params == 0 { 0..=1 } else { params..=params };
        let mut answer = Some(false);
        for procs in sizes.map(usize::from).filter(|&procs| self.admits(procs)) {
            match self.of_size(procs, cube) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => answer = None,
            }
        }
        answer
    }

    fn admits(&self, procs: usize) -> bool {
        self.system.max_procs.is_none_or(|most| procs <= most as usize)
    }

    fn of_size(&self, procs: usize, cube: &Conj) -> Option<bool> {
        if procs > MAX_INIT_PROCS {
            return None;
        }
        let init = &self.system.init;
        let (body, params) =
            if procs == 0 { (&init.without_processes, 0) } else { (&init.body, init.params) };
        let of_init = tuples(procs, params.into()).map(|tuple| at(body, &tuple));
        let of_axioms = self.axioms.iter().flat_map(|axiom| {
            distinct_tuples(procs, axiom.params.into()).map(|tuple| at(&axiom.denial, &tuple))
        });
        let mut clauses: Vec<Vec<Conj>> = of_init.chain(of_axioms).collect::<Option<_>>()?;
        clauses.sort_by_key(Vec::len);
        // The cube's own processes, as they are.
        let own: Vec<usize> = (0..procs).collect();
        let cube = at(&Dnf(vec![cube.clone()]), &own)?.pop();
        let Some(cube) = cube.and_then(|cube| simplify(cube, SAME)) else { return Some(false) };
        let mut ways = MAX_WAYS;
        ways_to(&clauses, cube, &mut ways)
    }
}

/// Whether one way through `clauses` has a state that satisfies `chosen`.
fn ways_to(clauses: &[Vec<Conj>], chosen: Conj, ways: &mut usize) -> Option<bool> {
    let Some((clause, others)) = clauses.split_first() else {
        return chosen.iter().all(bounds_a_cell).then_some(true);
    };
    let mut answer = Some(false);
    for conj in clause {
        *ways = ways.checked_sub(1)?;
        let Some(both) = simplify([chosen.as_slice(), conj].concat(), SAME) else { continue };
        match ways_to(others, both, ways) {
            Some(true) => return Some(true),
            Some(false) => {}
            None => answer = None,
        }
    }
    answer
}

/// Whether the literal has one of the two forms that depend only on literals about the same cell.
fn bounds_a_cell(literal: &Literal) -> bool {
    match literal {
        Literal::In { .. } | Literal::Eq { left: Term::Cell(_), right: Term::Proc(_), .. } => true,
        Literal::Eq { .. } | Literal::Less { .. } | Literal::Linear { .. } => false,
    }
}

/// The formula at these processes, less disjuncts that are false by themselves; `None` when a number leaves
/// the 64-bit range.
fn at(dnf: &Dnf, procs: &[usize]) -> Option<Vec<Conj>> {
    let name = |p: ProcRef| p.renamed(|v| ProcRef::Var(procs[usize::from(v)] as u8));
    let mut disjuncts = Vec::with_capacity(dnf.0.len());
    for conj in &dnf.0 {
        let Some(conj) = rename::conj(conj, &name)? else { continue };
        // Different names are different processes here, in no known order.
        let mut literals = Conj::new();
        let mut holds = true;
        for literal in conj {
            match &literal {
                Literal::Eq { left: Term::Proc(a), right: Term::Proc(b), negated } => {
                    holds &= (a == b) != *negated;
                }
                _ => literals.push(literal),
            }
        }
        if holds {
            disjuncts.push(literals);
        }
    }
    Some(disjuncts)
}

/// Different names are different processes.
const SAME: &Sameness<'_> = &|a, b| Some(a == b);
