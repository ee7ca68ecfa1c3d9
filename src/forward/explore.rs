//! Explores an instance: compiles it, searches it as the options say, and builds the runs to what was found.

use std::sync::Arc;

use crate::conclude;
use crate::error::{StorageError, Unbuildable};
use crate::exhaustive::search::Search;
use crate::explored::graph::Fingerprint;
use crate::explored::states::ExploredStates;
use crate::explored::views::Views;
use crate::fuzz::campaign::Campaign;
use crate::fuzz::swarm::Peers;
use crate::limits::Limits;
use crate::program::Program;
use crate::run::Problem;
use crate::tuning::{ORACLE_STATES, ORACLE_STATES_WITH_NUMBERS, STEEP_STATES, WALKED_SHARE};
use cubicle_lang::model::System;
use cubicle_run::named::Named;
use cubicle_run::{
    Event, Exploration, ForwardOptions, Interrupt, Observer, Oracle, OracleGrowth, Silent, Stop, Strategy,
};
use tracing::{debug, info, info_span};

/// An explored instance: the results and, separately, its states.
#[derive(Clone, Debug)]
pub struct Explored {
    /// The results, as plain data.
    pub exploration: Exploration,
    /// The states, for [`StateSpace`](crate::StateSpace); `None` when the instance could not be explored at all,
    /// its states went to a disk, or became numbers ([`StoreKind::Compact`](cubicle_run::StoreKind::Compact), or
    /// [`StoreKind::Auto`](cubicle_run::StoreKind::Auto) short of memory), where no oracle can read them.
    pub(super) states: Option<ExploredStates>,
    /// Other processes that answer questions about the states instead, and how they were explored.
    pub(super) remote: Option<Remote>,
}

/// States that other processes hold.
#[derive(Clone)]
pub struct Remote {
    /// Answers questions about the states.
    pub oracle: Arc<dyn Oracle + Send + Sync>,
    /// The system that was explored.
    pub system: Arc<System>,
    /// The options of the exploration.
    pub options: ForwardOptions,
    /// What may end the run.
    pub interrupt: Interrupt,
}

impl std::fmt::Debug for Remote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Remote")
    }
}

impl Explored {
    /// Continues with walks until there are `states` states; whether there are more than before. A bad state
    /// on the way is recorded as in [`explore()`].
    pub fn grow_to(&mut self, states: usize) -> bool {
        let Some(seen) = self.states.clone() else { return false };
        let before = self.exploration.states;
        if let OracleGrowth::Unsafe(trace) = seen.grow_to(states) {
            if seen.explored_as().1.stop_at_unsafe {
                self.exploration.stop = Stop::Unsafe;
            }
            self.exploration.unsafe_trace.get_or_insert(*trace);
        }
        self.exploration.states = seen.states();
        seen.add_coverage(&mut self.exploration);
        debug!(procs = self.exploration.procs, before, states = self.exploration.states, "walked on");
        self.exploration.states > before
    }

    /// As if explored within this limit on states, for the larger instances that are explored because of it.
    #[must_use]
    pub fn with_limit(self, states: usize) -> Self {
        Self { states: self.states.map(|seen| seen.with_limit(states)), ..self }
    }

    /// Adds other processes that answer questions about the states.
    #[must_use]
    pub fn with_remote(self, remote: Remote) -> Self {
        Self { remote: Some(remote), ..self }
    }

    /// The result for an instance that is unknown, since a cluster was lost or never existed.
    pub fn lost(procs: usize, why: String) -> Self {
        Self::of(Exploration { fault: Some(why), ..Exploration::none(procs, Stop::Cluster) })
    }

    /// The result for an instance of which nothing was explored before the run had to end.
    pub fn ended(procs: usize, stop: Stop) -> Self {
        Self::of(Exploration::none(procs, stop))
    }

    /// These results, without states.
    pub(super) const fn of(exploration: Exploration) -> Self {
        Self { exploration, states: None, remote: None }
    }

    /// A copy with states of its own; see [`StateSpace::fork`](crate::StateSpace::fork).
    pub(super) fn fork(&self) -> Self {
        Self { states: self.states.as_ref().map(ExploredStates::fork), ..self.clone() }
    }

    /// The number of states, including those added since it was explored.
    pub(super) fn stored(&self) -> usize {
        self.states.as_ref().map_or(self.exploration.states, ExploredStates::states)
    }

    /// The views of `procs` processes in these states; `None` when there are no states.
    pub fn views(&self, procs: usize) -> Option<Views> {
        self.states.as_ref().map(|seen| seen.views(procs))
    }

    /// The states or the `steps` of the instance, to be compared with those of another system with the same declarations; see
    /// [`Fingerprint`]. With `ordered`, the order of processes counts: then the exploration must not have used symmetry, and
    /// otherwise it must have ([`ForwardOptions::symmetry`]). `None` when this is violated, when not all states
    /// were explored, or some cell of a state is open.
    pub fn fingerprint(&self, steps: bool, ordered: bool) -> Option<Fingerprint> {
        let all = self.exploration.stop == Stop::Complete;
        self.states.as_ref().filter(|_| all).and_then(|seen| seen.fingerprint(steps, ordered))
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
    explore_together(system, procs, options, None, interrupt, observer)
}

/// Whether these options select walks, which other processes can share.
pub const fn walks(options: &ForwardOptions) -> bool {
    match options.strategy {
        Strategy::Bfs => false,
        Strategy::Dfs => options.restart.is_some(),
        Strategy::Random | Strategy::Cfl => true,
    }
}

/// Takes part in the campaign that another process leads with [`explore_together`]; the leader reports the result.
pub fn follow_campaign(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    peers: Box<dyn Peers>,
    interrupt: &Interrupt,
) {
    // The leader reports why it cannot be explored.
    let limits = Limits::new(options, interrupt);
    let Ok(program) = Program::new(system, procs, options, &limits.clock) else { return };
    let mut campaign = Campaign::new(Arc::new(program), options, limits);
    let _ = campaign.run(Some(peers), &mut Silent);
}

/// Like [`explore()`], by walks that are shared with these processes, which call this or [`follow_campaign`] with the
/// same instance and the same options, except for time, memory and the number of threads. The result does not depend on
/// the number of processes.
pub fn explore_together(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    peers: Option<Box<dyn Peers>>,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Explored {
    let strategy = options.strategy.name();
    observer.event(system, Event::ForwardStart { strategy, procs });
    let _span = info_span!("explore", procs, strategy, store = ?options.store).entered();
    let explored = attempt(system, procs, options, peers, interrupt, observer);
    let Exploration { states, depth, stop, epochs, .. } = explored.exploration;
    info!(states, depth, epochs, ?stop, "explored");
    explored
}

fn attempt(
    system: &System,
    procs: usize,
    options: &ForwardOptions,
    peers: Option<Box<dyn Peers>>,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Explored {
    // Initial states count towards the limits.
    let limits = Limits::new(options, interrupt);
    let program = match Program::new(system, procs, options, &limits.clock) {
        Ok(program) => Arc::new(program),
        Err(why) => return none(procs, why),
    };
    let (bits, instances) = (program.packing.words * 64, program.instances.len());
    debug!(bits, instances, symmetry = program.symmetry.is_on(), "instance compiled");
    let why = match (&options.checkpoint, &options.spill) {
        (Some(_), _) if options.strategy != Strategy::Bfs => {
            "only a breadth-first exploration supports checkpoints"
        }
        (_, Some(_)) if options.strategy != Strategy::Bfs => {
            "only a breadth-first exploration can keep its states on a disk"
        }
        _ => "",
    };
    if !why.is_empty() {
        return none(procs, Unbuildable::Storage(StorageError(why.to_owned())));
    }
    let mut walk = None;
    let found = if walks(options) {
        let mut new = Campaign::new(Arc::clone(&program), options, limits);
        new.run(peers, observer).map(|()| {
            let exploration = conclude::conclude_walks(new.searched(), observer);
            let visited = std::mem::take(&mut new.visited);
            walk = Some(new);
            (exploration, Some(visited))
        })
    } else {
        let problem = Problem { program: &program, options };
        let found = conclude::search(Search::within(problem, limits), observer);
        found.map(|found| (found.exploration, found.visited.into_table()))
    };
    let (exploration, tree) = match found {
        Ok(found) => found,
        Err(why) => return none(procs, why),
    };
    let states = tree.map(|tree| ExploredStates::new(program, tree, walk, options, interrupt));
    Explored { states, ..Explored::of(exploration) }
}

pub(super) fn none(procs: usize, why: Unbuildable) -> Explored {
    let fault = match &why {
        Unbuildable::Storage(StorageError(fault)) => Some(fault.clone()),
        _ => None,
    };
    Explored::of(Exploration { fault, ..Exploration::none(procs, why.into()) })
}

/// Like [`explore()`], for an exploration that only serves as oracle.
///
/// Options without any limit get one, on the number of states: a smaller one where the levels
/// of a breadth-first search grow fast. A search that does not end within it continues as
/// [`Strategy::Cfl`], up to three quarters more: the search misses deep states, and an oracle only needs one witness
/// of each small cube.
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
    let first = oracle_states(system, options);
    let options = ForwardOptions { steep: Some(STEEP_STATES), ..options.clone() };
    explore_within(system, procs, first, &options, interrupt, observer)
}

/// The number of states within which a breadth-first exploration of [`explore_oracle()`] without any limit ends.
pub fn oracle_states(system: &System, options: &ForwardOptions) -> usize {
    let numbers = system.declared().any(|(_, v)| v.ty.is_numeric()) && options.number_range.is_none();
    if numbers { ORACLE_STATES_WITH_NUMBERS } else { ORACLE_STATES }
}

/// Like [`explore_oracle()`], with `states` as the number of states within which a breadth-first search must end
/// or else continues as walks.
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
        observer.event(system, Event::Work { what: "walking from the states seen" });
        explored.grow_to(walked_states(states));
    }
    explored
}

/// The states that an oracle has after walks, where a breadth-first search was cut after these.
pub const fn walked_states(explored: usize) -> usize {
    explored + explored * WALKED_SHARE.0 / WALKED_SHARE.1
}
