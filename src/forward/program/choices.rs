//! Initial states in which each witness can hold a value, and runs with these values.

use crate::clock::Clock;
use crate::program::compiled::Program;
use crate::program::enumerate::Ended;
use cubicle_lang::model::semantics::{Point, Value};

impl Program {
    /// Calls `f` with the states that these codes stand for in which each cell of a witness can hold something.
    pub fn each_chosen(
        &self,
        codes: Vec<i64>,
        clock: &Clock,
        mut f: impl FnMut(Vec<i64>) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        let procs = self.cells.procs;
        let mut stack = vec![codes];
        stack.retain(|it| self.choosing.all(it, procs));
        while let Some(codes) = stack.pop() {
            // Where no choice is left in the end, `f` is never called.
            clock.poll().map_err(Some)?;
            let Some(cell) = self.choosing.next(&codes) else {
                f(codes)?;
                continue;
            };
            let first = stack.len();
            self.cells.choices(&codes, cell, self.cells.open_codes(cell), |next| {
                if self.choosing.after(cell, &next, procs) {
                    stack.push(next);
                }
            });
            stack[first..].reverse();
        }
        Ok(())
    }

    /// Gives each cell of a witness the first value that it can hold.
    pub fn choose(&self, values: &mut [Value]) {
        let procs = self.cells.procs;
        for choice in &self.choices {
            let holds = |cell: usize, set: u128| match values[cell] {
                Value::Constructor(c) => set >> c & 1 == 1,
                Value::Proc(point) => set >> point.as_process(procs).unwrap_or(procs) & 1 == 1,
                Value::Number(_) | Value::Abstract(_) => false,
            };
            let value = choice.first(procs, &holds).unwrap_or(choice.own);
            values[choice.cell] = Value::Proc(Point::process(value));
        }
    }
}
