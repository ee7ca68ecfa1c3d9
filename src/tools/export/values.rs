//! Values without a name as numbers: processes, values that are not processes, values of abstract types.
//!
//! Process n of the instance is `n`, and values that are not processes follow after the last. Where the system
//! orders such values with processes there are some in each gap: process n is `n * stride` then, and the numbers
//! in between are not processes.

use cubicle_lang::model::classes::{Classes, Distinctness};
use cubicle_lang::model::semantics::{Layout, PROC_STRIDE, Point, Value};
use cubicle_lang::model::{System, Type, VarId};

/// The encoding of an instance.
#[derive(Clone, Debug)]
pub struct Values {
    procs: usize,
    /// Number of process n, divided by n.
    pub stride: usize,
    /// For each variable, the number of nameless values that its cells can hold; of proc type, in each gap.
    nameless: Vec<usize>,
    /// Whether cells hold nameless values that the system compares, so that states which differ only in their
    /// names are counted separately.
    pub names_matter: bool,
}

impl Values {
    /// The encoding for the instance of `system` with `procs` processes.
    pub fn new(system: &System, procs: usize) -> Self {
        let classes = Classes::new(system);
        let concerned = |v: usize| matches!(system.vars[v].ty, Type::Proc | Type::Abstract(_));
        let mut cells = vec![0; classes.names.len()];
        for (v, var) in system.vars.iter().enumerate() {
            cells[classes.of[v]] += procs.pow(var.arity() as u32);
        }
        let nameless = (0..system.vars.len())
            .map(|v| match classes.names[classes.of[v]] {
                Distinctness::Single | Distinctness::Gaps => 1,
                Distinctness::Partition | Distinctness::Ordered => cells[classes.of[v]].max(1),
            })
            .collect::<Vec<usize>>();
        let of_proc = |v: &usize| system.vars[*v].ty == Type::Proc;
        let in_gaps =
            |v: usize| matches!(classes.names[classes.of[v]], Distinctness::Gaps | Distinctness::Ordered);
        let ordered = (0..system.vars.len()).filter(of_proc).any(in_gaps);
        let most = (0..system.vars.len()).filter(of_proc).map(|v| nameless[v]).max().unwrap_or(0);
        let names_matter = (0..system.vars.len()).any(|v| concerned(v) && nameless[v] > 1);
        Self { procs, stride: if ordered { most + 1 } else { 1 }, nameless, names_matter }
    }

    /// Whether values that are not processes lie between the processes.
    pub const fn is_ordered(&self) -> bool {
        self.stride > 1
    }

    /// The number of process n, from 1.
    pub const fn process(&self, n: usize) -> usize {
        n * self.stride
    }

    /// The smallest and the largest number that a cell of proc or abstract type can hold.
    pub fn bounds(&self, system: &System, var: VarId) -> (usize, usize) {
        let nameless = self.nameless[usize::from(var.0)];
        match system.var(var).ty {
            Type::Proc if self.is_ordered() => (1, self.procs * self.stride + self.stride - 1),
            Type::Proc => (1, self.procs + nameless),
            _ => (1, nameless),
        }
    }

    /// The value of proc type with this number.
    pub fn point(&self, number: usize) -> Point {
        let (gap, rank) = (number / self.stride, number % self.stride);
        if rank == 0 && gap <= self.procs {
            return Point::process(gap - 1);
        }
        let (after, rank) = if self.is_ordered() { (gap, rank) } else { (self.procs, number - self.procs) };
        Point((after as i64 - 1) * PROC_STRIDE + rank as i64)
    }

    /// The values that a cell of proc or abstract type can hold, each with its number.
    pub fn domain(&self, system: &System, var: VarId) -> Vec<Value> {
        let (low, high) = self.bounds(system, var);
        let value = |n: usize| match system.var(var).ty {
            Type::Proc => Value::Proc(self.point(n)),
            _ => Value::Abstract(n as u32),
        };
        (low..=high).map(value).collect()
    }

    /// The number of a value of proc type.
    pub fn number(&self, point: Point) -> usize {
        if let Some(process) = point.as_process(self.procs) {
            return self.process(process + 1);
        }
        let after = usize::try_from(point.0.div_euclid(PROC_STRIDE) + 1).expect("a point of the domain");
        let rank = usize::try_from(point.0.rem_euclid(PROC_STRIDE)).expect("a remainder");
        after * self.stride + rank
    }
}

/// The first lines of a file as comments between these marks; the last one says whether names of values matter.
pub fn comments(begin: &str, mut lines: Vec<String>, values: &Values, end: &str) -> String {
    if values.names_matter {
        lines.push(
            "Values that are not processes are compared: states that differ in their names are counted apart.".into(),
        );
    }
    lines.iter().map(|line| format!("{begin}{line}{end}\n")).collect()
}

/// Number of cells of an instance, if it is small enough to be written out.
pub fn cells(system: &System, procs: usize) -> Option<usize> {
    let of = |arity: usize| procs.checked_pow(u32::try_from(arity).ok()?);
    let cells = system.vars.iter().try_fold(0usize, |sum, var| sum.checked_add(of(var.arity())?))?;
    (cells <= MOST_CELLS).then(|| Layout::new(system, procs).len())
}

/// The most cells of an instance that is written out.
const MOST_CELLS: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stand_for_values_one_to_one_and_in_order() {
        for (text, ordered) in [
            ("var P : proc init { true }", false),
            ("var P : proc var Q : proc init { P <> Q }", false),
            ("var P : proc init (p) { P < p }", true),
            ("var P : proc var Q : proc init { P < Q }", true),
        ] {
            let system = cubicle_lang::load(text).expect("well-formed").system;
            let values = Values::new(&system, 3);
            assert_eq!(values.is_ordered(), ordered, "{text}");
            let points: Vec<Point> = (values.domain(&system, VarId(0)).into_iter())
                .map(|value| match value {
                    Value::Proc(point) => point,
                    other => panic!("{other:?}"),
                })
                .collect();
            assert!(points.is_sorted_by(|a, b| a < b), "{text}: {points:?}");
            let (low, _) = values.bounds(&system, VarId(0));
            for (at, point) in points.iter().enumerate() {
                assert_eq!(values.number(*point), low + at, "{text}: {point:?}");
            }
            assert_eq!(points.iter().filter(|point| point.as_process(3).is_some()).count(), 3);
        }
    }
}
