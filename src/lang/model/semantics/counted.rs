//! The values of counts, which follow from the other cells of a state.

use super::state::{State, Value};
use super::step::Semantics;
use super::tuples::tuples;
use crate::model::{Count, Rational, System};

/// See [`Semantics::with_counts`].
pub fn with_counts(system: &System, state: State) -> Option<State> {
    Semantics::new(system, state.procs).with_counts(state)
}

impl Semantics<'_> {
    /// The state with all counts as they are defined, whatever it had in their cells, which must be there. `None` when a number
    /// leaves the 64-bit range.
    pub fn with_counts(&self, mut state: State) -> Option<State> {
        // No count reads another one.
        for count in &self.system().counts {
            for index in tuples(state.procs, self.system().var(count.var).arity()) {
                let value = Value::Number(self.count(&state, count, &index)?);
                let at = self.layout().position(count.var, index);
                state.values[at] = value;
            }
        }
        Some(state)
    }

    /// The value of one cell of a count.
    fn count(&self, state: &State, count: &Count, index: &[usize]) -> Option<Rational> {
        let mut scope = [index, &[0]].concat();
        let mut total = Rational::ZERO;
        for process in 0..state.procs {
            scope[index.len()] = process;
            let env = self.env(state, &scope);
            if env.dnf(&count.body)? {
                total = total.add(match &count.summand {
                    Some(summand) => env.linear(summand)?,
                    None => Rational::ONE,
                })?;
            }
        }
        Some(total)
    }
}
