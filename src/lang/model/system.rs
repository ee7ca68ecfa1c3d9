//! The meaning of one `.cub` file as a whole.

use std::ops::Deref;

use indexmap::IndexMap;

use super::counts::{Count, counted};
use super::families::Families;
use super::ir::{
    Axiom, Bad, Cell, Dnf, EnumDecl, EnumId, Init, Linear, Literal, ProcRef, Transition, TransitionId, Type,
    Var, VarId, VarKind,
};
use super::temporal::{Fairness, Temporal};
use crate::diagnostic::Span;
use crate::list::sequences;

/// A parameterized system: the meaning of one `.cub` file.
///
/// Its parts are read as if they were fields (`system.vars`), and cannot be changed: [`System::edited`] makes another system of
/// changed parts. Both that and [`System::new`] derive what follows from the parts, so that ranges, axioms and orders are
/// never those of another system. Engines trust what is derived: they drop a cube that is outside of the ranges, and rename
/// processes that are not ordered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct System(pub(super) SystemParts);

/// The parts of a system.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemParts {
    /// Upper bound on the number of processes, when declared; at least 1.
    pub max_procs: Option<u32>,
    /// Number m of rigid process constants: `#1 .. #m` exist and are distinct, so every instance has
    /// at least m processes. 0 when the file names none.
    pub proc_constants: u8,
    /// Enum types; the first is `bool`.
    pub enums: Vec<EnumDecl>,
    /// Names of abstract types.
    pub abstracts: Vec<String>,
    /// Globals, constants and arrays in file order.
    pub vars: Vec<Var>,
    /// Those of the variables that count processes, in the order of these.
    pub counts: Vec<Count>,
    /// Initial states, as far as the axioms allow them.
    pub init: Init,
    /// Assumptions about all initial states, and so about all reachable ones, in file order.
    pub axioms: Vec<Axiom>,
    /// `invariant` and `unsafe` cubes, in order of [`Bad::number`]; the numbers of axioms are left out.
    pub bad: Vec<Bad>,
    /// Transitions in file order.
    pub transitions: Vec<Transition>,
    /// Names of the declared transitions that never fire, since their guards contradict themselves: they are not among the transitions.
    pub impossible: Vec<String>,
    /// Properties of runs, in file order.
    pub temporal: Vec<Temporal>,
    /// The fairness that properties of runs may assume, in file order.
    pub fairness: Vec<Fairness>,
    /// [`Transition::origin`] of the steps by which processes fail, if they may: no run has to take one, so that a run may
    /// stay for ever in a state where nothing else is possible.
    pub failures: Option<u16>,
    /// The sorts of processes, in a model that declares any.
    pub sorts: Option<ProcessSorts>,
    /// Arrays that hold processes, one in each cell of every state, and that no transition assigns: which ones, axioms say.
    pub witnesses: Vec<VarId>,
    /// How variables were made that stand for another one of the text. Nothing but what is shown depends on it.
    pub families: Families,
    /// Whether something outside of the system orders processes: a formula to be evaluated in its states.
    pub asks_for_order: bool,
    /// Derived: whether any literal orders processes, so that renaming them is not a symmetry.
    pub orders_processes: bool,
}

/// The sorts of the processes of a model: each is of the one that an array says, which no transition assigns.
///
/// The array and the conditions on it are parts of the system like any others. What is said here follows from how the
/// system was made: it makes engines fast, and is not needed for their answers to be right.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessSorts {
    /// Their names; the values of the array are their numbers.
    pub names: Vec<String>,
    /// The array.
    pub array: VarId,
    /// For each array of the model, the sorts of its indices: no formula reads, and no step changes, its cells at other
    /// processes. `None`: of any sort.
    pub indices: IndexMap<VarId, Vec<Option<u8>>>,
    /// For each variable that points to processes, their sort; any other process is to it as a value that is not a process.
    pub pointed: IndexMap<VarId, u8>,
    /// Where only instances with certain numbers of processes of each sort are meant: these numbers.
    pub sizes: Option<Vec<usize>>,
}

impl ProcessSorts {
    /// The number of a sort.
    pub fn number(&self, name: &str) -> Option<u8> {
        self.names.iter().position(|it| it == name).and_then(|it| u8::try_from(it).ok())
    }

    /// The sort of an index of a variable's cells; `None` where it may be any.
    pub fn of_index(&self, var: VarId, index: usize) -> Option<u8> {
        self.indices.get(&var)?.get(index).copied().flatten()
    }

    /// The ways to divide processes among the sorts; in each, the first processes are of the first sort. Renaming makes any
    /// other way one of these, since no formula compares processes of different sorts.
    pub fn divisions(&self, procs: usize) -> Vec<Vec<u8>> {
        if let Some(sizes) = &self.sizes {
            let of_each = (0..).zip(sizes).flat_map(|(sort, size)| std::iter::repeat_n(sort, *size));
            return std::iter::once(of_each.collect::<Vec<u8>>()).filter(|it| it.len() == procs).collect();
        }
        let next = |known: &[u8]| (known.last().copied().unwrap_or(0)..self.names.len() as u8).collect();
        sequences(procs, next).collect()
    }
}

impl Deref for System {
    type Target = SystemParts;

    fn deref(&self) -> &SystemParts {
        &self.0
    }
}

/// For tests of semantics, which do not use derived data.
#[cfg(test)]
impl std::ops::DerefMut for System {
    fn deref_mut(&mut self) -> &mut SystemParts {
        &mut self.0
    }
}

impl System {
    /// A copy of its parts, to be changed and made a system again.
    pub fn to_parts(&self) -> SystemParts {
        self.0.clone()
    }

    /// The system with other names for what its variables were made of.
    #[must_use]
    pub fn with_families(mut self, families: Families) -> Self {
        self.0.families = families;
        self
    }

    /// The system as its text in the core language means it: with the names of the core.
    #[must_use]
    pub fn in_core(&self) -> Self {
        let mut system = self.clone().with_families(Families::default());
        for it in &mut system.0.enums {
            it.constructors = it.words().to_vec();
            it.words = Vec::new();
        }
        system
    }

    /// The system with changed parts.
    #[must_use]
    pub fn edited(&self, edit: impl FnOnce(&mut SystemParts)) -> Self {
        let mut parts = self.to_parts();
        edit(&mut parts);
        Self::new(parts)
    }
}

impl SystemParts {
    /// The declarations that the axioms come from, in file order.
    pub fn assumed(&self) -> Vec<Span> {
        let mut spans: Vec<Span> = self.axioms.iter().map(|axiom| axiom.span).collect();
        spans.dedup();
        spans
    }

    /// The transitions that fairness applies to.
    pub fn asked_by<'s>(&'s self, fairness: &'s Fairness) -> impl Iterator<Item = &'s Transition> {
        self.transitions.iter().filter(|it| fairness.is_about(it))
    }

    /// The name that fairness was declared for.
    pub fn name_of(&self, fairness: &Fairness) -> &str {
        self.transitions.iter().find(|it| fairness.is_about(it)).map_or("", |it| it.name.as_str())
    }

    /// Whether any step or property depends on processes. All instances of a system where
    /// none does are the same.
    pub fn has_processes(&self) -> bool {
        let of_variable = |var: &Var| var.arity() > 0 || var.ty == Type::Proc;
        let of_transition = |it: &Transition| it.arity() > 0 || !it.universals.is_empty();
        self.proc_constants > 0
            || !self.counts.is_empty()
            || !self.axioms.is_empty()
            || self.vars.iter().any(of_variable)
            || self.transitions.iter().any(of_transition)
            || self.temporal.iter().any(Temporal::has_processes)
            || self.init.body != self.init.without_processes
    }

    /// The declaration of `id`.
    pub fn var(&self, id: VarId) -> &Var {
        &self.vars[id.0 as usize]
    }

    /// What the text calls a variable: `X`, `Net.kind`.
    pub fn title(&self, id: VarId) -> String {
        self.families.variable(&self.var(id).name)
    }

    /// The declaration of enum `id`.
    pub fn enumeration(&self, id: EnumId) -> &EnumDecl {
        &self.enums[id.0 as usize]
    }

    /// All constructors of a type that is an enum, as a set.
    pub fn all_values(&self, ty: Type) -> u64 {
        match ty {
            Type::Enum(id) => self.enumeration(id).all(),
            _ => u64::MAX,
        }
    }

    /// The names of the values of a cell of enum type; none of another one.
    pub fn constructors(&self, cell: &Cell) -> &[String] {
        match self.var(cell.var).ty {
            Type::Enum(id) => &self.enumeration(id).constructors,
            _ => &[],
        }
    }

    /// A type as the user writes it.
    pub fn type_name(&self, ty: Type) -> &str {
        match ty {
            Type::Proc => "proc",
            Type::Int => "int",
            Type::Real => "real",
            Type::Enum(id) => &self.enumeration(id).name,
            Type::Abstract(id) => &self.abstracts[id.0 as usize],
        }
    }

    /// The transition `id`.
    pub fn transition(&self, id: TransitionId) -> &Transition {
        &self.transitions[id.0 as usize]
    }
}

impl SystemParts {
    /// The array that says of which sort each process is, in a model with sorts.
    pub fn sort_array(&self) -> Option<VarId> {
        self.sorts.as_ref().map(|sorts| sorts.array)
    }

    /// The process that a literal is about and the sorts that it allows, as a set, where it says nothing else.
    pub fn sorts_of(&self, literal: &Literal) -> Option<(ProcRef, u64)> {
        match literal {
            Literal::In { cell, values } if Some(cell.var) == self.sort_array() => {
                Some((cell.index[0], *values))
            }
            _ => None,
        }
    }

    /// The process that a literal is about and its sort, where it says nothing else.
    pub fn sort_of(&self, literal: &Literal) -> Option<(ProcRef, &str)> {
        let (process, sorts) = self.sorts_of(literal).filter(|it| it.1.is_power_of_two())?;
        let name = self.sorts.as_ref()?.names.get(sorts.trailing_zeros() as usize)?;
        Some((process, name.as_str()))
    }

    /// The sort of an index of a variable's cells; `None` where it may be any.
    pub fn index_sort(&self, var: VarId, index: usize) -> Option<u8> {
        self.sorts.as_ref()?.of_index(var, index)
    }

    /// The sort of the processes that a variable points to; `None` where it may be any.
    pub fn pointed_sort(&self, var: VarId) -> Option<u8> {
        self.sorts.as_ref()?.pointed.get(&var).copied()
    }

    /// For each sort, how many variables name a process of it: they hold one, and no step assigns them.
    pub fn named_of_sorts(&self) -> Vec<usize> {
        let Some(sorts) = &self.sorts else { return Vec::new() };
        let is_constant = |id: VarId, var: &Var| var.arity() == 0 && !self.changes(id);
        let of = |sort: u8| {
            let names = self.declared().filter(|(id, var)| is_constant(*id, var));
            names.filter(|(id, _)| self.pointed_sort(*id) == Some(sort)).count()
        };
        (0..sorts.names.len() as u8).map(of).collect()
    }

    /// Whether a transition only notes that a bad state was reached, of which something holds for all processes.
    pub fn is_watch(&self, t: &Transition) -> bool {
        self.bad.iter().any(|it| it.span == t.span)
    }

    /// What a variable counts, if it does.
    pub fn count_of(&self, var: VarId) -> Option<&Count> {
        self.counts.iter().find(|count| count.var == var)
    }

    /// The variables that make up a state: all but the counts, with their ids.
    pub fn declared(&self) -> impl Iterator<Item = (VarId, &Var)> {
        let all = (0..).map(VarId).zip(&self.vars);
        all.filter(|(id, _)| self.count_of(*id).is_none())
    }

    /// The numbers of all variables.
    pub fn var_ids(&self) -> impl Iterator<Item = VarId> + use<> {
        (0..self.vars.len() as u16).map(VarId)
    }

    /// Whether some step may change the variable.
    pub fn changes(&self, var: VarId) -> bool {
        self.transitions.iter().any(|t| self.may_change(t, var))
    }

    /// Whether a step of the transition may change the variable: it assigns it, or something that it counts.
    pub fn may_change(&self, t: &Transition, var: VarId) -> bool {
        let assigns = |var: VarId| t.assignment(var).is_some();
        match self.count_of(var) {
            Some(count) => count.reads().into_iter().any(assigns),
            None => assigns(var),
        }
    }

    /// Adds a variable; `None` when there are too many.
    pub fn declare(&mut self, name: String, kind: VarKind, ty: Type, span: Span) -> Option<VarId> {
        let id = VarId::new(self.vars.len())?;
        self.vars.push(Var { name, kind, ty, range: u64::MAX, span });
        Some(id)
    }

    /// The number of a further declaration of a transition.
    pub fn next_origin(&self) -> u16 {
        self.transitions.iter().map(|it| it.origin.saturating_add(1)).max().unwrap_or(0)
    }

    /// Asks for these bad states in place of its own, and for nothing of runs.
    pub fn ask(&mut self, bad: Vec<Bad>) {
        self.bad = bad;
        (self.temporal, self.fairness) = (Vec::new(), Vec::new());
    }

    /// The variable with `indices` indices that counts this, added where there is none; `None` when there are too many
    /// variables.
    pub fn counted(&mut self, indices: u8, body: Dnf, summand: Option<Linear>, span: Span) -> Option<VarId> {
        counted(&mut self.vars, &mut self.counts, indices, body, summand, span)
    }

    /// Whether counts, axioms or assignments of other variables read a variable.
    pub fn is_read_beside_guards(&self, var: VarId) -> bool {
        let assigned = |t: &Transition| {
            let others = t.updates.iter().filter(|it| it.var != var);
            others.flat_map(|it| it.assignment.branches()).any(|branch| {
                branch.when.0.iter().flatten().any(|it| it.reads(var))
                    || branch.value.cells().iter().any(|cell| cell.var == var)
            })
        };
        self.counts.iter().any(|it| it.reads().contains(&var))
            || self.axioms.iter().flat_map(|it| &it.cube).any(|it| it.reads(var))
            || self.transitions.iter().any(assigned)
    }

    /// The variables that a literal reads, and for a count those that it counts, too.
    pub(super) fn reads(&self, literal: &Literal) -> Vec<VarId> {
        let all: Vec<VarId> = literal.vars().collect();
        let counted = all.iter().filter_map(|var| self.count_of(*var)).flat_map(Count::reads);
        all.iter().copied().chain(counted).collect()
    }
}

impl System {
    /// The system with further variables that count; they have the numbers after its own.
    #[must_use]
    pub fn with_counts(&self, counts: &[(Var, Count)]) -> Self {
        if counts.is_empty() {
            return self.clone();
        }
        self.edited(|parts| {
            parts.vars.extend(counts.iter().map(|it| it.0.clone()));
            parts.counts.extend(counts.iter().map(|it| it.1.clone()));
        })
    }
}
