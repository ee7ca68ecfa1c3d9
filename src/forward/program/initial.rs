//! The initial states of a compiled instance.

use std::ops::ControlFlow;

use crate::clock::Clock;
use crate::error::Unbuildable;
use crate::ground::FixedSorts;
use crate::program::compiled::Program;
use crate::program::enumerate::DisjunctStates;
use crate::program::orbits::Orbits;
use crate::state::UNDEF;
use crate::tuning::MAX_COMPARED;

impl Program {
    /// Calls `f` with the initial states, or, with symmetry, at least one of each orbit: nameless codes in canonical form,
    /// processes not renamed, perhaps some of them twice. `f` may end the enumeration; the error comes from `clock`. Sets `numbers` when
    /// numbers had to be sampled. A narrowed program begins only with outside values that are needed.
    pub fn initial_states(
        &self,
        clock: &Clock,
        numbers: &mut bool,
        mut f: impl FnMut(&[u64]) -> ControlFlow<()>,
    ) -> Result<(), Unbuildable> {
        let mut packed = vec![0; self.packing.words];
        let compared: Vec<DisjunctStates<'_>> = if self.cells.outside || self.disjuncts.len() > MAX_COMPARED {
            Vec::new()
        } else {
            self.disjuncts
                .iter()
                .map(|disjunct| DisjunctStates::new(self, disjunct))
                .collect::<Result<_, _>>()?
        };
        let mut open = false;
        for init in &self.disjuncts {
            let mut disjunct = DisjunctStates::new(self, init)?;
            if !self.cells.outside {
                disjunct.narrow();
            }
            let mut meet_chosen = |mut codes: Vec<i64>, numbers: &mut bool| {
                self.cells.normalize(codes.as_mut_slice());
                if self.packing.pack(&codes, &mut packed).is_none() {
                    *numbers = true;
                    return Ok(());
                }
                if f(&packed).is_break() { Err(None) } else { Ok(()) }
            };
            let mut meet = |codes, numbers: &mut bool| {
                self.each_chosen(codes, clock, |codes| meet_chosen(codes, numbers))
            };
            let start =
                self.cells.cells.iter().map(|cell| if cell.counts.is_some() { 0 } else { UNDEF }).collect();
            let alone = self.disjuncts.len() == 1 && disjunct.numbers_are_alone();
            let fixed = self.symmetry.fixed().filter(|_| alone);
            let sorts = FixedSorts::of(self.sorts.as_ref());
            let orbits = fixed.and_then(|fixed| Orbits::new(&self.cells, (fixed, sorts), init));
            let end = disjunct.each(start, clock, numbers, orbits, |codes, numbers| {
                if self.cells.outside {
                    return meet(codes, numbers);
                }
                self.needed(&compared, codes, (clock, &mut open), |codes| meet(codes, numbers))
            });
            match end {
                Ok(()) => {}
                Err(None) => break,
                Err(Some(why)) => return Err(why),
            }
        }
        *numbers |= open;
        Ok(())
    }
}
