//! Breadth-first search, level by level.

use std::ops::Range;

use crate::checkpoint::course::LevelState;
use crate::checkpoint::keeper::{Keeper, Resumed};
use crate::checkpoint::states::LastLevel;
use crate::error::Unbuildable;
use crate::exhaustive::expand::Chunk;
use crate::exhaustive::search::{Search, depth_point};
use crate::program::sleep::LevelSleep;
use crate::tuning::CHUNK;
use crate::tuning::{STEEP, WORTHWHILE};
use cubicle_run::observer::Observer;
use cubicle_run::result::Stop;
use tracing::debug;

impl Search<'_> {
    /// Returns whether everything was expanded.
    pub fn bfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        self.take_folder()?;
        let (mut level, mut level_start) = (0, 0);
        if let Some(last) = self.go_on()? {
            (level, level_start) = (last.level, last.first);
            self.apply_steep_limit(last.past, level_start..self.visited.len());
        } else {
            if self.visited.is_table() {
                self.limits.bound_memory(self.table_bytes_each());
            }
            self.seed()?;
            self.deduplicate(0);
            self.visited.lossy.iter_mut().for_each(|lossy| lossy.next_level());
            self.curve.note(|| depth_point(0, self.visited.len()));
            if self.visited.disk.is_none() {
                self.sleeps = LevelSleep::of_roots(self.visited.len());
            }
        }
        let mut expander = self.expanders()();
        let mut chunk = Chunk::default();
        let mut buffer = Vec::new();
        let mut cursor = level_start;
        let mut level_end = self.visited.len();
        // Whether several threads are used.
        let mut several = self.options.jobs > 1;
        while cursor < self.visited.len() && self.limits.tick() {
            if cursor == level_end {
                level += 1;
                self.sleeps.next_level();
                self.visited.lossy.iter_mut().for_each(|lossy| lossy.next_level());
                several = self.options.jobs > 1 && (several || !self.visited.is_table());
                let past = level_end - level_start;
                level_start = level_end;
                level_end = self.visited.len();
                self.depth = level;
                debug!(level, new = level_end - level_start, states = level_end, "level");
                self.curve.note(|| depth_point(level, level_end));
                self.apply_steep_limit(past, level_start..level_end);
                self.keep(level, level_start);
                if self.limits.stop.is_some() {
                    break;
                }
            }
            if self.options.depth.is_some_and(|d| level >= d) {
                return Ok(false);
            }
            if self.options.until_fired.as_ref().is_some_and(|all| self.have_fired(all)) {
                self.limits.stop = Some(Stop::Fired);
                break;
            }
            self.report(cursor, observer);
            let ready = self.reach(cursor..level_end);
            if ready == cursor {
                break;
            }
            if several && ready - cursor >= WORTHWHILE {
                match self.share(cursor..ready, observer) {
                    Some(end) => cursor = end,
                    None => several = false,
                }
            } else {
                let range = cursor..ready.min(cursor + CHUNK);
                let sleeps = self.sleeps.of(range.clone());
                let states = self.visited.states(range.clone(), &mut buffer);
                expander.expand(range, states, sleeps, &mut chunk);
                self.merge_chunk(&chunk);
                cursor = chunk.range.end;
            }
            let due = self.visited.disk.as_ref().is_some_and(|disk| disk.is_due());
            if (due || cursor == level_end) && self.limits.stop.is_none() {
                self.deduplicate(cursor);
            }
        }
        self.settle_rest();
        if self.visited.len() > level_end {
            self.depth = level + 1;
        }
        Ok(self.limits.stop.is_none())
    }

    /// Where a level has many more states than the `past` ones of the level before, applies a lower limit on states when the
    /// options say so.
    fn apply_steep_limit(&mut self, past: usize, level: Range<usize>) {
        let steep = STEEP * past as f64 <= level.len() as f64;
        self.limits.bound_enough(self.options.steep.filter(|enough| steep && *enough >= level.end));
    }

    /// Begins with a checkpoint, or a folder for one: the level to expand, when the search is resumed.
    fn go_on(&mut self) -> Result<Option<LastLevel>, Unbuildable> {
        let Some(to) = &self.options.checkpoint else { return Ok(None) };
        let (options, words, overflow) = (self.options, self.program.packing.words, &mut self.overflow);
        let mut disk = || overflow.spills(options, words);
        let with = (&mut self.limits, &mut disk as &mut dyn FnMut() -> _);
        let (keeper, known) = Keeper::new(to, self.system, self.program, options, with)?;
        self.keeper = Some(keeper);
        let Some(Resumed { visited, may_pack, level, rest }) = known else { return Ok(None) };
        (self.visited, self.fired, self.findings) = (visited, rest.fired, rest.findings);
        (self.curve, self.numbers, self.depth) = (rest.curve, rest.numbers, level.level);
        self.may_pack = may_pack;
        if self.visited.disk.is_some() {
            self.are_spilled(level.first, level.first);
        } else if self.visited.compact.is_some() {
            self.are_packed();
        } else {
            self.limits.bound_memory(self.table_bytes_each());
        }
        self.sleeps = LevelSleep::of_level(level.first, rest.sleeps);
        Ok(Some(level))
    }

    /// Writes a checkpoint when one is due.
    fn keep(&mut self, level: usize, first: usize) {
        let Some(keeper) = self.keeper.as_mut().filter(|keeper| keeper.is_due()) else { return };
        let level_range = first..self.visited.len();
        let mut from_disk = Vec::new();
        let read = self.visited.disk.as_ref().map(|disk| {
            disk.each(level_range.clone(), &mut |_, _, sleep| {
                from_disk.push(sleep);
                Ok(())
            })
        });
        let state = LevelState {
            first,
            sleeps: if read.is_some() { &from_disk } else { self.sleeps.of(level_range) },
            fired: &self.fired,
            findings: &self.findings,
            curve: &self.curve,
            numbers: self.numbers,
        };
        let kept = read.unwrap_or(Ok(())).and_then(|()| keeper.level(level, &state, &self.visited));
        if let Err(why) = kept {
            self.fault = Some(why);
            self.limits.stop = Some(Stop::Storage);
        }
    }

    /// Whether some part of each of these declarations has fired.
    fn have_fired(&self, declarations: &[u16]) -> bool {
        let parts = || self.system.transitions.iter().zip(&self.fired);
        declarations.iter().all(|origin| parts().any(|(t, fired)| t.origin == *origin && *fired > 0))
    }
}
