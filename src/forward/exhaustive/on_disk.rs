//! Breadth-first search with its states on a disk, from the moment when the memory is full.
//!
//! Successors are only buffered while a level is expanded; at its end they are compared with all states at once. What was
//! found, how often transitions fired and where a limit cuts are as in memory: where the search ends within
//! a level, the steps before that point are repeated.

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use crate::clock::Ticker;
use crate::error::StorageError;
use crate::exhaustive::expand::{Chunk, Expander};
use crate::exhaustive::overflow::{Overflow, SpillPoint};
use crate::exhaustive::search::Search;
use crate::program::sleep::{AWAKE, LevelSleep};
use crate::store::disk::folder::Folder;
use crate::store::disk::states::{DiskStates, Offer, Settled};
use crate::store::origin::ROOT;
use crate::store::visited::Visited;
use crate::tuning::CHUNK;
use cubicle_run::result::Stop;

impl Search<'_> {
    /// Opens the folder that the options name.
    pub fn take_folder(&mut self) -> Result<(), StorageError> {
        if let Some(spill) = &self.options.spill {
            self.overflow = Overflow::Spills(Folder::take(&spill.folder)?);
            self.limits.bound_in_memory(spill.after);
        }
        Ok(())
    }

    /// Whether the search may continue on the disk when the memory is full.
    pub const fn may_spill(&self) -> bool {
        matches!(self.overflow, Overflow::Spills(_))
    }

    /// The memory is full: moves the states to the disk. The next state to be expanded is `next`, except that
    /// the caller still holds successors of states before it, from `first` on.
    #[cold]
    pub fn spill(&mut self, first: usize, next: usize) {
        let words = self.program.packing.words;
        let Some(mut disk) = self.overflow.spills(self.options, words) else { return };
        if let Err(why) = self.write_all(&mut disk) {
            return self.fail(why);
        }
        // The states in memory are freed before the sort, which needs memory.
        self.visited = Visited::on_disk(words, disk);
        self.sleeps = LevelSleep::default();
        if let Err(why) = self.visited.disk.as_mut().map_or(Ok(()), |disk| disk.sort_from(0)) {
            return self.fail(why);
        }
        self.limits.stop = None;
        self.are_spilled(first, next);
    }

    /// Records that states are on the disk, and lifts the memory bound on their number; parameters as in [`Search::spill`].
    pub fn are_spilled(&mut self, first: usize, next: usize) {
        self.limits.bound_in_memory(None);
        self.limits.unbound_memory();
        self.may_pack = false;
        self.overflow = Overflow::Spilled(SpillPoint {
            first,
            next,
            loaded: next,
            fired: self.fired.clone(),
            deadlocks: self.findings.counts(),
        });
    }

    /// Writes the states so far.
    fn write_all(&self, disk: &mut DiskStates) -> Result<(), StorageError> {
        let words = self.program.packing.words;
        let mut buffer = Vec::new();
        for first in (0..self.visited.len()).step_by(CHUNK) {
            let range = first..self.visited.len().min(first + CHUNK);
            let states = self.visited.states(range.clone(), &mut buffer);
            for (number, state) in range.zip(states.chunks_exact(words)) {
                disk.append(state, self.visited.parent(number), self.sleeps.get(number))?;
            }
        }
        Ok(())
    }

    /// Ends the search after a disk error.
    #[cold]
    pub fn fail(&mut self, why: StorageError) {
        self.fault = Some(why);
        self.limits.stop = Some(Stop::Storage);
    }

    /// Buffers the successors of a chunk from number `first` on.
    pub fn buffer(&mut self, chunk: &Chunk, first: usize) {
        let words = self.program.packing.words;
        let mut parent = chunk.parents();
        for at in first..chunk.successors.len() {
            let disk = self.visited.disk.as_mut().expect("the caller checked it");
            let put = disk.push(chunk.successors.state(at, words), parent(at), chunk.successors.sleep[at]);
            if let Err(why) = put {
                return self.fail(why);
            }
        }
        self.take_account(chunk);
    }

    /// Buffers an initial state.
    pub fn buffer_initial(&mut self, state: &[u64]) {
        let disk = self.visited.disk.as_mut().expect("the caller has seen it");
        let put = disk.push(state, ROOT, AWAKE);
        let full = !disk.has_place() || disk.is_due();
        if let Err(why) = put {
            self.fail(why);
        } else if full {
            self.deduplicate(0);
        }
    }

    /// Loads some states of a level, from `first` on, where they are not in memory; returns the end of the loaded range.
    pub fn reach(&mut self, level: Range<usize>) -> usize {
        let (Some(disk), Overflow::Spilled(before)) = (&mut self.visited.disk, &mut self.overflow) else {
            return level.end;
        };
        before.next = level.start;
        // Chunks are cut as they are in memory.
        if before.loaded.saturating_sub(level.start) < CHUNK && before.loaded < level.end {
            match disk.load(level.clone()) {
                Ok((end, sleeps)) => {
                    before.loaded = end;
                    self.sleeps = LevelSleep::of_level(level.start, sleeps);
                }
                Err(why) => self.fail(why),
            }
        }
        match &self.overflow {
            Overflow::Spilled(before) if self.limits.stop.is_none() => before.loaded.min(level.end),
            _ => level.start,
        }
    }

    /// The next state to be expanded, when the search has moved to the disk.
    pub const fn spilled_at(&self) -> Option<usize> {
        match &self.overflow {
            Overflow::Spilled(before) => Some(before.next),
            _ => None,
        }
    }

    /// Compares the buffered successors with the states, when these are on the disk: the level has been expanded, or will
    /// not be finished. The next state that is to be expanded is `next`.
    pub fn deduplicate(&mut self, next: usize) {
        let Some(mut disk) = self.visited.disk.take() else { return };
        let (ticker, clock) = (RefCell::new(Ticker::new()), Arc::clone(&self.limits.clock));
        let go_on = || ticker.borrow_mut().tick(&clock).is_none();
        let settled = disk.deduplicate(&go_on, &mut |number, state| self.offer(number, state));
        self.visited.disk = Some(disk);
        match settled {
            Ok(Settled::All) => {}
            Ok(Settled::Interrupted) => self.limits.look(),
            Ok(Settled::Ended(state, parent)) => {
                if let Err(why) = self.count_until(&state, parent) {
                    self.fail(why);
                }
            }
            Err(why) => self.fail(why),
        }
        if let Overflow::Spilled(before) = &mut self.overflow {
            (before.first, before.fired) = (next, self.fired.clone());
            before.deadlocks = self.findings.counts();
        }
    }

    /// Decides about a new state, as in memory.
    fn offer(&mut self, number: usize, state: &[u64]) -> Offer {
        if number >= self.limits.max_states {
            self.limits.stop = Some(self.limits.full);
            return Offer::Refuse;
        }
        if self.program.may_be_bad(state, &mut self.bad_scratch) {
            self.look_at(number, state);
        }
        if self.limits.stop.is_some() { Offer::Last } else { Offer::Take }
    }

    /// The search ends with the first step to `last`, which comes from state number `parent`: later steps do not count.
    fn count_until(&mut self, last: &[u64], parent: u32) -> Result<(), StorageError> {
        let Overflow::Spilled(before) = &self.overflow else { return Ok(()) };
        if parent == ROOT {
            return Ok(());
        }
        let (first, parent) = (before.first, parent as usize);
        self.fired.clone_from(&before.fired);
        self.findings.reset(&before.deadlocks);
        let words = self.program.packing.words;
        let mut expander: Expander<'_> = self.expanders()();
        let (mut chunk, mut at) = (Chunk::default(), first);
        while at <= parent {
            let disk = self.visited.disk.as_mut().expect("it is there when states are");
            let (end, sleeps) = disk.load(at..parent + 1)?;
            let sleeps = LevelSleep::of_level(at, sleeps);
            while at < end {
                // The chunk of `parent` itself is expanded alone.
                let range = at..end.min(at + CHUNK).min(parent.max(at + 1));
                let states = disk.loaded(range.clone());
                if range.start == parent {
                    expander.forget();
                }
                expander.expand(range.clone(), states, sleeps.of(range.clone()), &mut chunk);
                at = chunk.range.end;
                if chunk.aborted {
                    return Ok(());
                }
                let fired = if range.start == parent {
                    let place =
                        (0..chunk.successors.len()).find(|at| chunk.successors.state(*at, words) == last);
                    let place = place.expect("it is a successor of that state");
                    chunk.fired_until(self.program, states, &sleeps, place)
                } else {
                    chunk.fired.clone()
                };
                for (total, n) in self.fired.iter_mut().zip(fired) {
                    *total = total.saturating_add(n);
                }
                for (state, refined) in chunk.deadlocks.iter().filter(|(state, _)| *state < parent) {
                    self.findings.deadlock(self.program, *state, refined.clone());
                }
            }
        }
        Ok(())
    }

    /// Successors buffered before the search ended within a level count, as they do in memory.
    pub fn settle_rest(&mut self) {
        let Some(disk) = &mut self.visited.disk else { return };
        if let Some(stop @ (Stop::Wide | Stop::Fired)) = self.limits.stop
            && disk.is_waiting()
        {
            self.limits.stop = None;
            self.deduplicate(0);
            self.limits.stop.get_or_insert(stop);
        }
        if let Some(disk) = &mut self.visited.disk {
            disk.end();
        }
    }
}
