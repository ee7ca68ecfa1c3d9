//! Which bad cube a state satisfies.

use crate::program::compiled::Program;
use crate::program::lazy::{Gaps, Refinement};
use crate::program::step::Scratch;
use cubicle_lang::bits::bits;

impl Program {
    /// A quick check whether [`Program::bad`] is worth a call: puts the ground bad cubes that the table does not refute into `scratch`.
    #[inline]
    pub fn may_be_bad(&self, state: &[u64], scratch: &mut Scratch) -> bool {
        let Scratch { bad, bad_undefined, .. } = scratch;
        if self.bads.is_empty() {
            return false;
        }
        self.bad_table.look(state, bad, bad_undefined);
        bad.iter().any(|w| *w != 0)
    }

    /// The first ground bad cube that `state` satisfies, and the state with the cells that it reads defined.
    #[inline]
    pub fn bad(&self, state: &[u64], scratch: &mut Scratch) -> Option<(usize, Vec<u64>)> {
        if self.bads.is_empty() {
            return None;
        }
        let Scratch { bad, bad_undefined: undefined, numbers, clock, .. } = scratch;
        let any_undefined = self.bad_table.look(state, bad, undefined);
        if bad.iter().all(|w| *w == 0) {
            return None;
        }
        for i in bits(bad) {
            let guard = &self.bads[i].guard;
            let mut found = None;
            if any_undefined && undefined[i / 64] >> (i % 64) & 1 == 1 {
                let gaps = Gaps::new(numbers, clock.as_deref());
                self.refine_until(guard, state, gaps, <[Refinement]>::reverse, |s| {
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
                return Some((self.bads[i].bad, state));
            }
        }
        None
    }
}
