//! The initial states of a compiled instance: of all runs, or of clean ones.
//!
//! A cell of type proc may hold a value that is not one of the processes. In an initial state such values are
//! *needed* when none of them can be replaced: no initial state has a process in one of these cells and
//! agrees with this one in all cells that hold no outside value. (Init says `T <> p` for all p, or the only
//! process is the value of another cell that must differ.) All others are merely *allowed*: init is
//! silent, or a `:= ?` chose them although there are processes. Copies change nothing: only the origin of a
//! value counts. A run is *clean* when it begins with values that are needed and chooses processes from
//! then on.

use crate::clock::Clock;
use crate::error::Unbuildable;
use crate::ground::FixedSorts;
use crate::program::compiled::Program;
use crate::program::enumerate::{DisjunctStates, Ended, Replaces, TakeCodes};
use crate::program::guard_index::GuardIndex;
use crate::program::orbits::Orbits;
use crate::state::{CodeKind, UNDEF};
use crate::tuning::MAX_COMPARED;
use cubicle_lang::model::semantics::{Point, Value};

impl Program {
    /// Calls `f` with the initial states, or, with symmetry, at least one of each orbit: nameless codes in canonical form,
    /// processes not renamed, perhaps some of them twice. `f` may change them, and returns true to end the enumeration; the error comes from
    /// `clock`. Returns whether numbers had to be sampled. A narrowed program begins only with outside values that are needed.
    pub fn initial_states(
        &self,
        clock: &Clock,
        f: &mut dyn FnMut(&mut [u64]) -> bool,
    ) -> Result<bool, Unbuildable> {
        let mut packed = vec![0; self.packing.words];
        let compared: Vec<DisjunctStates<'_>> = if self.cells.outside || self.disjuncts.len() > MAX_COMPARED {
            Vec::new()
        } else {
            self.disjuncts
                .iter()
                .map(|disjunct| DisjunctStates::new(self, disjunct))
                .collect::<Result<_, _>>()?
        };
        let (mut numbers, mut open) = (false, false);
        for init in &self.disjuncts {
            let mut disjunct = DisjunctStates::new(self, init)?;
            if !self.cells.outside {
                disjunct.narrow();
            }
            let mut meet_chosen = |mut codes: Vec<i64>, numbers: &mut bool| {
                self.cells.normalize(&mut codes);
                if self.packing.pack(&codes, &mut packed).is_none() {
                    *numbers = true;
                    return Ok(());
                }
                if f(&mut packed) { Err(None) } else { Ok(()) }
            };
            let mut meet = |codes, numbers: &mut bool| {
                self.each_chosen(codes, clock, &mut |codes| meet_chosen(codes, numbers))
            };
            let start =
                self.cells.cells.iter().map(|cell| if cell.counts.is_some() { 0 } else { UNDEF }).collect();
            let alone = self.disjuncts.len() == 1 && disjunct.numbers_are_alone();
            let fixed = self.symmetry.fixed().filter(|_| alone);
            let sorts = FixedSorts::of(self.sorts.as_ref());
            let orbits = fixed.and_then(|fixed| Orbits::new(&self.cells, fixed, sorts, init));
            let end = disjunct.each(start, clock, &mut numbers, orbits, &mut |codes, numbers| {
                if self.cells.outside {
                    return meet(codes, numbers);
                }
                self.needed(&compared, codes, clock, &mut open, &mut |codes| meet(codes, numbers))
            });
            match end {
                Ok(()) => {}
                Err(None) => break,
                Err(Some(why)) => return Err(why),
            }
        }
        Ok(numbers | open)
    }

    /// Calls `f` with the states that these codes stand for in which each cell of a witness can hold something.
    pub fn each_chosen(&self, codes: Vec<i64>, clock: &Clock, f: &mut TakeCodes<'_>) -> Result<(), Ended> {
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
            let mut all = self.cells.choices(&codes, cell, self.cells.open_codes(cell));
            all.retain(|next| self.choosing.after(cell, next, procs));
            stack.extend(all.into_iter().rev());
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
        clock: &Clock,
        open: &mut bool,
        f: &mut TakeCodes<'_>,
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
                    let all = self.cells.choices(&codes, cell, self.cells.open_codes(cell));
                    stack.extend(all.into_iter().rev());
                }
            }
        }
        Ok(())
    }
}
