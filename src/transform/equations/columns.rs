//! The columns: what is counted, added up or watched in a state.

use std::ops::Range;

use cubicle_lang::model::semantics::choices;
use cubicle_lang::model::{Cell, Count, Equation, Literal, ProcRef, Rational, System, Type, VarId, VarKind};

use super::limits::MOST_COLUMNS;
use super::span::Row;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Column {
    /// The constant 1.
    One,
    /// The number of processes.
    Processes,
    /// The number of processes in a class of a group: the number of both.
    Class(usize, usize),
    /// The sum of a numeric array, over all processes, or over those in a class of a group: the number of both.
    Sum(VarId, Option<(usize, usize)>),
    /// 1 while a global of enum type holds a value, else 0.
    Holds(VarId, u8),
    /// A numeric global or constant.
    Number(VarId),
}

/// Arrays of enum type whose cells of one process are looked at together.
#[derive(Clone, Debug)]
pub struct Group {
    pub arrays: Vec<VarId>,
    /// The classes: for each array a value.
    pub classes: Vec<Vec<u8>>,
    /// The column of the first class.
    pub first: usize,
}

pub struct Columns<'a> {
    pub system: &'a System,
    /// The columns; the constant is the first, the number of processes the second.
    pub all: Vec<Column>,
    pub groups: Vec<Group>,
    /// What is known to hold of the cells of each process.
    pub facts: &'a [Equation],
    /// Whether the analysis must end.
    pub must_end: &'a dyn Fn() -> bool,
}

/// The column of the number of processes.
pub const PROCESSES: usize = 1;

impl<'a> Columns<'a> {
    /// The columns over these groups of arrays, and whether of what globals hold, and of sums by class, too; `None` when there are too many.
    pub fn new(
        system: &'a System,
        facts: &'a [Equation],
        groups: &[Vec<VarId>],
        [with_globals, by_class]: [bool; 2],
        must_end: &'a dyn Fn() -> bool,
    ) -> Option<Self> {
        let mut all = vec![Column::One, Column::Processes];
        let mut known = Vec::new();
        for arrays in groups {
            if number_of_classes(system, arrays) > MOST_COLUMNS {
                return None;
            }
            let held = |array: &VarId| values(possible(system, *array)).collect();
            let classes = choices(&arrays.iter().map(held).collect::<Vec<Vec<u8>>>());
            let first = all.len();
            all.extend((0..classes.len()).map(|class| Column::Class(known.len(), class)));
            known.push(Group { arrays: arrays.clone(), classes, first });
        }
        for (id, var) in (0..).map(VarId).zip(&system.vars) {
            if system.count_of(id).is_some() {
                continue;
            }
            match (var.kind, var.ty) {
                (VarKind::Array(1), Type::Int) => {
                    all.push(Column::Sum(id, None));
                    for (n, group) in known.iter().enumerate().filter(|_| by_class) {
                        all.extend((0..group.classes.len()).map(|class| Column::Sum(id, Some((n, class)))));
                    }
                }
                (VarKind::Global, Type::Enum(_)) if with_globals => {
                    all.extend(values(possible(system, id)).map(|value| Column::Holds(id, value)));
                }
                (VarKind::Global | VarKind::Const, Type::Int) => all.push(Column::Number(id)),
                _ => {}
            }
        }
        (all.len() <= MOST_COLUMNS).then_some(Self { system, all, groups: known, facts, must_end })
    }

    /// `None` when the analysis must end.
    pub fn go_on(&self) -> Option<()> {
        (!(self.must_end)()).then_some(())
    }

    /// Whether a column depends on a variable.
    pub fn is_about(&self, column: usize, var: VarId) -> bool {
        match &self.all[column] {
            Column::One | Column::Processes => false,
            Column::Class(group, _) => self.groups[*group].arrays.contains(&var),
            Column::Sum(of, part) => {
                *of == var || part.is_some_and(|(group, _)| self.groups[group].arrays.contains(&var))
            }
            Column::Holds(of, _) | Column::Number(of) => *of == var,
        }
    }

    /// What is summed of the processes in the class of a column: the columns of these sums, and their arrays.
    pub fn sums_of(&self, class: usize) -> impl Iterator<Item = (usize, VarId)> {
        self.all.iter().enumerate().filter_map(move |(at, column)| match column {
            Column::Sum(array, Some((group, n))) if self.groups[*group].first + n == class => {
                Some((at, *array))
            }
            _ => None,
        })
    }

    pub fn place(&self, column: &Column) -> Option<usize> {
        self.all.iter().position(|it| it == column)
    }

    /// A count without indices (not only one of the system) as a sum of classes, or of what a numeric array adds up to in these, where it is one.
    pub fn counted(&self, count: &Count) -> Option<Row> {
        let own = |cell: &Cell| cell.index.as_slice() == [ProcRef::Var(0)];
        // What the processes of a column add to it.
        let added = |processes: usize, part: Option<(usize, usize)>| {
            let Some(summand) = &count.summand else { return Some(vec![(processes, Rational::ONE)]) };
            let [(cell, factor)] = summand.terms.as_slice() else { return None };
            let sum = self.place(&Column::Sum(cell.var, part)).filter(|_| own(cell))?;
            Some(vec![(sum, *factor), (processes, summand.constant)])
        };
        if count.body.is_true() {
            return Row::gathered(added(PROCESSES, None)?, Rational::ZERO);
        }
        let read: Vec<&Cell> = count.body.0.iter().flatten().flat_map(Literal::cells).collect();
        let holds = |group: &Group| read.iter().all(|cell| group.arrays.contains(&cell.var));
        let at = self.groups.iter().position(holds)?;
        let group = &self.groups[at];
        let mut terms = Vec::new();
        for (n, class) in group.classes.iter().enumerate() {
            let literal = |literal: &Literal| match literal {
                Literal::In { cell, values } if own(cell) => {
                    let at = group.arrays.iter().position(|it| *it == cell.var)?;
                    Some(values >> class[at] & 1 == 1)
                }
                _ => None,
            };
            let truths: Option<Vec<bool>> = count
                .body
                .0
                .iter()
                .map(|conj| conj.iter().map(literal).try_fold(true, |all, one| Some(all & one?)))
                .collect();
            if truths?.into_iter().any(|it| it) {
                terms.extend(added(group.first + n, Some((at, n)))?);
            }
        }
        Row::gathered(terms, Rational::ZERO)
    }

    /// A numeric cell without indices as a row.
    pub fn number(&self, var: VarId) -> Option<Row> {
        match self.system.count_of(var) {
            Some(count) => self.counted(count).filter(|_| self.system.var(var).arity() == 0),
            None => self.place(&Column::Number(var)).map(Row::of),
        }
    }

    /// The columns that add up to the same as another one: the numbers of processes, and the sums of an array, in the classes of a group.
    pub fn divided(&self) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let parts = |(at, column): (usize, &Column)| {
            match column {
                Column::Class(group, 0) => Some((PROCESSES, *group)),
                Column::Sum(array, Some((group, 0))) => {
                    Some((self.place(&Column::Sum(*array, None))?, *group))
                }
                _ => None,
            }
            .map(|(whole, group)| (whole, at..at + self.groups[group].classes.len()))
        };
        self.all.iter().enumerate().filter_map(parts)
    }

    /// The rows that are zero whatever the state: each process is in one class of each group, each global holds one value.
    pub fn structural(&self) -> Option<Vec<Row>> {
        let mut rows = Vec::new();
        for (whole, parts) in self.divided() {
            let all = [(whole, Rational::ONE.neg())];
            rows.push(Row::gathered(
                parts.map(|at| (at, Rational::ONE)).chain(all).collect(),
                Rational::ZERO,
            )?);
        }
        let held = (0..self.all.len()).filter_map(|at| self.held(at));
        let mut globals: Vec<VarId> = held.map(|it| it.0).collect();
        globals.dedup();
        for global in globals {
            let values = self.values_of(global).map(|at| (at, Rational::ONE));
            rows.push(Row { terms: values.collect(), constant: Rational::ONE.neg() });
        }
        Some(rows)
    }

    /// The global and the value that a column is about.
    pub fn held(&self, column: usize) -> Option<(VarId, u8)> {
        if let Column::Holds(global, value) = self.all[column] { Some((global, value)) } else { None }
    }

    pub fn values_of(&self, global: VarId) -> impl Iterator<Item = usize> + Clone + '_ {
        let of_it = move |column: &Column| matches!(column, Column::Holds(var, _) if *var == global);
        self.all.iter().enumerate().filter(move |(_, it)| of_it(it)).map(|(at, _)| at)
    }
}

/// The set of all values of a variable of enum type; empty for others.
pub fn full(system: &System, var: VarId) -> u64 {
    match system.var(var).ty {
        Type::Enum(id) => system.enumeration(id).all(),
        _ => 0,
    }
}

/// The values that a cell of enum type can hold.
pub fn possible(system: &System, var: VarId) -> u64 {
    system.var(var).range & full(system, var)
}

/// How many classes processes are in by the cells of these arrays.
pub fn number_of_classes(system: &System, arrays: &[VarId]) -> usize {
    let values = arrays.iter().map(|array| possible(system, *array).count_ones());
    values.fold(1_usize, |product, n| product.saturating_mul(n as usize))
}

/// The arrays of enum type with one cell for each process.
pub fn arrays(system: &System) -> Vec<VarId> {
    let is_array =
        |id: &VarId| system.var(*id).kind == VarKind::Array(1) && matches!(system.var(*id).ty, Type::Enum(_));
    system.var_ids().filter(is_array).collect()
}

/// The members of a set.
pub fn values(set: u64) -> impl Iterator<Item = u8> {
    (0..64).filter(move |value| set >> value & 1 == 1)
}
