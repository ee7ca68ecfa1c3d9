//! The engines as schedulers see them: exhaustive and fuzzing exploration, classical search and BRAB.

use cubicle_backward::{self as backward, Shared};
use cubicle_forward::{self as forward, Explored};
use cubicle_run::engine::{Budget, Engine, EngineReport, Figures, Problem};
use cubicle_run::observer::Observer;
use cubicle_run::options::{BackwardMode, BackwardOptions, ForwardOptions};
use cubicle_run::verdict::Verdict;

/// The purpose of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Its own result.
    Answer,
    /// To serve as oracle, with the limits that suit one.
    Oracle,
    /// To serve as oracle, breadth first within the effort and then as walks.
    GrowingOracle,
}

/// Exploration of one instance: exhaustive or fuzzing, as [`ForwardOptions::strategy`] says.
pub struct Exploring<'o> {
    /// Number of processes.
    pub procs: usize,
    /// How.
    pub options: &'o ForwardOptions,
    /// What for.
    pub purpose: Purpose,
    /// What was explored, with its states, once it has run.
    pub explored: Option<Explored>,
}

impl<'o> Exploring<'o> {
    /// An exploration that has not run.
    pub const fn new(procs: usize, options: &'o ForwardOptions, purpose: Purpose) -> Self {
        Self { procs, options, purpose, explored: None }
    }
}

impl Engine for Exploring<'_> {
    fn run(
        &mut self,
        problem: &Problem<'_>,
        budget: &Budget<'_>,
        observer: &mut dyn Observer,
    ) -> EngineReport {
        let max_states = budget.effort.map(|states| usize::try_from(states).unwrap_or(usize::MAX));
        let options = ForwardOptions {
            deadlock: problem.deadlock,
            time: budget.time,
            memory: budget.memory,
            max_states,
            ..self.options.clone()
        };
        let (system, procs, interrupt) = (problem.system, self.procs, budget.interrupt);
        let explored = match (self.purpose, max_states) {
            (Purpose::Oracle, _) => forward::explore_oracle(system, procs, &options, interrupt, observer),
            (Purpose::GrowingOracle, Some(states)) => {
                forward::explore_within(system, procs, states, &options, interrupt, observer)
            }
            _ => forward::explore(system, procs, &options, interrupt, observer),
        };
        let exploration = explored.exploration.clone();
        self.explored = Some(explored);
        let verdict = exploration.unsafe_trace.clone().map(|trace| Verdict::Unsafe(Box::new(trace)));
        EngineReport { verdict, figures: Figures::Forward(exploration) }
    }
}

/// Backward search: classical, BRAB or property-directed.
pub struct Searching<'o> {
    /// How.
    pub options: &'o BackwardOptions,
    /// The method.
    pub proof: BackwardMode,
    /// The data that it shares with other searches.
    pub shared: Shared<'o>,
}

impl Engine for Searching<'_> {
    fn run(
        &mut self,
        problem: &Problem<'_>,
        budget: &Budget<'_>,
        observer: &mut dyn Observer,
    ) -> EngineReport {
        let options = BackwardOptions {
            trust_invariants: problem.trust_invariants,
            max_effort: budget.effort,
            ..self.options.clone()
        };
        let outcome =
            backward::search(problem.system, &options, self.proof, self.shared, budget.interrupt, observer);
        EngineReport { verdict: Some(outcome.verdict.clone()), figures: Figures::Backward(outcome) }
    }
}
