//! What the [choices](Choice) of witnesses' values say of states of which only some cells are known.

use crate::ground::Choice;
use crate::state::{Cells, UNDEF};

/// The choices of an instance, for states as codes.
#[derive(Clone, Debug)]
pub struct Choosing {
    /// Sets of values of other cells are sets of codes here.
    choices: Vec<Choice>,
    /// The cells that they read, in the order of the choices.
    read: Vec<usize>,
    /// For each cell, the choices that read it.
    readers: Vec<Vec<usize>>,
}

impl Choosing {
    pub fn new(cells: &Cells, choices: &[Choice]) -> Self {
        let mut choices = choices.to_vec();
        let (mut read, mut readers) = (Vec::new(), vec![Vec::new(); cells.len()]);
        for (at, choice) in choices.iter_mut().enumerate() {
            for (cell, set) in choice.clauses.iter_mut().flat_map(|it| &mut it.1) {
                *set = cells.codes_of(*cell, *set);
                if readers[*cell].is_empty() {
                    read.push(*cell);
                }
                if readers[*cell].last() != Some(&at) {
                    readers[*cell].push(at);
                }
            }
        }
        Self { choices, read, readers }
    }

    pub fn reads(&self, cell: usize) -> bool {
        !self.readers[cell].is_empty()
    }

    /// An undefined cell that they read.
    pub fn next(&self, codes: &[i64]) -> Option<usize> {
        self.read.iter().copied().find(|cell| codes[*cell] == UNDEF)
    }

    /// Whether some value may be left for a choice; an undefined cell may hold anything.
    fn leaves(choice: &Choice, codes: &[i64], procs: usize) -> bool {
        let may_hold = |cell: usize, set: u128| codes[cell] == UNDEF || set >> codes[cell] & 1 == 1;
        choice.first(procs, &may_hold).is_some()
    }

    /// Whether some value may be left for each choice.
    pub fn all(&self, codes: &[i64], procs: usize) -> bool {
        self.choices.iter().all(|it| Self::leaves(it, codes, procs))
    }

    /// The same of the choices that read this cell.
    pub fn after(&self, cell: usize, codes: &[i64], procs: usize) -> bool {
        self.readers[cell].iter().all(|at| Self::leaves(&self.choices[*at], codes, procs))
    }
}
