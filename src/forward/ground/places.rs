//! Which cells the states of an instance have, and their numbers.
//!
//! Where the sorts of processes are known, an array has cells for processes of the sorts of its indices only: none of the others is read or changed. This
//! is not taken from the declarations. An array of which some formula, for all that is seen here, reads or changes another cell has cells for all
//! processes, as in a model without sorts. What is decided: the sort of each process by what a formula says of sorts, one process at a
//! time. The cells that are left out hold one [value](Places::left_out) each in all states.

use smallvec::SmallVec;

use crate::ground::accesses::{Accesses, said_everywhere};
use crate::ground::arguments::FixedSorts;
use cubicle_lang::model::semantics::{Point, Value, tuples};
use cubicle_lang::model::{System, Type, VarId};

/// The processes that an index may be: some that follow each other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Range {
    pub from: usize,
    pub len: usize,
}

impl Range {
    /// The place of a process among them.
    #[inline]
    pub const fn place(self, process: usize) -> Option<usize> {
        let place = process.wrapping_sub(self.from);
        if place < self.len { Some(place) } else { None }
    }

    pub const fn processes(self) -> std::ops::Range<usize> {
        self.from..self.from + self.len
    }
}

/// The cells of a variable, which follow each other in order of their indices, the last one fastest.
#[derive(Clone, Debug)]
pub struct Table {
    pub first: usize,
    pub ranges: SmallVec<[Range; 2]>,
    /// The type of their values.
    ty: Type,
    /// Of an enum: the values that the initial states allow all cells, as a set; all for which nothing is said everywhere.
    everywhere: u64,
}

impl Table {
    pub fn len(&self) -> usize {
        self.ranges.iter().fold(1, |cells, range| cells.saturating_mul(range.len))
    }

    /// The number of a cell; `None` where states do not have it.
    pub fn position(&self, index: impl IntoIterator<Item = usize>) -> Option<usize> {
        let mut at = 0;
        for (range, process) in self.ranges.iter().zip(index) {
            at = at * range.len + range.place(process)?;
        }
        Some(self.first + at)
    }

    /// The indices of its cells, in order.
    pub fn tuples(&self) -> impl Iterator<Item = Vec<usize>> {
        let ranges = self.ranges.clone();
        let first =
            ranges.iter().all(|range| range.len > 0).then(|| ranges.iter().map(|it| it.from).collect());
        std::iter::successors(first, move |last: &Vec<usize>| {
            let can_rise = |(at, range): (usize, &Range)| last[at] + 1 < range.from + range.len;
            let at = ranges.iter().enumerate().rposition(can_rise)?;
            let after = ranges[at + 1..].iter().map(|range| range.from);
            Some(last[..at].iter().copied().chain([last[at] + 1]).chain(after).collect())
        })
    }
}

/// The cells of the states of an instance.
#[derive(Clone, Debug)]
pub struct Places {
    pub procs: usize,
    /// In order of the variables.
    pub tables: Vec<Table>,
    len: usize,
}

impl Places {
    /// For the instance with `procs` processes, of these sorts where they are known. All formulas that are read in its states, but for those
    /// of the search for a proof, are part of the system.
    pub fn new(system: &System, procs: usize, sorts: Option<&FixedSorts>) -> Self {
        let all = Range { from: 0, len: procs };
        let mut tables: Vec<Table> = system
            .vars
            .iter()
            .map(|var| Table {
                first: 0,
                ranges: SmallVec::from_elem(all, var.arity()),
                ty: var.ty,
                everywhere: u64::MAX,
            })
            .collect();
        if let Some(sorts) = sorts.filter(|it| it.sizes.len() > 1 && system.proc_constants == 0) {
            let range = |sort: u8| {
                let from = sorts.of.partition_point(|it| *it < sort);
                Range { from, len: sorts.of.partition_point(|it| *it <= sort) - from }
            };
            for (var, values) in said_everywhere(system) {
                tables[usize::from(var.0)].everywhere &= values;
            }
            let wide = Accesses::new(system, sorts).of_other_sorts();
            for (id, table) in (0..).map(VarId).zip(&mut tables).filter(|(id, _)| !wide[usize::from(id.0)]) {
                for (at, of_index) in table.ranges.iter_mut().enumerate() {
                    *of_index = system.index_sort(id, at).map_or(all, range);
                }
            }
        }
        let mut len = 0_usize;
        for table in &mut tables {
            table.first = len;
            len = len.saturating_add(table.len());
        }
        Self { procs, tables, len }
    }

    pub const fn len(&self) -> usize {
        self.len
    }

    /// The cells of a variable.
    pub fn of(&self, var: VarId) -> &Table {
        &self.tables[usize::from(var.0)]
    }

    /// Whether each array has cells for all processes.
    pub fn are_of_all_processes(&self) -> bool {
        self.tables.iter().flat_map(|table| &table.ranges).all(|range| range.len == self.procs)
    }

    /// What a cell that states do not have holds in all of them: the first value of its type that `init` allows all cells, and of processes
    /// that of its first index.
    pub fn left_out(&self, var: VarId, index: &[usize]) -> Value {
        match self.of(var).ty {
            Type::Enum(_) => Value::Constructor(self.of(var).everywhere.trailing_zeros() as u8),
            Type::Proc => Value::Proc(Point::process(index[0])),
            ty => Value::first(ty),
        }
    }

    /// What is said of each cell of a state, for all cells of the reference semantics; `left_out` says it of those that states do not have here.
    pub fn whole<T: Copy>(&self, said: Vec<T>, left_out: impl Fn(VarId, &[usize]) -> T) -> Vec<T> {
        if self.are_of_all_processes() {
            return said;
        }
        let mut whole = Vec::new();
        for (id, table) in (0..).map(VarId).zip(&self.tables) {
            let of_cell = |index: Vec<usize>| {
                let position = table.position(index.iter().copied());
                position.map_or_else(|| left_out(id, &index), |cell| said[cell])
            };
            whole.extend(tuples(self.procs, table.ranges.len()).map(of_cell));
        }
        whole
    }

    /// The values of all cells of the reference semantics.
    pub fn whole_values(&self, values: Vec<Value>) -> Vec<Value> {
        self.whole(values, |var, index| self.left_out(var, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cubicle_lang::diagnostic::Span;
    use cubicle_lang::model::semantics::Layout;
    use cubicle_lang::model::{Bad, BadKind, Cell, Literal, ProcRef};

    const MODEL: &str =
        "type node < proc type lock < proc array Up[node] : bool array Held[node, lock] : bool
        init (n : node l : lock) { Up[n] = False && Held[n, l] = False } unsafe (n : node) { Up[n] = True }
        transition take (n : node l : lock) requires { Held[n, l] = False } { Held[n, l] := True }";

    /// With two nodes and three locks, and another bad cube.
    fn places(cube: Vec<Literal>) -> (System, Places) {
        let system = cubicle_lang::load(MODEL).expect("a correct model").system;
        let system = system.edited(|parts| {
            if let Some(sorts) = &mut parts.sorts {
                sorts.sizes = Some(vec![2, 3]);
            }
            let (name, kind) = (String::new(), BadKind::Unsafe);
            let spans = vec![Span::default(); cube.len()];
            parts.bad.push(Bad { number: 1, name, kind, params: 2, cube, span: Span::default(), spans });
        });
        let sorts = FixedSorts::new(&system, 5);
        let places = Places::new(&system, 5, sorts.as_ref());
        (system, places)
    }

    fn held(system: &System) -> VarId {
        let at = system.vars.iter().position(|var| var.name == "Held").expect("it is declared");
        VarId(at as u16)
    }

    #[test]
    fn cells_are_of_the_sorts_of_indices() {
        let (system, places) = places(Vec::new());
        let table = places.of(held(&system));
        assert_eq!(table.len(), 6);
        for (cell, index) in (table.first..).zip(table.tuples()) {
            assert_eq!(table.position(index.iter().copied()), Some(cell), "{index:?}");
        }
        assert_eq!(table.position([2, 0]), None, "a lock, and a node");
        // Sorts of five, two nodes, two times three pairs.
        assert_eq!(places.len(), 5 + 2 + 6);
        let values = places.whole_values(vec![Value::Constructor(1); places.len()]);
        assert_eq!(values.len(), Layout::new(&system, 5).len());
        assert_eq!(values.iter().filter(|it| **it == Value::Constructor(1)).count(), places.len());
    }

    #[test]
    fn an_array_that_is_read_at_any_process_has_all_cells() {
        let (system, _) = places(Vec::new());
        let cell = Cell::at(held(&system), [0, 1].map(ProcRef::Var));
        let (system, places) = places(vec![Literal::In { cell, values: 2 }]);
        assert_eq!(places.of(held(&system)).len(), 25);
        assert_eq!(places.len(), 5 + 2 + 25);
    }
}
