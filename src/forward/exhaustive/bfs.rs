//! Breadth-first search, level by level.

use crate::forward::error::Unbuildable;
use crate::forward::exhaustive::expand::Chunk;
use crate::forward::exhaustive::search::{Search, depth_point};
use crate::forward::program::sleep::{LevelSleep, SleepId};
use crate::forward::tuning::CHUNK;
use crate::forward::tuning::{STEEP, WORTHWHILE};
use crate::observer::Observer;
use crate::result::Stop;

impl Search<'_> {
    /// Whether everything was expanded.
    pub fn bfs(&mut self, observer: &mut dyn Observer) -> Result<bool, Unbuildable> {
        self.limits.bound_memory(self.visited.store.bytes_each() + size_of::<u32>() + size_of::<SleepId>());
        self.seed()?;
        self.curve.note(|| depth_point(0, self.visited.store.len()));
        self.sleeps = LevelSleep::of_roots(self.visited.store.len());
        let mut expander = self.expanders()();
        let mut chunk = Chunk::default();
        let mut cursor = 0;
        let mut level_end = self.visited.store.len();
        let mut level = 0;
        let mut level_start = 0;
        let most = (self.limits.max_states, self.limits.full);
        // Whether it is for several threads.
        let mut several = self.options.jobs > 1;
        while cursor < self.visited.store.len() && self.limits.tick() {
            if cursor == level_end {
                level += 1;
                self.sleeps.next_level();
                let past = level_end - level_start;
                level_start = level_end;
                level_end = self.visited.store.len();
                self.depth = level;
                self.curve.note(|| depth_point(level, level_end));
                (self.limits.max_states, self.limits.full) = most;
                let steep = STEEP * past as f64 <= (level_end - level_start) as f64;
                if steep && let Some(states) = self.options.steep.filter(|n| (level_end..most.0).contains(n))
                {
                    (self.limits.max_states, self.limits.full) = (states, Stop::States);
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
            if several && level_end - cursor >= WORTHWHILE {
                match self.share(cursor..level_end, observer) {
                    Some(end) => cursor = end,
                    None => several = false,
                }
            } else {
                let range = cursor..level_end.min(cursor + CHUNK);
                let sleeps = self.sleeps.of(range.clone());
                expander.expand(range.clone(), self.visited.store.states(range), sleeps, &mut chunk);
                self.take_in(&chunk);
                cursor = chunk.range.end;
            }
        }
        if self.visited.store.len() > level_end {
            self.depth = level + 1;
        }
        Ok(self.limits.stop.is_none())
    }

    /// Whether some part of each of these declarations has fired.
    fn have_fired(&self, declarations: &[u16]) -> bool {
        let parts = || self.system.transitions.iter().zip(&self.fired);
        declarations.iter().all(|origin| parts().any(|(t, fired)| t.origin == *origin && *fired > 0))
    }
}
