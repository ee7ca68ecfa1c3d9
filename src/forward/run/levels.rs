//! Breadth-first search, level by level: the one loop of all searches that a single process makes.
//!
//! States have numbers in the order in which they are found, so that a level is a range of numbers. What is done with a
//! state, with how many threads, and where states are kept is up to the search. (The members of a cluster have no such loop:
//! each of them expands a part of a level when the coordinator says so.)

use std::ops::Range;

/// A level of a breadth-first search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Level {
    /// Its depth; that of the initial states is 0.
    pub depth: usize,
    pub states: Range<usize>,
    /// Number of states of the level before.
    pub before: usize,
}

/// A search by levels.
pub trait Levels {
    /// Number of states found so far.
    fn found(&self) -> usize;

    /// Counts a piece of work; false when it is time to stop.
    fn tick(&mut self) -> bool;

    /// Called before the states of a level are expanded, except for the level with which the loop begins; false when it is
    /// time to stop.
    fn begin_level(&mut self, level: &Level) -> bool;

    /// Expands some states of a level, from `first` on, and stores their successors; returns the first state that it did not
    /// expand. `None` when the search has ended.
    fn expand(&mut self, level: &Level, first: usize) -> Option<usize>;
}

/// Expands the states of a level and all that are found from them, until there are no more or the search ends. Returns the
/// last level that was begun.
pub fn breadth_first(search: &mut impl Levels, mut level: Level) -> Level {
    let mut next = level.states.start;
    while next < search.found() && search.tick() {
        if next == level.states.end {
            level =
                Level { depth: level.depth + 1, before: level.states.len(), states: next..search.found() };
            if !search.begin_level(&level) {
                break;
            }
        }
        let Some(after) = search.expand(&level, next) else { break };
        next = after;
    }
    level
}
