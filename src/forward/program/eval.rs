//! Evaluates guards and updates in a state in which all cells that they read are defined.

use crate::program::code::{Test, Write, WrittenValue};
use crate::program::compiled::Program;

impl Program {
    /// The code of a cell.
    #[inline]
    pub fn get(&self, state: &[u64], cell: usize) -> i64 {
        self.packing.fields[cell].get(state)
    }

    /// Whether a test holds; all cells that it reads are defined. `None` when it depends on a number
    /// out of range.
    pub fn test(&self, test: &Test, state: &[u64]) -> Option<bool> {
        Some(match test {
            Test::In(cell, codes) => codes >> self.packing.fields[*cell].raw(state) & 1 == 1,
            Test::Same(a, b, negated) => (self.get(state, *a) == self.get(state, *b)) != *negated,
            Test::Less(a, b, strict) => {
                let (x, y) =
                    (self.cells.place(*a, self.get(state, *a)), self.cells.place(*b, self.get(state, *b)));
                if *strict { x < y } else { x <= y }
            }
            Test::Linear(e, relation) => return e.test(*relation, |c| self.get(state, c)),
            Test::Any(any) => return self.any(any, state),
        })
    }

    pub fn any(&self, any: &[Vec<Test>], state: &[u64]) -> Option<bool> {
        for conj in any {
            if self.all(conj, state)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// Whether all tests hold.
    pub fn all(&self, tests: &[Test], state: &[u64]) -> Option<bool> {
        for test in tests {
            if !self.test(test, state)? {
                return Some(false);
            }
        }
        Some(true)
    }

    /// The branch of an update that applies; `None` when that depends on a number out of range.
    #[inline]
    pub fn source<'m>(&self, write: &'m Write, state: &[u64]) -> Option<&'m WrittenValue> {
        let (last, cases) = write.branches.split_last().expect("an update has a branch");
        for (when, value) in cases {
            if self.any(when, state)? {
                return Some(value);
            }
        }
        Some(&last.1)
    }
}
