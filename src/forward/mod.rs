//! Explicit-state exploration of an instance with k processes.
//!
//! A concrete state gives each cell a value of its type; a proc cell may hold a value that is none of
//! the processes. Cells that nothing has read yet may stay *undefined*: they stand for all their values
//! and split when a guard, a condition, a copy or a bad cube looks at them. Nothing is lost or added by
//! that, only counts differ ([`Exploration::compressed`]).
//!
//! `machine` compiles an instance from the IR, `search` (which leaves out the steps that `commuting`
//! tells are in vain) and `walk` drive it, `outside` tells which deadlocks count, `trace` turns what they
//! find into concrete runs, `columns` answers the backward search.

// Codes are small numbers or stored integers, and cells, states and instances are numbered from 0 far
// below the sign bit; where a conversion could wrap, it is checked or masked before.
#![allow(clippy::cast_possible_wrap, clippy::cast_sign_loss)]
// Shares and probabilities need no more than the mantissa holds.
#![allow(clippy::cast_precision_loss)]

mod columns;
mod conclude;
mod error;
mod exhaustive;
mod fuzz;
mod ground;
mod program;
mod run;
mod space;
mod state;
mod store;
mod symmetry;
#[cfg(test)]
mod tests;
mod tuning;
mod views;

use std::sync::Arc;

use crate::interrupt::Interrupt;
use crate::model::System;
use crate::observer::{Event, Observer};
use crate::options::{ForwardOptions, Strategy};
use crate::oracle::Growth;
use crate::result::{Exploration, Stop};
use exhaustive::search::Search;
use fuzz::campaign::Walk;
use program::compile::BuildOptions;
use program::compiled::Machine;
use space::Seen;
pub use space::StateSpace;
pub use views::Views;

/// An explored instance: what is to be said of it and, apart, its states.
#[derive(Clone, Debug)]
pub struct Explored {
    /// What was seen, as plain data.
    pub exploration: Exploration,
    /// The states, for [`StateSpace`]; `None` when the instance could not be explored at all.
    states: Option<Seen>,
}

impl Explored {
    /// Goes on with walks until there are so many states; whether there are more than before. A bad state
    /// on the way is put down as in [`explore()`].
    pub fn grow_to(&mut self, states: usize) -> bool {
        let Some(seen) = self.states.clone() else { return false };
        let before = self.exploration.states;
        if let Growth::Unsafe(trace) = seen.grow_to(states) {
            if seen.stops_at_unsafe() {
                self.exploration.stop = Stop::Unsafe;
            }
            self.exploration.unsafe_trace.get_or_insert(*trace);
        }
        self.exploration.states = seen.states();
        seen.add_coverage(&mut self.exploration);
        self.exploration.states > before
    }
}

impl Explored {
    /// The views of so many processes that the states have; `None` when there are no states.
    pub fn views(&self, procs: usize) -> Option<Views> {
        self.states.as_ref().map(|seen| seen.views(procs))
    }
}

/// Explores the instance of `system` with `procs` processes.
pub fn explore(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Explored {
    let strategy = match options.strategy {
        Strategy::Bfs => "bfs",
        Strategy::Dfs => "dfs",
        Strategy::Random => "random",
        Strategy::Cfl => "cfl",
    };
    observer.event(system, Event::ForwardStart { strategy, procs });
    let build = BuildOptions {
        symmetry: options.symmetry,
        undefined: options.undefined_cells,
        range: options.number_range,
        expected_end: &options.expected_end,
        interrupt,
    };
    let machine = match Machine::new(system, procs, build) {
        Ok(machine) => Arc::new(machine),
        Err(why) => return none(procs, why.into()),
    };
    let system = Arc::new(system.clone());
    let mut walk = None;
    let walks = match options.strategy {
        Strategy::Bfs => false,
        Strategy::Dfs => options.restart.is_some(),
        Strategy::Random | Strategy::Cfl => true,
    };
    let found = if walks {
        let mut new = Walk::new(Arc::clone(&system), Arc::clone(&machine), options, interrupt);
        new.run(observer).map(|()| {
            let found = conclude::conclude(new.searched(), observer);
            let visited = new.take_visited();
            walk = Some(new);
            (found, visited)
        })
    } else {
        conclude::search(Search::new(&system, &machine, options, interrupt), observer)
    };
    let (found, visited) = match found {
        Ok(found) => found,
        Err(why) => return none(procs, why.into()),
    };
    let states = visited.store.len();
    let seen = Seen::new(system, Arc::clone(&machine), visited, walk, options, interrupt);
    let mut unsafe_traces = found.unsafe_traces.into_iter();
    let exploration = Exploration {
        procs,
        states,
        symmetry: machine.symmetry.is_on(),
        compressed: machine.cells.cells.iter().any(|c| c.undef),
        depth: found.course.depth,
        stop: found.course.stop,
        unsafe_trace: unsafe_traces.next(),
        more_unsafe_traces: unsafe_traces.collect(),
        deadlocks: found.deadlocks,
        deadlock_states: found.deadlock_states,
        outside_deadlocks: found.outside_deadlocks,
        outside_deadlock_states: found.outside_states,
        unclear_deadlock_states: found.unclear_states,
        fired: found.course.fired,
        seed: options.seed,
        epochs: found.course.epochs,
        combinations: found.course.combinations,
        techniques: found.course.techniques,
    };
    Explored { exploration, states: Some(seen) }
}

fn none(procs: usize, stop: Stop) -> Explored {
    Explored { exploration: Exploration::none(procs, stop), states: None }
}

/// States of an oracle without limits, when all cells are finite.
const ORACLE_STATES: usize = 300_000;
/// ...and when its end is not in sight: walks soon see more of what is asked for.
const STEEP_STATES: usize = 100_000;
/// States of an oracle without limits, when there are numbers: counters seldom end by themselves.
const ORACLE_STATES_WITH_NUMBERS: usize = 10_000;
/// Walks that look deeper than a breadth-first search which this limit ended add three quarters of it.
const DEEPER: (usize, usize) = (3, 4);

/// As [`explore()`], for an exploration that only serves as oracle.
///
/// Without any limit in the options it gets one, on the number of states: a smaller one where the levels
/// of a breadth-first search grow fast. A search that does not end within it goes on as
/// [`Strategy::Cfl`], to three quarters more: what lies deep is out of its reach, and one witness of each
/// small cube is all that an oracle needs.
pub fn explore_oracle(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Explored {
    if options.max_states.is_some() || options.time.is_some() || options.depth.is_some() {
        return explore(system, procs, options, interrupt, observer);
    }
    let numbers = system.vars.iter().any(|v| v.ty.is_numeric()) && options.number_range.is_none();
    let first = if numbers { ORACLE_STATES_WITH_NUMBERS } else { ORACLE_STATES };
    let options = ForwardOptions { steep: Some(STEEP_STATES), ..options.clone() };
    explore_within(system, procs, first, &options, interrupt, observer)
}

/// As [`explore_oracle()`], with `states` as the number within which a breadth-first search must end lest
/// it goes on as walks.
pub fn explore_within(
    system: &System,
    procs: usize,
    states: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Explored {
    let limited = ForwardOptions { max_states: Some(states), ..options.clone() };
    let mut explored = explore(system, procs, &limited, interrupt, observer);
    if options.strategy == Strategy::Bfs && explored.exploration.stop == Stop::States {
        let states = explored.exploration.states;
        explored.grow_to(states + states * DEEPER.0 / DEEPER.1);
    }
    explored
}
