//! A worker searches steps from a level to states of the next one: parents are not stored, since only runs need them.

use std::ops::Range;
use std::sync::Arc;

use crate::clock::{Clock, Ticker};
use crate::program::{Program, Scratch};
use crate::store::{Store, hash};
use crate::tuning::CHUNK_STATES;
use cubicle_run::Stop;

/// States whose parents are wanted, and the results so far.
#[derive(Debug)]
pub struct Wanted {
    /// The states that are not expanded yet.
    level: Range<usize>,
    targets: Store,
    /// For each target, the smallest state with a step to it.
    parents: Vec<Option<Vec<u64>>>,
    scratch: Scratch,
}

impl Wanted {
    /// Search for steps from these states to `targets`, which are distinct and stored one after the other.
    pub fn new(level: Range<usize>, targets: &[u64], program: &Program, clock: &Arc<Clock>) -> Self {
        let words = program.packing.words;
        let mut store = Store::small(words);
        for target in targets.chunks_exact(words) {
            store.insert(target, hash(target));
        }
        let scratch = Scratch::timed(program, clock);
        Self { level, parents: vec![None; store.len()], targets: store, scratch }
    }

    /// The results, by the index of the target.
    pub fn found(&mut self) -> Vec<(usize, Vec<u64>)> {
        let found = self.parents.iter_mut().enumerate();
        found.filter_map(|(place, parent)| Some((place, parent.take()?))).collect()
    }

    /// Expands a few states; returns whether all are expanded.
    pub fn look(
        &mut self,
        program: &Program,
        store: &Store,
        clock: &Clock,
        ticker: &mut Ticker,
    ) -> Result<bool, Stop> {
        let Self { level, targets, parents, scratch } = self;
        let mut halt = None;
        for number in level.by_ref().take(CHUNK_STATES) {
            let state = store.state(number);
            program.successors(state, scratch, |_, next| {
                let tried = program.symmetry.canonicalize(&program.cells, &program.packing, next);
                if let Some(place) = targets.find(next)
                    && parents[place].as_deref().is_none_or(|known| state < known)
                {
                    parents[place] = Some(state.to_vec());
                }
                halt = ticker.count(1 + tried, clock);
                halt.is_some()
            });
            if let Some(stop) = halt {
                return Err(stop);
            }
        }
        Ok(level.start >= level.end)
    }
}
