//! Steps that need not be computed, because they commute with the one before.
//!
//! Two ground transitions are *independent* when neither writes what the other reads or writes. If both
//! are enabled in a state, they may be fired in either order and lead to the same state, so one of the
//! two ways there is enough. A state that was found by firing t' leaves out each t that is independent of
//! t' and comes before it in the order below: t was enabled before t', too. These are sleep sets
//! (Godefroid, *Partial-Order Methods for the Verification of Concurrent Systems*, 1996) that remember
//! one step; they leave out steps, never states.
//!
//! No state is lost. Say that x was found from s by t', and t is left out in x. The states to which t leads from x, t'
//! leads to from y, the successor of s by t, which was found before as s was. In y, t' may be left out in
//! turn, but only because y was found by a transition that comes after t', and so on, which ends. With
//! symmetry the order is that of the transitions' names alone, which renaming does not change. Since y is
//! no deeper than x, a breadth-first search finds each state at its depth; and since t fired in s, or in a
//! state before s, it is known which transitions fire at all.
//!
//! Undefined cells make no difference: where all cells that t reads are defined in x, t may be fired in s with the
//! values that t' chose, too. Names of nameless values count as one more cell.

use std::ops::Range;

use indexmap::IndexSet;

use crate::program::code::{Instance, steps};
use crate::state::{Cells, Packing};
use crate::symmetry::canonical::Symmetry;
use crate::tuning::{MAX_RENAMED, MAX_SLEEPING};

/// How a state was found: which instances may be left out there.
pub type SleepId = u8;

/// No instance may be left out; perhaps an initial state.
pub const AWAKE: SleepId = SleepId::MAX;

#[derive(Clone, Debug)]
pub struct SleepSets {
    /// Words of a set of instances.
    words: usize,
    /// For each [`SleepId`], the instances that may be left out.
    rows: Vec<u64>,
    /// For each instance, how a state is found by it.
    finds: Vec<SleepId>,
    procs: usize,
    /// For each transition, where its instances begin in `renamed`.
    bases: Vec<u32>,
    /// Like `finds`, indexed by the instances' arguments, read as digits.
    renamed: Vec<SleepId>,
}

impl SleepSets {
    /// `None` when there are too many instances. `masks` are those of
    /// [`Program`](crate::program::compiled::Program).
    pub fn new(
        cells: &Cells,
        packing: &Packing,
        symmetry: &Symmetry,
        instances: &[Instance],
        masks: &[u64],
    ) -> Option<Self> {
        if instances.len() > MAX_SLEEPING {
            return None;
        }
        let words = instances.len().div_ceil(64);
        // The cells that each instance reads and writes.
        let footprints: Vec<(Vec<usize>, Vec<usize>)> = steps(instances, packing, masks)
            .map(|step| {
                let guard = &step.instance.guard;
                let reads: Vec<usize> =
                    guard.sets.iter().map(|set| set.0).chain(guard.reads.clone()).collect();
                let mut writes: Vec<usize> = (0..cells.len()).filter(|c| step.changes(*c)).collect();
                // Names are given in the order of cells and when an undefined cell is read.
                if reads.iter().chain(&writes).any(|c| cells.may_rename(*c)) {
                    writes.push(cells.len());
                }
                (reads, writes)
            })
            .collect();
        // One cell more stands for the names that are in use.
        let mut readers = vec![0u64; words * (cells.len() + 1)];
        let mut writers = readers.clone();
        for (i, (reads, writes)) in footprints.iter().enumerate() {
            for (cells, set) in [(reads, &mut readers), (writes, &mut writers)] {
                for c in cells {
                    set[c * words + i / 64] |= 1 << (i % 64);
                }
            }
        }
        let mut first = 0;
        let mut rows = IndexSet::new();
        let mut finds = Vec::with_capacity(instances.len());
        for (i, (reads, writes)) in footprints.iter().enumerate() {
            if i > 0 && (!symmetry.is_on() || instances[i].transition != instances[i - 1].transition) {
                first = i;
            }
            let mut dependent = vec![0u64; words];
            let mut depends = |set: &[u64], cell: &usize| {
                dependent.iter_mut().zip(&set[cell * words..]).for_each(|(d, s)| *d |= s);
            };
            for c in reads {
                depends(&writers, c);
            }
            for c in writes {
                depends(&readers, c);
                depends(&writers, c);
            }
            let row: Vec<u64> = dependent.iter().enumerate().map(|(w, d)| !d & before(first, w)).collect();
            finds.push(if row.iter().all(|w| *w == 0) {
                AWAKE
            } else if let Some(class) = rows.get_index_of(&row) {
                class as SleepId
            } else if rows.len() < usize::from(AWAKE) {
                rows.insert_full(row).0 as SleepId
            } else {
                AWAKE
            });
        }
        let mut new = Self {
            words,
            rows: rows.iter().flatten().copied().collect(),
            finds,
            procs: cells.procs,
            bases: Vec::new(),
            renamed: Vec::new(),
        };
        (!new.rows.is_empty() && (!symmetry.is_on() || new.rename(instances))).then_some(new)
    }

    /// Fills `renamed`; false when it would be too large.
    fn rename(&mut self, instances: &[Instance]) -> bool {
        let transitions = instances.last().map_or(0, |i| usize::from(i.transition.0) + 1);
        let mut arity = vec![0; transitions];
        for instance in instances {
            arity[usize::from(instance.transition.0)] = instance.args.len() as u32;
        }
        let mut total = 0usize;
        for arity in arity {
            self.bases.push(total as u32);
            total = total.saturating_add(self.procs.saturating_pow(arity));
            if total > MAX_RENAMED {
                return false;
            }
        }
        self.renamed = vec![AWAKE; total];
        for (instance, &finds) in instances.iter().zip(&self.finds) {
            let at = self.at(instance, |p| p);
            self.renamed[at] = finds;
        }
        true
    }

    #[inline]
    fn at(&self, instance: &Instance, place: impl Fn(u8) -> u8) -> usize {
        let digits = instance.args.iter().fold(0, |n, p| n * self.procs + usize::from(place(*p)));
        self.bases[usize::from(instance.transition.0)] as usize + digits
    }

    /// How a state is found by instance number `i`.
    #[inline]
    pub fn by(&self, i: usize) -> SleepId {
        self.finds[i]
    }

    /// Like [`by`](Self::by), when each process moves to its `place` afterwards.
    #[inline]
    pub fn by_renamed(&self, instance: &Instance, place: &[u8]) -> SleepId {
        self.renamed[self.at(instance, |p| place[usize::from(p)])]
    }

    /// The instances that need not be fired in a state found like this; empty when unknown.
    #[inline]
    pub fn after(&self, sleep: SleepId) -> &[u64] {
        let at = usize::from(sleep) * self.words;
        self.rows.get(at..at + self.words).unwrap_or_default()
    }
}

/// The bits of word `w` that stand for numbers below `n`.
fn before(n: usize, w: usize) -> u64 {
    match n.saturating_sub(64 * w) {
        0 => 0,
        below @ 1..64 => (1 << below) - 1,
        _ => u64::MAX,
    }
}

/// How the states not yet expanded by a breadth-first search were found.
#[derive(Clone, Debug, Default)]
pub struct LevelSleep {
    /// States of the level that is being expanded, and of the next.
    level: Vec<SleepId>,
    next: Vec<SleepId>,
    first: usize,
}

impl LevelSleep {
    /// For the states of a level, the first of which has this number.
    pub const fn of_level(first: usize, level: Vec<SleepId>) -> Self {
        Self { level, next: Vec::new(), first }
    }

    #[inline]
    pub fn push(&mut self, sleep: SleepId) {
        self.next.push(sleep);
    }

    pub fn next_level(&mut self) {
        self.first += self.level.len();
        std::mem::swap(&mut self.level, &mut self.next);
        self.next.clear();
    }

    /// How a state was found; it may have been expanded long ago.
    pub fn get(&self, state: usize) -> SleepId {
        let place = state.checked_sub(self.first);
        place.and_then(|at| self.level.iter().chain(&self.next).nth(at)).copied().unwrap_or(AWAKE)
    }

    /// How these states of the level were found.
    pub fn of(&self, states: Range<usize>) -> &[SleepId] {
        &self.level[states.start - self.first..states.end - self.first]
    }
}
