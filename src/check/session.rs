//! What the parts of a run share: the problem, the limits, and what is known so far.

use std::mem;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use super::demand::{Demand, OnDemand};
use super::numbers::Numbers;
use super::size::{Purpose, divided};
use super::tuning::{EFFORT_WITHOUT_EQUATIONS, PROCS_WITHOUT_EQUATIONS};
use cubicle_certificate::Subject;
use cubicle_forward::{Explored, StateSpace};
use cubicle_lang::list::extend_new;
use cubicle_lang::model::{Count, Forbidden, System, TransitionId, Var};
use cubicle_lang::words;
use cubicle_run::{
    Acceptance, BackwardEngine, BackwardMode, BackwardOptions, BackwardSearches, BackwardTurn, Decider,
    Event, Exploration, ForwardOptions, Interrupt, Interrupted, Observer, Options, OracleGrowth, Outcome,
    Reason, Report, SearchOrder, Silent, Stop, Trace, Verdict,
};
use cubicle_transform::moves_numbers;

pub struct Session<'a> {
    pub system: &'a System,
    pub options: &'a Options,
    pub interrupt: &'a Interrupt,
    pub observer: &'a mut dyn Observer,
    /// Makes backward searches.
    pub engine: BackwardEngine,
    /// What is known so far.
    pub report: Report,
    /// What searches have learnt.
    pub known: Known,
    /// Explorations that wait until a search asks for their states.
    pub demand: Demand,
    /// Whether the next search reports the equations that it knows.
    pub reports_equations: bool,
    /// Whether the system was derived from that of the run.
    pub is_derived: bool,
    /// What the system of the run is derived from; `None` where it is itself the model.
    pub origin: Option<Origin<'a>>,
    /// Counts and cubes over them that the checker accepted already as a proof about the system of the run, with what that took.
    pub accepted: Option<Accepted>,
    /// Explores the requested instances, when other operating system processes take part.
    pub remote: Option<&'a dyn RemoteExplorer>,
}

/// A proof that the checker accepted.
#[derive(Debug)]
pub struct Accepted {
    /// Counts, after the variables of the system.
    pub counts: Vec<(Var, Count)>,
    /// What no reachable state is in.
    pub cubes: Vec<Forbidden>,
    /// What that took.
    pub took: Acceptance,
}

/// What the system of a run is derived from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The model.
    pub model: &'a System,
    /// How the system is derived from it.
    pub subject: &'a Subject,
}

/// What searches of a run have learnt, for those that follow.
pub struct Known {
    /// The explored states: the oracle of all searches.
    pub space: StateSpace,
    /// Backward searches, with the lemmas about numbers once one needed them, and the exact search where it is paused.
    pub searches: Box<dyn BackwardSearches>,
    /// What backward searches know of numbers, once there was one.
    pub numbers: Arc<Mutex<Option<Arc<Numbers>>>>,
    /// Whether a search that got far without equations was not enough: the next ones begin with them.
    pub needs_equations: bool,
    /// The transitions whose universal guards searches had to remember.
    pub remembered: Vec<TransitionId>,
}

impl Known {
    fn nothing(engine: BackwardEngine) -> Self {
        Self {
            space: StateSpace::default(),
            searches: engine(),
            numbers: Arc::default(),
            needs_equations: false,
            remembered: Vec::new(),
        }
    }

    /// A copy; from now on, each of the two learns independently.
    pub fn fork(&self) -> Self {
        Self {
            space: self.space.fork(),
            searches: self.searches.fork(),
            numbers: Arc::clone(&self.numbers),
            needs_equations: self.needs_equations,
            remembered: self.remembered.clone(),
        }
    }

    /// Adds what a [fork](Self::fork) has learnt.
    pub fn take_up(&mut self, fork: Self) {
        self.space.take_up(fork.space);
        self.searches.take_up(fork.searches);
        self.needs_equations |= fork.needs_equations;
        self.remember(fork.remembered);
    }

    /// Adds transitions whose universal guards a search had to remember.
    fn remember(&mut self, transitions: Vec<TransitionId>) {
        extend_new(&mut self.remembered, transitions);
    }
}

impl<'a> Session<'a> {
    /// A run of which nothing is known yet.
    pub fn new(
        system: &'a System,
        options: &'a Options,
        interrupt: &'a Interrupt,
        observer: &'a mut dyn Observer,
        engine: BackwardEngine,
        report: Report,
    ) -> Self {
        Self {
            system,
            options,
            interrupt,
            observer,
            engine,
            report,
            known: Known::nothing(engine),
            demand: Demand::default(),
            reports_equations: true,
            is_derived: false,
            origin: None,
            accepted: None,
            remote: None,
        }
    }

    /// Works on another system, with these options, within this run; the report stays the same one.
    pub fn within<R>(
        &mut self,
        system: &System,
        options: &Options,
        work: impl FnOnce(&mut Session<'_>) -> R,
    ) -> R {
        let report = mem::take(&mut self.report);
        let mut inner =
            Session::new(system, options, self.interrupt, &mut *self.observer, self.engine, report);
        inner.known.space.most_procs = self.known.space.most_procs;
        inner.is_derived = !std::ptr::eq(system, self.system) || self.is_derived;
        let ended = work(&mut inner);
        self.report = inner.report;
        ended
    }

    pub fn tell(&mut self, event: Event) {
        self.observer.event(self.system, event);
    }

    /// Runs a phase, and adds its time to that of its name.
    pub fn timed<T>(&mut self, phase: &'static str, work: impl FnOnce(&mut Self) -> T) -> T {
        let start = Instant::now();
        let result = work(self);
        self.report.spend(phase, start.elapsed());
        result
    }

    /// Explores an instance, storing at most what `limits` allow.
    pub fn explore(&mut self, procs: usize, limits: &ForwardOptions, purpose: Purpose) -> Explored {
        let limits = &*divided(self.system, procs, limits, self.options.require_complete, purpose);
        if let Some(remote) = self.remote {
            let (interrupt, serves) = (self.interrupt, purpose != Purpose::Answer);
            return remote.explore(self.system, procs, limits, interrupt, &mut *self.observer, serves);
        }
        purpose.explore(self.system, procs, limits, self.interrupt, &mut *self.observer)
    }

    /// Like [`Self::explore`], without events.
    pub fn explore_unseen(&self, procs: usize, limits: &ForwardOptions, purpose: Purpose) -> Explored {
        let limits = &*divided(self.system, procs, limits, self.options.require_complete, purpose);
        purpose.explore(self.system, procs, limits, self.interrupt, &mut Silent)
    }

    /// Whether steps change numbers in a system that does not count: equations between its numbers are looked for.
    pub fn moves_numbers(&self) -> bool {
        self.system.counts.is_empty() && moves_numbers(self.system)
    }

    /// Whether a turn of this search has ended.
    pub fn has_tried(&self, proof: BackwardMode) -> bool {
        self.report.stages.iter().any(|it| it.proof == proof)
    }

    /// Searches as [`Self::search`], but without equations between numbers, and not for long.
    pub fn search_plainly(
        &mut self,
        proof: BackwardMode,
        order: SearchOrder,
        effort: Option<u64>,
    ) -> Outcome {
        let start = Instant::now();
        let few = effort.map_or(EFFORT_WITHOUT_EQUATIONS, |most| most.min(EFFORT_WITHOUT_EQUATIONS));
        let options =
            BackwardOptions { order: Some(order), max_effort: Some(few), ..self.options.backward.clone() };
        let numbers = Numbers::without_equations(self.system);
        let most_procs = Some(PROCS_WITHOUT_EQUATIONS);
        let outcome = self.search_with(&numbers, &options, proof, most_procs);
        self.spend_search(start);
        outcome
    }

    /// Searches backward, with the explored states as oracle; the second effort is that of
    /// a search in which numbers move.
    pub fn search(
        &mut self,
        proof: BackwardMode,
        order: SearchOrder,
        [effort, with_equations]: [Option<u64>; 2],
    ) -> Outcome {
        let moves = self.moves_numbers();
        if moves && !self.known.needs_equations {
            // Looking for equations may take longer than the whole search.
            let mut outcome = self.search_plainly(proof, order, effort);
            if !matches!(outcome.verdict, Verdict::Unknown(_)) {
                return outcome;
            }
            // Its effort may have ended just before the run had to.
            if let Some(reason) = self.interrupt.reason() {
                outcome.verdict = Verdict::Unknown(reason);
                return outcome;
            }
        }
        let start = Instant::now();
        let options =
            BackwardOptions { order: Some(order), max_effort: effort, ..self.options.backward.clone() };
        self.known.needs_equations = true;
        let numbers = match self.numbers() {
            Ok(numbers) => numbers,
            Err(Interrupted(reason)) => {
                self.spend_search(start);
                return Outcome::undecided(*reason);
            }
        };
        let equations = &numbers.equations;
        let reports = mem::take(&mut self.reports_equations);
        for equation in equations.iter().filter(|it| reports && !it.number.terms.is_empty()) {
            let text = format!("in every reachable state: {}", words::equation(&numbers.system, equation));
            self.observer.event(&numbers.system, Event::Note { text });
        }
        let options = BackwardOptions { max_effort: if moves { with_equations } else { effort }, ..options };
        let outcome = self.search_with(&numbers, &options, proof, None);
        self.spend_search(start);
        outcome
    }

    /// What is known of numbers: found by the search that needs it first, while those beside it wait.
    fn numbers(&self) -> Result<Arc<Numbers>, Interrupted> {
        let mut known = self.known.numbers.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_none() {
            let of_system = Numbers::of(self.system, self.interrupt)?;
            let guessed = of_system.with_guesses(self.system, &self.options.forward, self.interrupt)?;
            *known = Some(Arc::new(guessed));
        }
        Ok(Arc::clone(known.as_ref().expect("found just now")))
    }

    /// Explores the states that a search without an answer did not ask for; the verdict when they show a bad state, or the run must end.
    pub fn explore_rest(&mut self) -> Option<Verdict> {
        let (space, demand) = (&mut self.known.space, &mut self.demand);
        let on_demand = OnDemand::new(self.system, self.options, self.interrupt, space, demand);
        let found = on_demand.finish(&mut *self.observer);
        self.report.spend("forward exploration", mem::take(&mut self.demand.time));
        match found {
            OracleGrowth::Unsafe(trace) => Some(self.decided_by_run(*trace)),
            OracleGrowth::Nothing | OracleGrowth::More(_) => self.interrupt.reason().map(Verdict::Unknown),
        }
    }

    /// Adds the time of a search that began then, and that of the explorations within it.
    fn spend_search(&mut self, start: Instant) {
        let explored = mem::take(&mut self.demand.time);
        if !explored.is_zero() {
            self.report.spend("forward exploration", explored);
        }
        self.report.spend("backward search", start.elapsed().saturating_sub(explored));
    }

    /// Searches with what is known of numbers.
    fn search_with(
        &mut self,
        numbers: &Numbers,
        options: &BackwardOptions,
        proof: BackwardMode,
        most_procs: Option<usize>,
    ) -> Outcome {
        let (space, demand) = (&mut self.known.space, &mut self.demand);
        let on_demand = OnDemand::new(self.system, self.options, self.interrupt, space, demand);
        let turn = BackwardTurn {
            system: &numbers.system,
            options,
            proof,
            oracle: &on_demand,
            equations: &numbers.equations,
            guesses: &numbers.guesses,
            remembered: &self.known.remembered,
            most_procs,
            interrupt: self.interrupt,
        };
        let outcome = self.known.searches.search(&turn, &mut *self.observer);
        self.known.remember(outcome.remembered.clone());
        numbers.conclude(self.system, outcome)
    }

    /// A run to a bad state settles the verdict.
    pub fn decided_by_run(&mut self, trace: Trace) -> Verdict {
        self.report.decider = Some(Decider::Forward(trace.initial.procs));
        Verdict::Unsafe(Box::new(trace))
    }

    /// Puts the results of the explored instances into the report, if there are any: searches in a derived system put their own.
    pub fn put_explorations(&mut self) {
        let data = |explored: &Explored| explored.exploration.clone();
        if !self.known.space.explored.is_empty() {
            self.report.explorations = self.known.space.explored.iter().map(data).collect();
        }
    }

    /// Whether the backward search needs the states of the explorations that the options ask for.
    pub const fn explores_for_oracle(&self) -> bool {
        self.options.proof.oracle_procs().is_some() && !self.options.only_forward
    }

    /// Tells of an explored instance and keeps it; a run to a bad state, where it has one.
    pub fn keep(&mut self, new: Explored) -> Option<Trace> {
        self.tell(Event::ForwardEnd(Box::new(new.exploration.clone())));
        let trace = new.exploration.unsafe_trace.clone();
        self.known.space.keep(new);
        trace
    }

    /// Of the runs to bad cubes of an instance, keeps those to cubes that no smaller instance has met.
    pub fn leave_known_out(&self, found: &mut Exploration) {
        let smaller = self.known.space.explored.iter().map(|it| &it.exploration);
        let met = smaller.flat_map(|it| it.unsafe_trace.iter().chain(&it.more_unsafe_traces));
        let known: Vec<Option<usize>> = met.map(|run| run.bad).collect();
        let further = mem::take(&mut found.more_unsafe_traces);
        let runs = found.unsafe_trace.take().into_iter().chain(further);
        found.more_unsafe_traces = runs.filter(|run| !known.contains(&run.bad)).collect();
    }

    /// Takes up an explored instance; breaks when no further one is to be explored, with a verdict when the run
    /// ends here.
    pub fn conclude_instance(&mut self, explored: Explored) -> ControlFlow<Option<Verdict>> {
        let (stop, fault) = (explored.exploration.stop, explored.exploration.fault.clone());
        let found = self.keep(explored);
        if let Some(fault) = fault {
            let reason = if stop == Stop::Cluster { Reason::Cluster(fault) } else { Reason::Storage(fault) };
            return ControlFlow::Break(Some(Verdict::Unknown(reason)));
        }
        if let Some(trace) = found {
            return ControlFlow::Break(Some(self.decided_by_run(trace)));
        }
        if let Some(reason) = self.interrupt.reason() {
            let explores_for_oracle = self.explores_for_oracle();
            let (space, demand) = (&mut self.known.space, &mut self.demand);
            let on_demand = OnDemand::new(self.system, self.options, self.interrupt, space, demand);
            let goes_on = explores_for_oracle && on_demand.goes_on(&mut *self.observer);
            return ControlFlow::Break((!goes_on).then_some(Verdict::Unknown(reason)));
        }
        let too_much = matches!(stop, Stop::TooLarge | Stop::Wide | Stop::Memory);
        if self.options.only_forward && too_much {
            ControlFlow::Break(None)
        } else {
            ControlFlow::Continue(())
        }
    }
}

/// Explores instances in place of [`forward::explore`](cubicle_forward::explore), with the same result except for what
/// depends on the order of the search.
pub trait RemoteExplorer {
    /// Explores the instance with `procs` processes; `serves`: its states will be queried afterwards.
    fn explore(
        &self,
        system: &System,
        procs: usize,
        options: &ForwardOptions,
        interrupt: &Interrupt,
        observer: &mut dyn Observer,
        serves: bool,
    ) -> Explored;

    /// Ends the service: there will be no more explorations and no more queries.
    fn end(&self);
}
