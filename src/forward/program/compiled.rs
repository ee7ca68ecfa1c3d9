//! A compiled instance: everything that a search needs to know about it.

use std::ops::Range;
use std::sync::Arc;

use crate::ground::{Choice, FixedSorts, InitDisjunct};
use crate::program::choosing::Choosing;
use crate::program::code::{BadInstance, Guard, Instance};
use crate::program::counted::Counts;
use crate::program::dead::DeadCells;
use crate::program::guard_index::GuardIndex;
use crate::program::sleep::{AWAKE, SleepId, SleepSets};
use crate::state::{Cells, Packing};
use crate::symmetry::canonical::{Exchangeable, Symmetry};
use cubicle_lang::model::System;
use cubicle_run::Interrupt;

#[derive(Clone, Debug)]
pub struct Program {
    /// The system that it is an instance of.
    pub system: Arc<System>,
    pub cells: Cells,
    pub counts: Counts,
    pub packing: Packing,
    pub instances: Vec<Instance>,
    /// For each instance, `words` words of the bits that stay, then as many of the bits that are set.
    pub masks: Vec<u64>,
    pub enabled: GuardIndex,
    pub bads: Vec<BadInstance>,
    pub bad_table: GuardIndex,
    pub symmetry: Symmetry,
    pub exchangeable: Option<Exchangeable>,
    pub sleep_sets: Option<SleepSets>,
    pub disjuncts: Vec<InitDisjunct>,
    /// What the cells of witnesses can hold whose values states leave out.
    pub choices: Vec<Choice>,
    pub choosing: Choosing,
    /// The sorts of processes, where they are the same in all states.
    pub sorts: Option<FixedSorts>,
    pub full: Vec<u128>,
    /// Whether finite cells may be undefined.
    pub undefined: bool,
    /// The cells that are left undefined where what they hold does not matter.
    pub dead: DeadCells,
    /// Steps that leave this range are disabled.
    pub range: Option<(i64, i64)>,
    /// For each process, guards of which one holds at an expected end. `None`: no state is an expected end.
    pub ends: Option<Vec<Vec<Guard>>>,
    /// Polled by loops over all states.
    pub interrupt: Interrupt,
}

/// The places of each of the first `n` numbers in a list where equal ones are neighbours.
pub fn ranges(numbers: impl Iterator<Item = usize>, n: usize) -> Vec<Range<usize>> {
    let mut of = vec![0..0; n];
    for (at, number) in numbers.enumerate() {
        let first = if of[number].is_empty() { at } else { of[number].start };
        of[number] = first..at + 1;
    }
    of
}

impl Program {
    /// The instances of each transition, of which there are this many.
    pub fn instances_of(&self, transitions: usize) -> Vec<Range<usize>> {
        ranges(self.instances.iter().map(|it| usize::from(it.transition.0)), transitions)
    }

    /// Transitions up to the last one that has an instance.
    pub fn transitions(&self) -> usize {
        self.instances.last().map_or(0, |last| usize::from(last.transition.0) + 1)
    }

    /// Replaces `state`, a successor by instance `i`, by its representative: returns how that is found, and how many
    /// permutations were tried.
    #[inline]
    pub fn canonicalize_successor(&self, i: usize, state: &mut [u64]) -> (SleepId, u32) {
        let Self { cells, packing, symmetry, instances, .. } = self;
        let Some(sleep_sets) = &self.sleep_sets else {
            return (AWAKE, symmetry.canonicalize(cells, packing, state));
        };
        match symmetry {
            Symmetry::Off => (sleep_sets.by(i), 0),
            Symmetry::Lanes(lanes) => match lanes.sort(state) {
                None => (sleep_sets.by(i), 0),
                Some(place) => (sleep_sets.by_renamed(&instances[i], &place), 0),
            },
            _ => {
                let (renaming, tried) = symmetry.renaming(cells, packing, state);
                (sleep_sets.by_renamed(&instances[i], &renaming), tried)
            }
        }
    }

    /// The instances that need not be fired in a state that was found like this.
    #[inline]
    pub fn asleep(&self, sleep: SleepId) -> &[u64] {
        self.sleep_sets.as_ref().map_or(&[], |sleep_sets| sleep_sets.after(sleep))
    }
}
