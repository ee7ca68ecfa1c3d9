//! One turn of a search of the schedule: more states for its oracle, and the search within the effort of a level.

use super::demand::Demand;
use super::schedule::{self, Entry};
use super::session::Session;
use super::size::{Purpose, larger, oracle_size};
use super::tuning::{EFFORT_BEFORE_WALKS, WALKED_PER_EFFORT};
use cubicle_forward::walked_states;
use cubicle_run::{Event, ForwardOptions, Outcome, Reason, Stop, Strategy, Trace};
use tracing::info;

#[derive(Clone, Copy)]
pub struct Turn {
    /// Which search.
    pub entry: Entry,
    pub level: u32,
    /// Its effort, where it is one without equations.
    pub plain: Option<u64>,
    /// What is left of the effort of all turns together.
    pub left: u64,
    /// Its place among all turns, from 1.
    pub number: usize,
}

pub enum TurnEnd {
    /// With a run to a bad state, met by an exploration.
    Found(Trace),
    /// The run as a whole must end.
    Stopped(Reason),
    Searched(Box<Outcome>),
}

impl Turn {
    /// Takes the turn. Its findings are put into the session, except the outcome of the search itself.
    pub fn take(&self, session: &mut Session<'_>) -> TurnEnd {
        self.begin(session).unwrap_or_else(|| self.search(session))
    }

    /// Explores the states of the oracle before the search. Returns the end when the run ends here.
    pub fn begin(&self, session: &mut Session<'_>) -> Option<TurnEnd> {
        let Entry { proof, order, .. } = self.entry;
        let effort = self.effort();
        info!(turn = self.number, ?proof, ?order, level = self.level, effort, "turn begins");
        session.tell(Event::Stage { number: self.number, proof, order, effort });
        let procs = proof.oracle_procs()?;
        self.explore(session, procs).or_else(|| self.explore_beyond(session))
    }

    fn effort(&self) -> u64 {
        self.plain.unwrap_or_else(|| self.entry.effort(self.level)).min(self.left)
    }

    /// The search alone.
    pub fn search(&self, session: &mut Session<'_>) -> TurnEnd {
        let Entry { proof, order, .. } = self.entry;
        let efforts = [self.entry.effort(self.level), self.entry.effort_with_equations(self.level)];
        let efforts = efforts.map(|effort| Some(effort.min(self.left)));
        TurnEnd::Searched(Box::new(match self.plain {
            Some(_) => session.search_plainly(proof, order, Some(self.effort())),
            None => session.search(proof, order, efforts),
        }))
    }

    /// Explores as many states of the instance as the level allows; returns the end when the run ends
    /// here. Walks from the states of an instance wait until the search asks for them.
    fn explore(&self, session: &mut Session<'_>, procs: usize) -> Option<TurnEnd> {
        let procs = oracle_size(session.system, procs);
        let forward = &session.options.forward;
        let states = schedule::states(self.level);
        let states = forward.max_states.map_or(states, |most| most.min(states));
        session.known.space.most_states = states.saturating_mul(schedule::ORACLE_GROWTH_FACTOR);
        let begun = self.level > 0 && session.has_tried(self.entry.proof);
        let from = if begun { 0 } else { EFFORT_BEFORE_WALKS };
        let effort = usize::try_from(self.effort()).unwrap_or(usize::MAX);
        let walked = |known: usize, most: usize| {
            most.min(known.saturating_add(effort.saturating_mul(WALKED_PER_EFFORT)))
        };
        let mut waiting = None;
        let explored_now = session.timed("forward exploration", |session| {
            if let Some(known) = session.known.space.instance(procs) {
                let cut = known.stop == Stop::States;
                waiting = cut.then(|| Demand::walks(procs, walked(known.states, states), from));
                return None;
            }
            let new = session.explore(procs, &limits(forward, states), Purpose::Oracle);
            let cut = new.exploration.stop == Stop::States && forward.strategy == Strategy::Bfs;
            let known = new.exploration.states;
            waiting = cut.then(|| Demand::walks(procs, walked(known, walked_states(known)), from));
            Some(session.keep(new))
        });
        session.demand = waiting.unwrap_or_default();
        if self.level > 0
            && let Some(trace) =
                session.timed("forward exploration", |session| session.known.space.explore_small())
        {
            return Some(TurnEnd::Found(trace));
        }
        if let Some(trace) = explored_now? {
            return Some(TurnEnd::Found(trace));
        }
        session.interrupt.reason().map(TurnEnd::Stopped)
    }

    /// Explores larger instances while these have few states: they refute candidates that are reachable with more processes only, which costs a
    /// search restarts otherwise. First turns only do so while no state is known at all, which would let every candidate pass. Returns the end when the run ends here.
    fn explore_beyond(&self, session: &mut Session<'_>) -> Option<TurnEnd> {
        if session.options.forward.max_states.is_some() {
            return None;
        }
        let most = schedule::states(self.level) / schedule::BEYOND;
        while (self.level > 0 || knows_no_state(session))
            && let Some(procs) = beyond(session, most)
        {
            let new = session.timed("forward exploration", |session| {
                session.explore(procs, &limits(&session.options.forward, most), Purpose::GrowingOracle)
            });
            if let Some(trace) = session.keep(new) {
                return Some(TurnEnd::Found(trace));
            }
            if let Some(reason) = session.interrupt.reason() {
                return Some(TurnEnd::Stopped(reason));
            }
        }
        None
    }
}

fn knows_no_state(session: &Session<'_>) -> bool {
    session.known.space.explored.iter().all(|it| it.exploration.states == 0)
}

/// The size of the instance beyond the largest, when all states of that are known and are so few that those of the next may be at most these.
fn beyond(session: &Session<'_>, most: usize) -> Option<usize> {
    let largest = &session.known.space.explored.last()?.exploration;
    let few = largest.stop == Stop::Complete && largest.states <= most / schedule::BEYOND_GROWTH;
    larger(session.system, largest.procs).filter(|_| few)
}

/// The options for exploring an oracle of `states` states.
pub fn limits(forward: &ForwardOptions, states: usize) -> ForwardOptions {
    ForwardOptions { deadlock: false, stop_at_unsafe: true, max_states: Some(states), ..forward.clone() }
}
