//! Breadth-first search, on one thread or several.

use std::ops::Range;
use std::sync::Arc;

use crate::checkpoint::{Course, SearchKeeper};
use crate::error::{StorageError, Unbuildable};
use crate::exhaustive::expand::{Chunk, Expander};
use crate::exhaustive::search::{Piece, Search};
use crate::run::{Level, Levels, Tally, breadth_first};
use crate::tuning::{CHUNK_STATES, MIN_SHARED_STATES, STEEP_GROWTH};
use cubicle_run::{Observer, Stop};
use tracing::debug;

/// A breadth-first search with the buffers of its own thread.
struct Bfs<'s, 'a> {
    search: &'s mut Search<'a>,
    observer: &'s mut dyn Observer,
    expander: Expander,
    chunk: Chunk,
    buffer: Vec<u64>,
    /// Whether a level beyond the depth bound was left out.
    bounded: bool,
}

impl Search<'_> {
    /// Returns whether everything was expanded.
    pub fn bfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        self.visited.take_folder(self.problem.options, &mut self.limits)?;
        let resumed = self.resume()?;
        self.visited.bound(&mut self.limits);
        let level = if let Some(level) = resumed {
            self.apply_steep_limit(&level);
            level
        } else {
            self.seed()?;
            self.curve.note_level(0, self.visited.len());
            Level { states: 0..self.visited.len(), ..Level::default() }
        };
        let expander = self.expanders()();
        let (chunk, buffer) = (Chunk::default(), Vec::new());
        let mut bfs = Bfs { search: self, observer, expander, chunk, buffer, bounded: false };
        let last = breadth_first(&mut bfs, level);
        let bounded = bfs.bounded;
        self.end(&last);
        Ok(self.limits.stop.is_none() && !bounded)
    }

    /// Expands a range of states of one level with helpers, until its end, the end of the search, or a move of the
    /// states; returns where it stopped.
    fn share(&mut self, range: Range<usize>, observer: &mut dyn Observer) -> usize {
        let workers = Arc::clone(&self.workers);
        let mut pipeline = std::mem::take(&mut self.pipeline);
        let (helped, mut lead) = pipeline.lead();
        // The time of helpers counts from what this thread has used.
        self.limits.look();
        let expander = self.expanders();
        let expand = |Piece { range, states, sleeps, chunk }: &mut Piece, expander: &mut Expander| {
            expander.expand(range.clone(), states, sleeps, chunk);
        };
        let help = || {
            let mut own = expander();
            helped.help(|piece| expand(piece, &mut own));
        };
        let mut stored = range.start;
        workers.lead(help, || {
            let mut expander = expander();
            let (mut cursor, mut buffer) = (range.start, Vec::new());
            while self.limits.tick() && self.visited.is_loaded(&(stored..range.end)) {
                while cursor < range.end && lead.has_room() {
                    let states = cursor..range.end.min(cursor + CHUNK_STATES);
                    cursor = states.end;
                    lead.hand_out(|piece| {
                        piece.sleeps.clear();
                        piece.sleeps.extend_from_slice(self.visited.sleeps(states.clone()));
                        piece.states.clear();
                        piece.states.extend_from_slice(self.visited.states(states.clone(), &mut buffer));
                        piece.range = states;
                    });
                }
                let Some(mut piece) = lead.next(|piece| expand(piece, &mut expander)) else { break };
                let Piece { range: of, chunk, .. } = &mut *piece;
                self.merge_chunk(chunk);
                stored = chunk.successors.of.end;
                while stored < of.end && self.visited.is_loaded(&(stored..of.end)) && self.limits.tick() {
                    let rest = stored..of.end;
                    // Later pieces have already been expanded.
                    expander.forget();
                    let states = self.visited.states(rest.clone(), &mut buffer);
                    expander.expand(rest.clone(), states, self.visited.sleeps(rest), chunk);
                    self.merge_chunk(chunk);
                    stored = chunk.successors.of.end;
                }
                self.report(stored, observer);
            }
            drop(lead);
        });
        self.pipeline = pipeline;
        stored
    }

    /// Called after the last level: successors found before the search ended within it count.
    fn end(&mut self, last: &Level) {
        if let Some(stop @ (Stop::Wide | Stop::Fired)) = self.limits.stop
            && !self.visited.is_deduplicated()
        {
            self.limits.stop = None;
            self.deduplicate();
            self.limits.stop.get_or_insert(stop);
        }
        self.visited.end();
        if self.visited.len() > last.states.end {
            self.depth = last.depth + 1;
        }
    }

    /// Where a level has many more states than the level before, applies a lower limit on states when the options say so.
    fn apply_steep_limit(&mut self, level: &Level) {
        let steep = STEEP_GROWTH * level.before as f64 <= level.states.len() as f64;
        let most = self.problem.options.steep;
        self.limits.bound_growth(most.filter(|most| steep && *most >= level.states.end));
    }

    /// Begins with a checkpoint, or a folder for one: the level to expand, when the search is resumed.
    fn resume(&mut self) -> Result<Option<Level>, Unbuildable> {
        let Some(to) = &self.problem.options.checkpoint else { return Ok(None) };
        let (keeper, known) = SearchKeeper::new(to, self.problem, &mut self.visited, &mut self.limits)?;
        self.keeper = Some(keeper);
        let Some((level, rest)) = known else { return Ok(None) };
        (self.tally.fired, self.tally.findings) = (rest.fired, rest.findings);
        (self.tally.numbers, self.curve, self.depth) = (rest.numbers, rest.curve, level.depth);
        Ok(Some(level))
    }

    /// Writes a checkpoint when one is due.
    fn keep(&mut self, level: &Level) -> Result<(), StorageError> {
        let Some(keeper) = &mut self.keeper else { return Ok(()) };
        if !keeper.reach(level) {
            return Ok(());
        }
        let Tally { numbers, fired, findings, .. } = &self.tally;
        let (fired, curve) = (fired.clone(), self.curve.clone());
        keeper.save(level, &Course { numbers: *numbers, fired, curve, findings }, &self.visited)
    }

    /// Whether some part of each of these declarations has fired.
    fn have_fired(&self, declarations: &[u16]) -> bool {
        let parts = || self.problem.program.system.transitions.iter().zip(&self.tally.fired);
        declarations.iter().all(|origin| parts().any(|(t, fired)| t.origin == *origin && *fired > 0))
    }
}

impl Levels for Bfs<'_, '_> {
    fn found(&self) -> usize {
        self.search.visited.len()
    }

    fn tick(&mut self) -> bool {
        self.search.limits.tick()
    }

    fn begin_level(&mut self, level: &Level) -> bool {
        let search = &mut *self.search;
        search.visited.next_level();
        let Level { depth, states, .. } = level;
        debug!(level = depth, new = states.len(), states = states.end, "level");
        search.depth = *depth;
        search.curve.note_level(*depth, states.end);
        search.apply_steep_limit(level);
        if let Err(why) = search.keep(level) {
            search.fail(why);
        }
        search.limits.stop.is_none()
    }

    fn expand(&mut self, level: &Level, first: usize) -> Option<usize> {
        let Self { search, observer, expander, chunk, buffer, bounded } = self;
        let options = search.problem.options;
        *bounded = options.depth.is_some_and(|most| level.depth >= most);
        if *bounded {
            return None;
        }
        if options.until_fired.as_ref().is_some_and(|all| search.have_fired(all)) {
            search.limits.stop = Some(Stop::Fired);
            return None;
        }
        search.report(first, *observer);
        let ready = match search.visited.load(first..level.states.end) {
            Ok(end) => first..end,
            Err(why) => {
                search.fail(why);
                return None;
            }
        };
        let next = if options.jobs > 1 && ready.len() >= MIN_SHARED_STATES {
            search.share(ready, *observer)
        } else {
            let range = first..ready.end.min(first + CHUNK_STATES);
            let states = search.visited.states(range.clone(), buffer);
            expander.expand(range.clone(), states, search.visited.sleeps(range), chunk);
            search.merge_chunk(chunk);
            chunk.successors.of.end
        };
        if (next == level.states.end || search.visited.must_deduplicate()) && search.limits.stop.is_none() {
            search.deduplicate();
        }
        Some(next)
    }
}
