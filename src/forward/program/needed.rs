//! The initial states of clean runs, and the program that has only clean runs.
//!
//! A cell of type proc may hold a value that is not one of the processes. In an initial state such values are
//! *needed* when none of them can be replaced: no initial state has a process in one of these cells and
//! agrees with this one in all cells that hold no outside value. (Init says `T <> p` for all p, or the only
//! process is the value of another cell that must differ.) All others are merely *allowed*: init is
//! silent, or a `:= ?` chose them although there are processes. Copies change nothing: only the origin of a
//! value counts. A run is *clean* when it begins with values that are needed and chooses processes from
//! then on.

use crate::clock::Clock;
use crate::program::compiled::Program;
use crate::program::enumerate::{DisjunctStates, Ended, Replaces};
use crate::program::guard_index::GuardIndex;
use crate::state::{CodeKind, UNDEF};

impl Program {
    /// This instance without the outside values that are merely allowed, and without bad cubes.
    pub fn narrowed(&self) -> Self {
        let mut narrowed = self.clone();
        narrowed.cells.outside = false;
        narrowed.bads.clear();
        narrowed.bad_table = GuardIndex::new(&self.cells, &self.packing, &[]);
        narrowed
    }

    /// Whether no cell can be undefined.
    pub fn is_plain(&self) -> bool {
        self.cells.cells.iter().all(|cell| !cell.undef)
    }

    /// Whether a cell of this state is undefined.
    pub fn is_open(&self, state: &[u64]) -> bool {
        self.packing.fields.iter().any(|field| field.get(state) == UNDEF)
    }

    /// Calls `f` with the initial states among those that `codes` stands for in which all outside values
    /// are needed; `disjuncts` are those of init, or none when they are too many. Sets `open` when it leaves
    /// out a state that may be one of these.
    pub fn needed(
        &self,
        disjuncts: &[DisjunctStates<'_>],
        codes: Vec<i64>,
        (clock, open): (&Clock, &mut bool),
        mut f: impl FnMut(Vec<i64>) -> Result<(), Ended>,
    ) -> Result<(), Ended> {
        let mut stack = vec![codes];
        while let Some(codes) = stack.pop() {
            clock.poll().map_err(Some)?;
            let outside: Vec<usize> = (0..codes.len())
                .filter(|c| {
                    self.cells.cells[*c].kind == CodeKind::Proc && codes[*c] >= self.cells.procs as i64
                })
                .collect();
            if outside.is_empty() || self.cells.procs == 0 {
                f(codes)?;
                continue;
            }
            if disjuncts.is_empty() {
                *open = true;
                continue;
            }
            let mut splits = None;
            let mut replaceable = false;
            for disjunct in disjuncts {
                match disjunct.replaces(&codes, &outside, clock)? {
                    Replaces::No => {}
                    Replaces::Yes => replaceable = true,
                    Replaces::Depends(cell) => splits = splits.or(Some(cell)),
                }
            }
            match splits {
                _ if replaceable => {}
                None => f(codes)?,
                Some(cell) if self.cells.cells[cell].codes == 0 => *open = true,
                Some(cell) => {
                    let first = stack.len();
                    let all = self.cells.open_codes(cell);
                    self.cells.choices(&codes, cell, all, |next| stack.push(next));
                    stack[first..].reverse();
                }
            }
        }
        Ok(())
    }
}
