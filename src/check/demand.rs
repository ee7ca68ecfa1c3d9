//! The states of `brab K` and of a property-directed search with K, explored when the search asks for them, and further as it gets longer; in
//! turns of a schedule, walks from the states that were explored before.
//!
//! What a search never asks about is not explored: one that needs no candidate explores nothing, a short one a part of a large instance.
//! Stages are counted in states and in the effort of the search, never in time, so the same command takes the same path.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::size::{Purpose, divided};
use super::tuning::{EFFORT_FOR_ALL_STATES, FIRST_ORACLE_STATES, WALKED_OF_SORTS};
use cubicle_forward::{StateSpace, oracle_states};
use cubicle_lang::model::{Literal, System, VarId};
use cubicle_run::{
    BackwardMode, Event, Forbidden, ForwardOptions, Interrupt, Observer, Options, Oracle, OracleAnswer,
    OracleGrowth, Sought, Stop, Strategy, Trace,
};

/// Work that waits until a search asks for its states.
#[derive(Clone, Copy, Debug)]
enum Waiting {
    /// To explore the instances: within this number of states, or `None` for as many as the options allow.
    Explore(Option<usize>),
    /// To walk on from the states of the instance with `procs` processes until there are `states`, once a search has spent the effort `from`.
    Walk { procs: usize, states: usize, from: u64 },
}

/// Explorations that wait until a search asks for states.
#[derive(Debug, Default)]
pub struct Demand {
    /// Sizes of the instances, in increasing order.
    pub instances: Vec<usize>,
    /// The stages to come, the next one last.
    stages: Vec<Waiting>,
    explored: usize,
    /// The size of the instance in which a bad state was found, and in which stage, from 1.
    pub found: Option<(usize, usize)>,
    /// The time of explorations that is not yet part of the report.
    pub time: Duration,
}

impl Demand {
    /// Of these instances, within the limits of the options. Only one instance without limits is explored in two stages, where it is not walked.
    pub fn new(system: &System, instances: Vec<usize>, limits: &ForwardOptions) -> Self {
        let whole = !is_free(limits) || instances.len() > 1 || is_walked(system);
        let first =
            (!whole && FIRST_ORACLE_STATES < oracle_states(system, limits)).then_some(FIRST_ORACLE_STATES);
        let stages = std::iter::once(None).chain(first.map(Some)).map(Waiting::Explore).collect();
        Self { instances, stages, ..Self::default() }
    }

    /// Walks from the states of the instance with `procs` processes until there are `states`, once a search has spent the effort `from`.
    pub fn walks(procs: usize, states: usize, from: u64) -> Self {
        Self { stages: vec![Waiting::Walk { procs, states, from }], ..Self::default() }
    }

    /// Whether a search that has spent this effort is shown more states before it asks further questions.
    fn is_due(&self, spent: u64) -> bool {
        match self.stages.last() {
            Some(Waiting::Walk { from, .. }) => spent >= *from,
            Some(Waiting::Explore(_)) => self.explored == 0 || spent >= EFFORT_FOR_ALL_STATES,
            None => false,
        }
    }
}

/// Whether options say nothing of how an instance is explored.
fn is_free(limits: &ForwardOptions) -> bool {
    let limited = limits.max_states.is_some() || limits.time.is_some() || limits.depth.is_some();
    !limited && limits.strategy == Strategy::Bfs
}

/// Whether walks see more of what matters than a breadth-first exploration: instances of three sorts at least have many processes.
fn is_walked(system: &System) -> bool {
    system.sorts.as_ref().is_some_and(|it| it.names.len() > 2)
}

/// The oracle of a search in a system that may have more counts: the states of a session, and those that wait.
pub struct OnDemand<'a> {
    system: &'a System,
    options: &'a Options,
    interrupt: &'a Interrupt,
    space: RefCell<&'a mut StateSpace>,
    demand: RefCell<&'a mut Demand>,
}

impl<'a> OnDemand<'a> {
    /// Of a run of this system with these options, which an interrupt may end.
    pub const fn new(
        system: &'a System,
        options: &'a Options,
        interrupt: &'a Interrupt,
        space: &'a mut StateSpace,
        demand: &'a mut Demand,
    ) -> Self {
        Self { system, options, interrupt, space: RefCell::new(space), demand: RefCell::new(demand) }
    }

    /// Explores all that the options allow, where that was not done: after a search without an answer, which may not have asked.
    pub fn finish(&self, observer: &mut dyn Observer) -> OracleGrowth {
        self.demand.borrow_mut().stages.truncate(1);
        self.advance(observer)
    }

    /// Explores the next stage, for a search that goes on.
    fn show(&self, observer: &mut dyn Observer) -> OracleGrowth {
        let grown = self.advance(observer);
        if grown != OracleGrowth::Nothing && self.interrupt.reason().is_some() {
            // Where this ends the run, the search notices.
            self.goes_on(observer);
        }
        grown
    }

    /// Explores the next stage.
    fn advance(&self, observer: &mut dyn Observer) -> OracleGrowth {
        let demand = &mut **self.demand.borrow_mut();
        let Some(waiting) = demand.stages.pop() else { return OracleGrowth::Nothing };
        let start = Instant::now();
        let grown = match waiting {
            Waiting::Explore(states) => self.explore(demand, states, observer),
            Waiting::Walk { procs, states, .. } => self.walk(procs, states, observer),
        };
        demand.time += start.elapsed();
        grown
    }

    fn walk(&self, procs: usize, states: usize, observer: &mut dyn Observer) -> OracleGrowth {
        let space = &mut **self.space.borrow_mut();
        let Some(known) = space.explored.iter_mut().find(|it| it.exploration.procs == procs) else {
            return OracleGrowth::Nothing;
        };
        observer.event(self.system, Event::Work { what: "walking from the states seen" });
        let before = known.exploration.states;
        if before >= states || !known.grow_to(states) {
            return OracleGrowth::Nothing;
        }
        observer.event(self.system, Event::ForwardEnd(Box::new(known.exploration.clone())));
        match &known.exploration.unsafe_trace {
            Some(trace) => OracleGrowth::Unsafe(Box::new(trace.clone())),
            None => OracleGrowth::More((known.exploration.states - before) as u64),
        }
    }

    fn explore(
        &self,
        demand: &mut Demand,
        states: Option<usize>,
        observer: &mut dyn Observer,
    ) -> OracleGrowth {
        let Self { system, options, interrupt, .. } = *self;
        let space = &mut **self.space.borrow_mut();
        let mut limits =
            ForwardOptions { max_states: states.or(options.forward.max_states), ..options.forward.clone() };
        if is_free(&limits) && is_walked(system) {
            (limits.strategy, limits.max_states) = (Strategy::Cfl, Some(WALKED_OF_SORTS));
        }
        demand.explored += 1;
        let (mut more, mut cut) = (0, false);
        for &procs in &demand.instances {
            let limits = divided(system, procs, &limits, options.require_complete, Purpose::Oracle);
            let new = Purpose::Oracle.explore(system, procs, &limits, interrupt, observer);
            observer.event(system, Event::ForwardEnd(Box::new(new.exploration.clone())));
            let new =
                if states.is_some() { new.with_limit(oracle_states(system, &options.forward)) } else { new };
            let trace = new.exploration.unsafe_trace.clone();
            cut |= new.exploration.stop == Stop::States;
            more += new.exploration.states as u64;
            space.keep(new);
            if let Some(trace) = trace {
                demand.stages.clear();
                demand.found = Some((procs, demand.explored));
                return OracleGrowth::Unsafe(Box::new(trace));
            }
            if interrupt.reason().is_some() {
                demand.stages.clear();
                break;
            }
        }
        if !cut {
            demand.stages.clear();
        }
        match space.explore_small() {
            Some(trace) => {
                demand.stages.clear();
                demand.found = Some((trace.initial.procs, demand.explored));
                OracleGrowth::Unsafe(Box::new(trace))
            }
            None => OracleGrowth::More(more),
        }
    }

    /// Whether a search goes on after a signal ended the exploration of its oracle.
    pub fn goes_on(&self, observer: &mut dyn Observer) -> bool {
        // States of less than one level are not an oracle. Only `brab K`, which asks for one by name, goes on without it.
        let level = self.space.borrow().explored.last().is_some_and(|it| it.exploration.depth > 0);
        let worth = level || matches!(self.options.proof, BackwardMode::Brab(_));
        let goes_on = worth && self.interrupt.consume();
        if goes_on {
            let note = "exploration interrupted; the backward search goes on with the states seen so far, until a second \
                        Ctrl-C (SIGINT) or another signal ends the run";
            observer.event(self.system, Event::Note { text: note.to_owned() });
        }
        goes_on
    }
}

impl Oracle for OnDemand<'_> {
    fn ask(&self, candidate: &Forbidden) -> OracleAnswer {
        // States do not say what further counts of a search are.
        let is_own = |var: VarId| usize::from(var.0) < self.system.vars.len();
        let known = candidate.literals().flat_map(Literal::vars).all(is_own);
        if known { self.space.borrow().ask(candidate) } else { OracleAnswer::Untested }
    }

    fn seek(&self, candidate: &Forbidden, most: u64) -> Sought {
        self.space.borrow().seek(candidate, most)
    }

    fn learn(&self, trace: &Trace) {
        self.space.borrow().learn(&trace.clone().within(self.system));
    }

    fn prepare(&self, spent: u64, observer: &mut dyn Observer) -> OracleGrowth {
        let due = self.demand.borrow().is_due(spent);
        if due { self.show(observer) } else { OracleGrowth::Nothing }
    }

    fn grow(&self, most: u64, observer: &mut dyn Observer) -> OracleGrowth {
        let walks = matches!(self.demand.borrow().stages.last(), Some(Waiting::Walk { .. }));
        match self.show(observer) {
            OracleGrowth::Nothing => self.space.borrow().grow(most, observer),
            // Walks that the turn was to begin with do not make these fewer.
            OracleGrowth::More(_) if walks => self.space.borrow().grow(most, observer),
            grown => grown,
        }
    }

    fn widen(&self) -> OracleGrowth {
        self.space.borrow().widen()
    }
}
