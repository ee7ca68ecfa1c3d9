//! Transitions of processes that a state does not distinguish: firing one of them is enough.

use crate::state::Packing;
use crate::symmetry::canonical::Symmetry;
use crate::tuning::MAX_EXCHANGEABLE;

/// Which instances are worth firing in a state some of whose neighbouring processes are equal: exchanging
/// these changes nothing, so of the instances that such exchanges map to one another the first is
/// enough.
#[derive(Clone, Debug)]
pub struct Exchangeable {
    words: usize,
    /// For each set of equal neighbours (bit i: processes i and i + 1), a bit set of instances.
    rows: Vec<u64>,
}

impl Exchangeable {
    /// `arguments` of each instance, in order; `None` without symmetry, or for too many processes.
    pub fn new<'a>(
        symmetry: &Symmetry,
        procs: usize,
        arguments: impl Iterator<Item = &'a [u8]> + Clone,
    ) -> Option<Self> {
        if !symmetry.is_on() || procs > MAX_EXCHANGEABLE {
            return None;
        }
        let words = arguments.clone().count().div_ceil(64);
        let mut rows = vec![0u64; words << (procs - 1)];
        for (i, args) in arguments.enumerate() {
            // Pairs of neighbours of which the instance uses the second without the first before it.
            let position = |p: usize| args.iter().position(|a| usize::from(*a) == p);
            let late = (0..procs - 1)
                .filter(|p| {
                    position(p + 1).is_some_and(|second| position(*p).is_none_or(|first| first > second))
                })
                .fold(0usize, |set, p| set | 1 << p);
            for equal in 0..1usize << (procs - 1) {
                if equal & late == 0 {
                    rows[equal * words + i / 64] |= 1 << (i % 64);
                }
            }
        }
        Some(Self { words, rows })
    }

    /// Removes instances that are not worth firing in the canonical `state` from `enabled`.
    #[inline]
    pub fn prune(&self, symmetry: &Symmetry, packing: &Packing, state: &[u64], enabled: &mut [u64]) {
        let equal = match symmetry {
            Symmetry::Off => return,
            Symmetry::Lanes(lanes) | Symmetry::Mixed(lanes, _) => lanes.equal_neighbours(state),
            Symmetry::General(general) => general.equal_neighbours(packing, state),
        };
        if equal != 0 {
            for (e, row) in enabled.iter_mut().zip(&self.rows[equal * self.words..]) {
                *e &= row;
            }
        }
    }
}
