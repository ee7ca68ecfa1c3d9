//! Evaluates guards and updates in a state in which all cells that they read are defined.

use crate::program::code::{CountedExpr, Test, Write, WrittenValue};
use crate::program::compiled::Program;
use crate::state::{Cells, quotient};

impl Test {
    /// Whether the test holds where cells have these codes; all that it reads are defined. `None` when it depends on a number
    /// out of range.
    pub fn holds(&self, cells: &Cells, get: &impl Fn(usize) -> i64) -> Option<bool> {
        Some(match self {
            // A state of which only a part is defined may be asked, too.
            Self::In(c, set) => u32::try_from(get(*c)).is_ok_and(|code| set >> code & 1 == 1),
            Self::Same(a, b, negated) => (get(*a) == get(*b)) != *negated,
            Self::Less(a, b, strict) => {
                let (x, y) = (cells.place(*a, get(*a)), cells.place(*b, get(*b)));
                if *strict { x < y } else { x <= y }
            }
            Self::Linear(e, relation) => return e.test(*relation, get),
            Self::Counted(e, relation) => relation.holds_of(e.numerator(cells, get)?.signum() as i64),
            Self::Any(any) => return any_holds(any, cells, get),
        })
    }
}

fn any_holds(any: &[Vec<Test>], cells: &Cells, get: &impl Fn(usize) -> i64) -> Option<bool> {
    'conjs: for conj in any {
        for test in conj {
            if !test.holds(cells, get)? {
                continue 'conjs;
            }
        }
        return Some(true);
    }
    Some(false)
}

impl CountedExpr {
    /// The value times the divisor; `None` when it leaves 128 bits.
    pub fn numerator(&self, cells: &Cells, get: &impl Fn(usize) -> i64) -> Option<i128> {
        let mut total = self.plain.numerator(get)?.checked_mul(self.times)?;
        for (factor, count) in &self.counts {
            for (when, summand) in &count.parts {
                if any_holds(when, cells, get)? {
                    let times = factor.checked_mul(i128::from(count.divisor) / summand.divisor)?;
                    total = total.checked_add(summand.numerator(get)?.checked_mul(times)?)?;
                }
            }
        }
        Some(total)
    }

    /// The value, when it can be stored exactly.
    pub fn value(&self, cells: &Cells, get: &impl Fn(usize) -> i64) -> Option<i64> {
        quotient(self.numerator(cells, get)?, self.divisor)
    }
}

impl Program {
    #[inline]
    pub fn get(&self, state: &[u64], cell: usize) -> i64 {
        self.packing.fields[cell].get(state)
    }

    /// Whether a test holds; all cells that it reads are defined. `None` when it depends on a number
    /// out of range.
    #[inline]
    pub fn test(&self, test: &Test, state: &[u64]) -> Option<bool> {
        test.holds(&self.cells, &|c| self.get(state, c))
    }

    pub fn any(&self, any: &[Vec<Test>], state: &[u64]) -> Option<bool> {
        any_holds(any, &self.cells, &|c| self.get(state, c))
    }

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
