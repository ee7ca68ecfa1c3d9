//! Tails: universal clauses over all processes that a ghost array of a proof stands for.

use super::{Cell, Conj, Literal, ProcRef, System, VarKind};

/// A clause `forall n. C(x; n)` over constants x and different bound processes n, each of which may be a constant.
///
/// A proof adds an array G of `bool` to the model, with one index for each constant; a global, where there is none. Whenever the clause holds at some
/// processes, G is true there: G is true initially; a step makes it false only where the clause fails for a process after the step, and true
/// wherever it may have made the clause hold. So a literal `G[x] = True` beside a guard that implies the clause changes no behaviour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Tail {
    /// How many constants there are: [`ProcRef::Var`] 0, 1, ..; the bound processes come after them.
    pub constants: u8,
    /// How many bound processes there are; at least one.
    pub bound: u8,
    /// The negation of C: all of these literals, each of which says which constructors an enum cell holds.
    pub denial: Conj,
}

impl Tail {
    /// All processes of the clause, the constants first.
    pub const fn params(&self) -> u8 {
        self.constants + self.bound
    }

    /// The bound processes.
    pub fn bound_processes(&self) -> impl Iterator<Item = ProcRef> + use<> {
        (self.constants..self.params()).map(ProcRef::Var)
    }

    /// What the array is.
    pub const fn kind(&self) -> VarKind {
        if self.constants == 0 { VarKind::Global } else { VarKind::Array(self.constants) }
    }

    /// The sorts of the constants, where the declarations of the cells say them.
    pub fn sorts(&self, system: &System) -> Vec<Option<u8>> {
        let of = |constant: u8| {
            let at = |cell: &Cell| {
                let indices = cell.index.iter().enumerate();
                indices
                    .filter(|(_, p)| **p == ProcRef::Var(constant))
                    .find_map(|(at, _)| system.index_sort(cell.var, at))
            };
            self.denial.iter().flat_map(Literal::cells).find_map(at)
        };
        (0..self.constants).map(of).collect()
    }

    /// That the array `ghost` is true, or false, at these processes.
    pub fn literal(ghost: super::VarId, index: impl IntoIterator<Item = ProcRef>, holds: bool) -> Literal {
        Literal::is(Cell::at(ghost, index), holds)
    }
}

/// Names of the arrays for some tails, in order: none is a name of the system.
pub fn tail_names(system: &System, tails: &[Tail]) -> Vec<String> {
    free_names(system, "Tail", tails.len())
}

/// The first names that begin so, go on with a number, and are none of the system.
fn free_names(system: &System, prefix: &str, count: usize) -> Vec<String> {
    let constructors =
        system.enums.iter().flat_map(|it| it.constructors.iter().chain(it.words()).chain([&it.name]));
    let taken: Vec<&String> = system.vars.iter().map(|it| &it.name).chain(constructors).collect();
    let free = (1..).map(|n| format!("{prefix}{n}")).filter(|name| !taken.contains(&name));
    free.take(count).collect()
}

/// Names of the variables that note bad states of a derived system, in order: none is a name of the system.
pub fn note_names(system: &System, count: usize) -> Vec<String> {
    free_names(system, "Noted", count)
}
