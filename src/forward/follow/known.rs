//! What is known of a state: values of some of its cells.

use crate::error::Unbuildable;
use crate::ground::{Lit, Sum};
use crate::program::{Guard, Program, Test};
use crate::state::CodeKind;
use cubicle_lang::model::semantics::Value;
use cubicle_lang::model::{Rational, Relation};

/// What is known of the value of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seen {
    /// One of these constructors of an enum.
    Constructors(u64),
    /// This process.
    Process(usize),
    /// A value of type proc that is not a process.
    NoProcess,
    /// This number.
    Number(Rational),
}

/// A conjunction about the cells of a state. Its buffers can be used again.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// Finite cells and counts.
    pub(super) guard: Guard,
    /// Cells of numbers, each with its code; `None`: one that cannot be stored.
    pub(super) numbers: Vec<(usize, Option<i64>)>,
}

impl Known {
    /// Whether it is true of all states.
    pub const fn is_empty(&self) -> bool {
        self.guard.sets.is_empty() && self.guard.tests.is_empty() && self.numbers.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.guard.sets.clear();
        self.guard.tests.clear();
        self.guard.reads.clear();
        self.numbers.clear();
    }

    /// Adds that the cell at this position in a state of the instance holds this. The value must be of the type of the cell.
    pub(super) fn add(&mut self, program: &Program, cell: usize, seen: Seen) -> Result<(), Unbuildable> {
        let cells = &program.cells;
        let values = match seen {
            Seen::Constructors(set) => u128::from(set),
            Seen::Process(p) => 1 << p,
            Seen::NoProcess => 1 << cells.procs,
            Seen::Number(number) if cells.cells[cell].counts.is_some() => {
                let constant = number.neg();
                let sum = Sum { terms: vec![(cell, Rational::ONE)], constant };
                let is = Lit::Linear { sum, relation: Relation::Eq };
                self.guard.add(program.counts.test(cells, &is)?);
                return Ok(());
            }
            Seen::Number(number) => {
                let code = cells.scaled(cells.cells[cell].kind, number);
                let code = code.filter(|n| program.packing.fields[cell].fits(*n));
                self.numbers.push((cell, code));
                return Ok(());
            }
        };
        debug_assert!(matches!(cells.cells[cell].kind, CodeKind::Enum | CodeKind::Proc));
        self.guard.add(Test::In(cell, cells.codes_of(cell, values)));
        Ok(())
    }

    /// Adds that a cell that states do not have, and so is known to hold `value`, holds this.
    pub(super) fn add_value(&mut self, value: Value, seen: Seen, procs: usize) {
        let holds = match (value, seen) {
            (Value::Constructor(c), Seen::Constructors(set)) => set >> c & 1 == 1,
            (Value::Proc(point), Seen::Process(p)) => point.as_process(procs) == Some(p),
            (Value::Number(number), Seen::Number(seen)) => number == seen,
            _ => false,
        };
        if !holds {
            self.guard.add(Test::Any(Vec::new()));
        }
    }
}
