//! Shortest ways within the visited states to the errors that were found.

use crate::fuzz::campaign::Campaign;
use crate::program::Scratch;
use crate::store::ROOT;
use crate::tuning::{MAX_SHORTENED, TICKS_PER_READING};

impl Campaign {
    /// Replaces the ways to bad and deadlocked states by shortest ones within the visited
    /// states. Walks reach states by long detours.
    pub fn shorten(&mut self) {
        let stored = self.visited.store.len();
        let mut goals: Vec<u32> = self.findings.states().map(|s| s as u32).collect();
        if goals.is_empty() || stored > MAX_SHORTENED {
            return;
        }
        goals.sort_unstable();
        goals.dedup();
        let mut reached = vec![false; stored];
        let mut queue: Vec<u32> = Vec::new();
        for (number, reached) in reached.iter_mut().enumerate() {
            if self.visited.parents[number] == ROOT {
                *reached = true;
                queue.push(number as u32);
            }
        }
        let mut missing = goals.iter().filter(|t| !reached[**t as usize]).count();
        let mut scratch = Scratch::new(&self.program);
        let mut ticks = 0u32;
        let mut cursor = 0;
        let program = &self.program;
        while missing > 0 && cursor < queue.len() {
            ticks += 1;
            // The replacements so far are consistent, so that this may end at any time.
            if ticks >= TICKS_PER_READING {
                ticks = 0;
                if self.limits.clock.interrupted() {
                    return;
                }
            }
            let from = queue[cursor];
            cursor += 1;
            let state = self.visited.store.state(from as usize).to_vec();
            let (visited, depths) = (&mut self.visited, &mut self.depths);
            program.successors(&state, &mut scratch, |_, next| {
                ticks += program.symmetry.canonicalize(&program.cells, &program.packing, next);
                let Some(to) = visited.store.find(next) else { return false };
                if !reached[to] {
                    reached[to] = true;
                    visited.parents[to] = from;
                    depths[to] = depths[from as usize] + 1;
                    queue.push(to as u32);
                    missing -= usize::from(goals.binary_search(&(to as u32)).is_ok());
                }
                false
            });
        }
    }
}
