//! Value ranges: for each enum variable a set of constructors that contains the value of every cell in
//! every reachable state.
//!
//! The set is the least fixpoint of two rules.
//!
//! 1. *Init.* The set contains every value that a cell can have in an initial state. An instance of init
//!    satisfies one of its disjuncts, it is not known which, and different instances may satisfy
//!    different ones. A global is bounded by a disjunct's literals about it, so its values are among the
//!    union of these bounds over all disjuncts; the same for the disjuncts of the instance without
//!    processes. For an array, fix one pattern of distinct parameters `A[x,y]`: for every tuple of
//!    processes some disjunct bounds exactly that cell, so the union of the bounds on `A[x,y]` over all
//!    disjuncts holds for all cells. (Different patterns in different disjuncts, repeated parameters, and
//!    process constants do not reach every cell and bound nothing.) A disjunct that does not bound the
//!    cell contributes all constructors. Bounds are propagated through equalities of one disjunct.
//! 2. *Step.* If every cell is in its set before a step, it is so afterwards: a transition contributes
//!    the values of each branch. A transition whose guard, or a branch whose condition, demands a value
//!    outside the sets cannot fire from such a state and contributes nothing; if a later iteration
//!    enlarges the sets, it is examined again. A value that is itself a cell contributes the set of its
//!    variable, less what guard and condition exclude for that very cell, since all of them read the old
//!    state.
//!
//! By induction over runs every reachable state is within the sets.

use super::{
    Assignment, Branch, Cell, Conj, Dnf, Literal, ProcRef, System, SystemParts, Term, Type, VarId, VarKind,
};
use crate::list::add_new;

impl System {
    /// The same system with the range of every enum variable set to all constructors.
    #[must_use]
    pub fn without_ranges(&self) -> Self {
        let mut system = self.clone();
        forget(&mut system.0);
        system
    }
}

fn forget(system: &mut SystemParts) {
    let all: Vec<u64> = system.vars.iter().map(|var| system.all_values(var.ty)).collect();
    for (var, all) in system.vars.iter_mut().zip(all) {
        var.range = all;
    }
}

/// Sets the range of every enum variable.
pub(super) fn infer(system: &mut SystemParts) {
    // No value at all: there is no initial state with such a cell. The ranges of others must not rest on
    // that, since no range says it.
    let any_value = |var: VarId| match initial(system, var) {
        0 => system.all_values(system.var(var).ty),
        some => some,
    };
    let mut ranges: Vec<u64> = (0..system.vars.len()).map(|i| any_value(VarId(i as u16))).collect();
    loop {
        let before = ranges.clone();
        for transition in &system.transitions {
            if !satisfiable(&transition.guard, &ranges) {
                continue;
            }
            for update in &transition.updates {
                let var = &system.vars[update.var.0 as usize];
                if !matches!(var.ty, Type::Enum(_)) {
                    continue;
                }
                let added = match &update.assignment {
                    Assignment::Nondet => system.all_values(var.ty),
                    Assignment::Cases(branches) => branches
                        .iter()
                        .fold(0, |set, branch| set | contribution(branch, &transition.guard, &ranges)),
                };
                ranges[update.var.0 as usize] |= added;
            }
        }
        if ranges == before {
            break;
        }
    }
    for (var, range) in system.vars.iter_mut().zip(ranges) {
        var.range = range;
    }
}

/// Whether the value sets do not exclude the conjunction.
fn satisfiable(conj: &Conj, ranges: &[u64]) -> bool {
    conj.iter().all(|literal| match literal {
        Literal::In { cell, values } => ranges[cell.var.0 as usize] & values != 0,
        Literal::Eq { left: Term::Cell(a), right: Term::Cell(b), negated: false } => {
            // Non-enum ranges are all ones.
            ranges[a.var.0 as usize] & ranges[b.var.0 as usize] != 0
        }
        _ => true,
    })
}

/// The values that a branch can assign.
fn contribution(branch: &Branch, guard: &Conj, ranges: &[u64]) -> u64 {
    branch.when.0.iter().filter(|when| satisfiable(when, ranges)).fold(0, |set, when| {
        set | match &branch.value {
            Term::Constructor(c) => 1 << c,
            Term::Cell(cell) => {
                let bounds = guard.iter().chain(when).filter_map(|literal| match literal {
                    Literal::In { cell: other, values } if other == cell => Some(*values),
                    _ => None,
                });
                bounds.fold(ranges[cell.var.0 as usize], |set, values| set & values)
            }
            Term::Proc(_) | Term::Linear(_) => 0,
        }
    })
}

/// The values that a cell can have in an initial state.
fn initial(system: &SystemParts, id: VarId) -> u64 {
    let var = system.var(id);
    if !matches!(var.ty, Type::Enum(_)) {
        return u64::MAX;
    }
    let all = system.all_values(var.ty);
    let init = &system.init;
    let VarKind::Array(arity) = var.kind else {
        let cell = Cell::global(id);
        let some = union(&init.body, &cell, all);
        // With process constants there is always a process.
        let none = if system.proc_constants > 0 { 0 } else { union(&init.without_processes, &cell, all) };
        return some | none;
    };
    patterns(&init.body, id, usize::from(arity))
        .iter()
        .fold(all, |set, cell| set & union(&init.body, cell, all))
}

/// The cells of `var` in a formula whose indices are distinct parameters.
fn patterns(dnf: &Dnf, var: VarId, arity: usize) -> Vec<Cell> {
    let mut found: Vec<Cell> = Vec::new();
    for literal in dnf.0.iter().flatten() {
        let bounds = matches!(literal, Literal::In { .. } | Literal::Eq { negated: false, .. });
        for cell in literal.cells().into_iter().filter(|_| bounds) {
            let distinct =
                |(i, p): (usize, &ProcRef)| matches!(p, ProcRef::Var(_)) && !cell.index[..i].contains(p);
            if cell.var == var
                && cell.index.len() == arity
                && cell.index.iter().enumerate().all(distinct)
                && !found.contains(cell)
            {
                found.push(cell.clone());
            }
        }
    }
    found
}

/// The union over all disjuncts of what each allows for the cell.
fn union(dnf: &Dnf, cell: &Cell, all: u64) -> u64 {
    dnf.0.iter().fold(0, |set, conj| set | bound(conj, cell, all))
}

/// The values that a conjunction allows for the cell, through equalities too.
fn bound(conj: &Conj, cell: &Cell, all: u64) -> u64 {
    let mut equal = vec![cell];
    let mut next = 0;
    while let Some(&this) = equal.get(next) {
        next += 1;
        for literal in conj {
            if let Literal::Eq { left: Term::Cell(a), right: Term::Cell(b), negated: false } = literal {
                let other = if a == this {
                    b
                } else if b == this {
                    a
                } else {
                    continue;
                };
                add_new(&mut equal, other);
            }
        }
    }
    conj.iter().fold(all, |set, literal| match literal {
        Literal::In { cell, values } if equal.contains(&cell) => set & values,
        _ => set,
    })
}
