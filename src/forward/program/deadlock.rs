//! Which bad cube a state satisfies, and whether it stands for a deadlock: no transition is enabled and no end is expected.

use crate::program::code::{BadInstance, Guard};
use crate::program::compiled::Program;
use crate::program::lazy::{Gaps, Refinement};
use crate::program::step::Scratch;
use crate::state::{CodeKind, UNDEF};
use cubicle_lang::bits::bits;

impl Program {
    /// A quick check whether [`Program::bads`] is worth a call: puts the ground bad cubes that the table does not refute into `scratch`.
    #[inline]
    pub fn may_be_bad(&self, state: &[u64], scratch: &mut Scratch) -> bool {
        let Scratch { bad, bad_undefined, .. } = scratch;
        if self.bads.is_empty() {
            return false;
        }
        self.bad_table.look(state, bad, bad_undefined);
        bad.iter().any(|w| *w != 0)
    }

    /// The bad cubes that are not known and that `state` satisfies, in order, each with the state in which the cells that it reads are
    /// defined; with `one`, the first of them.
    #[inline]
    pub fn bads(
        &self,
        state: &[u64],
        scratch: &mut Scratch,
        one: bool,
        is_known: &dyn Fn(usize) -> bool,
    ) -> Vec<(usize, Vec<u64>)> {
        let mut satisfied: Vec<(usize, Vec<u64>)> = Vec::new();
        if !self.may_be_bad(state, scratch) {
            return satisfied;
        }
        let Scratch { bad, bad_undefined: undefined, numbers, clock, .. } = scratch;
        for i in bits(bad) {
            let BadInstance { bad, guard } = &self.bads[i];
            if is_known(*bad) || satisfied.iter().any(|it| it.0 == *bad) {
                continue;
            }
            let mut found = None;
            if undefined[i / 64] >> (i % 64) & 1 == 1 {
                let gaps = Gaps::new(numbers, clock.as_deref());
                self.refine_until(guard, state, gaps, &mut <[Refinement]>::reverse, &mut |s| {
                    found = Some(s.to_vec());
                    true
                });
            } else {
                match self.all(&guard.tests, state) {
                    Some(true) => found = Some(state.to_vec()),
                    Some(false) => {}
                    None => *numbers = true,
                }
            }
            if let Some(mut state) = found {
                self.normalize(&mut state);
                satisfied.push((*bad, state));
                if one {
                    break;
                }
            }
        }
        satisfied
    }
}

/// Whether runs are expected to end in a state without enabled transitions.
enum ExpectedEnd {
    Expected,
    No,
    /// It depends on a cell that is not defined.
    Depends(usize),
    /// It depends on a number out of range.
    Numbers,
}

impl Program {
    /// A sufficiently concrete state that `state` stands for, in which no transition is enabled and which is not an
    /// expected end; preferably one without a choice of outside values.
    pub fn deadlock(&self, state: &[u64], scratch: &mut Scratch) -> Option<Vec<u64>> {
        let open = |c: usize| self.cells.cells[c].kind == CodeKind::Proc && self.get(state, c) == UNDEF;
        let narrow = self.cells.outside && (0..self.cells.len()).any(open);
        let inside = narrow.then(|| self.deadlock_among(state, scratch, &|c| self.cells.inside_codes(c)));
        inside.flatten().or_else(|| self.deadlock_among(state, scratch, &|c| self.cells.open_codes(c)))
    }

    /// Like [`Program::deadlock`], with the codes that undefined cells may have.
    fn deadlock_among(
        &self,
        state: &[u64],
        scratch: &mut Scratch,
        allowed: &dyn Fn(usize) -> u128,
    ) -> Option<Vec<u64>> {
        let clock = scratch.clock.clone();
        let mut late = false;
        let mut gaps = Gaps::new(&mut late, clock.as_deref());
        let mut stack = vec![state.to_vec()];
        'states: while let Some(state) = stack.pop() {
            let Scratch { enabled, undefined, numbers, .. } = scratch;
            if gaps.is_late() {
                *numbers = true;
                return None;
            }
            let any_undefined = self.enabled.look(&state, enabled, undefined);
            let mut open = None;
            for i in bits(enabled) {
                let guard = &self.instances[i].guard;
                let unread = any_undefined && undefined[i / 64] >> (i % 64) & 1 == 1;
                let cell = unread.then(|| self.open_cell(guard, &state)).flatten();
                if let Some(cell) = cell {
                    open.get_or_insert(cell);
                    continue;
                }
                let truth = self.all(&guard.tests, &state);
                *numbers |= truth.is_none();
                if truth != Some(false) {
                    continue 'states;
                }
            }
            let cell = match open.map_or_else(|| self.end(&state), ExpectedEnd::Depends) {
                ExpectedEnd::No => return Some(state),
                ExpectedEnd::Expected => continue,
                ExpectedEnd::Numbers => {
                    *numbers = true;
                    continue;
                }
                ExpectedEnd::Depends(cell) => cell,
            };
            stack.extend(self.ways(&state, cell, allowed(cell), numbers).into_iter().rev());
        }
        None
    }

    /// Whether every process has reached the expected end.
    fn end(&self, state: &[u64]) -> ExpectedEnd {
        let Some(ends) = &self.ends else { return ExpectedEnd::No };
        let mut end = ExpectedEnd::Expected;
        for guards in ends {
            let mut of_process = ExpectedEnd::No;
            for guard in guards {
                match self.satisfied(guard, state) {
                    ExpectedEnd::No => {}
                    ExpectedEnd::Expected => {
                        of_process = ExpectedEnd::Expected;
                        break;
                    }
                    open => of_process = open,
                }
            }
            match of_process {
                ExpectedEnd::No => return ExpectedEnd::No,
                // Another process may still rule out the end.
                ExpectedEnd::Depends(_) => end = of_process,
                ExpectedEnd::Numbers if matches!(end, ExpectedEnd::Expected) => end = of_process,
                ExpectedEnd::Numbers | ExpectedEnd::Expected => {}
            }
        }
        end
    }

    /// Whether a guard holds.
    fn satisfied(&self, guard: &Guard, state: &[u64]) -> ExpectedEnd {
        let defined = |c: usize| self.get(state, c) != UNDEF;
        let in_sets = guard
            .sets
            .iter()
            .all(|(c, set)| !defined(*c) || set >> self.packing.fields[*c].raw(state) & 1 == 1);
        let mut known = Some(in_sets);
        for test in &guard.tests {
            let readable = test.find(&mut |c| !defined(c)).is_none();
            if readable && known != Some(false) {
                let truth = self.test(test, state);
                if truth != Some(true) {
                    known = truth;
                }
            }
        }
        match (known, self.open_cell(guard, state)) {
            (Some(false), _) => ExpectedEnd::No,
            (_, Some(cell)) => ExpectedEnd::Depends(cell),
            (None, None) => ExpectedEnd::Numbers,
            (Some(true), None) => ExpectedEnd::Expected,
        }
    }
}
