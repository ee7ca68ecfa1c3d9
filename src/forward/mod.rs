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
mod error;
mod findings;
mod frontier;
mod ground;
mod outside;
mod pipeline;
mod program;
mod run;
mod search;
mod seeds;
mod sift;
mod space;
mod state;
mod store;
mod symmetry;
#[cfg(test)]
mod tests;
mod trace;
mod views;
mod walk;

use std::sync::Arc;

use crate::interrupt::Interrupt;
use crate::model::{System, TransitionId};
use crate::observer::{Event, Observer};
use crate::options::{ForwardOptions, Strategy};
use crate::oracle::Growth;
use crate::verdict::{Reason, Trace};
use program::compile::BuildOptions;
use program::compiled::Machine;
use search::Search;
use space::Seen;
pub use space::StateSpace;
pub use views::Views;
use walk::Walk;
pub use walk::{AROUND_DEADLOCKS, TechniqueReport};

/// Why an exploration ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Every reachable state was seen.
    Complete,
    /// States at the depth bound were not expanded.
    Depth,
    /// The state limit.
    States,
    /// The time limit of the exploration or of the run.
    Time,
    /// The memory limit.
    Memory,
    /// An unsafe state was found and the options ask to stop there.
    Unsafe,
    /// Not every number could be followed: one left the 64-bit range or `number_range`, or one that
    /// nothing bounds was read before it was written. All that was found is real, but it is not all.
    Numbers,
    /// The given number of epochs of walks has been run.
    Epochs,
    /// The given transitions have fired.
    Fired,
    /// Ctrl-C.
    Interrupted,
    /// A state has more successors than anybody waits for.
    Wide,
    /// The instance has too many cells, values or ground transitions to be explored at all.
    TooLarge,
    /// The system has no instance with so many processes.
    NoInstance,
}

/// The result of exploring one instance.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// Number of processes.
    pub procs: usize,
    /// States stored (orbits, with symmetry).
    pub states: usize,
    /// Whether `states` counts orbits.
    pub symmetry: bool,
    /// Whether some cell may be undefined in stored states, so that one stands for several concrete
    /// states.
    pub compressed: bool,
    /// Largest depth of a stored state.
    pub depth: usize,
    /// Why it ended.
    pub stop: Stop,
    /// A run to an unsafe state, when one was met.
    pub unsafe_trace: Option<Trace>,
    /// Runs to further bad cubes, one for each, when the exploration does not stop at the first.
    pub more_unsafe_traces: Vec<Trace>,
    /// Runs to the first deadlocked states that count; at most 256 of each kind, and fewer when they are long.
    /// A deadlock counts when some run leads to it without an outside value that init or `:= ?` merely
    /// allows; these are such runs. The others are apart, in `outside_deadlocks`.
    pub deadlocks: Vec<Trace>,
    /// Number of stored states that stand for a deadlocked one, of both kinds.
    pub deadlock_states: usize,
    /// Runs to deadlocked states that do not count, as far as that is known of each.
    pub outside_deadlocks: Vec<Trace>,
    /// Number of deadlocked states of the second kind, as far as is known.
    pub outside_deadlock_states: usize,
    /// Deadlocked states of which nobody knows whether they are of the second kind: a limit ended the
    /// search of runs without such values. 0 when `deadlocks` has a run.
    pub unclear_deadlock_states: usize,
    /// How often each transition fired, by its number. Exhaustive search leaves out steps to states that it
    /// meets anyway, but none of the first ones of a transition.
    pub fired: Vec<u64>,
    /// Seed of the random strategies.
    pub seed: u64,
    /// Epochs of walks: with the same seed and `epochs` set to this, the run repeats exactly.
    pub epochs: usize,
    /// Combinations of (cell, value) seen, up to renaming: how many cells each has, and how many there
    /// are. Only walks count them, and not those around deadlocks.
    pub combinations: Option<(usize, usize)>,
    /// What each technique of a walk contributed.
    pub techniques: Vec<TechniqueReport>,
    /// The states, for [`StateSpace`].
    seen: Option<Seen>,
}

impl Exploration {
    fn none(procs: usize, stop: Stop) -> Self {
        Self {
            procs,
            states: 0,
            symmetry: false,
            compressed: false,
            depth: 0,
            stop,
            unsafe_trace: None,
            more_unsafe_traces: Vec::new(),
            deadlocks: Vec::new(),
            deadlock_states: 0,
            outside_deadlocks: Vec::new(),
            outside_deadlock_states: 0,
            unclear_deadlock_states: 0,
            fired: Vec::new(),
            seed: 0,
            epochs: 0,
            combinations: None,
            techniques: Vec::new(),
            seen: None,
        }
    }

    /// The transitions that never fired, in file order.
    pub fn never_fired(&self) -> impl Iterator<Item = TransitionId> {
        self.fired.iter().enumerate().filter(|(_, n)| **n == 0).map(|(t, _)| TransitionId(t as u16))
    }
}

impl Exploration {
    /// Goes on with walks until there are so many states; whether there are more than before. A bad state
    /// on the way is put down as in [`explore()`].
    pub fn grow_to(&mut self, states: usize) -> bool {
        let Some(seen) = self.seen.clone() else { return false };
        let before = self.states;
        if let Growth::Unsafe(trace) = seen.grow_to(states) {
            if seen.stops_at_unsafe() {
                self.stop = Stop::Unsafe;
            }
            self.unsafe_trace.get_or_insert(*trace);
        }
        self.states = seen.states();
        seen.add_coverage(self);
        self.states > before
    }
}

impl Exploration {
    /// The views of so many processes that the states have; `None` when there are no states.
    pub fn views(&self, procs: usize) -> Option<Views> {
        self.seen.as_ref().map(|seen| seen.views(procs))
    }
}

/// Why an exploration ends when the run as a whole must.
impl From<Reason> for Stop {
    fn from(why: Reason) -> Self {
        match why {
            Reason::Interrupted(_) => Self::Interrupted,
            Reason::Memory => Self::Memory,
            _ => Self::Time,
        }
    }
}

/// Explores the instance of `system` with `procs` processes.
pub fn explore(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Exploration {
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
        Err(why) => return Exploration::none(procs, why.into()),
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
        new.run(observer).map(|found| {
            let visited = new.take_visited();
            walk = Some(new);
            (found, visited)
        })
    } else {
        Search::new(&system, &machine, options, interrupt).run(observer)
    };
    let (found, visited) = match found {
        Ok(found) => found,
        Err(why) => return Exploration::none(procs, why.into()),
    };
    let states = visited.store.len();
    let seen = Seen::new(system, Arc::clone(&machine), visited, walk, options, interrupt);
    let mut unsafe_traces = found.unsafe_traces.into_iter();
    Exploration {
        procs,
        states,
        symmetry: machine.symmetry.is_on(),
        compressed: machine.cells.cells.iter().any(|c| c.undef),
        depth: found.depth,
        stop: found.stop,
        unsafe_trace: unsafe_traces.next(),
        more_unsafe_traces: unsafe_traces.collect(),
        deadlocks: found.deadlocks,
        deadlock_states: found.deadlock_states,
        outside_deadlocks: found.outside_deadlocks,
        outside_deadlock_states: found.outside_states,
        unclear_deadlock_states: found.unclear_states,
        fired: found.fired,
        seed: options.seed,
        epochs: found.epochs,
        combinations: found.combinations,
        techniques: found.techniques,
        seen: Some(seen),
    }
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
) -> Exploration {
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
) -> Exploration {
    let limited = ForwardOptions { max_states: Some(states), ..options.clone() };
    let mut exploration = explore(system, procs, &limited, interrupt, observer);
    if options.strategy == Strategy::Bfs && exploration.stop == Stop::States {
        let states = exploration.states;
        exploration.grow_to(states + states * DEEPER.0 / DEEPER.1);
    }
    exploration
}
