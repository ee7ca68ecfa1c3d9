//! The interface of an engine: it works on a problem, within a budget, and reports what it found.
//!
//! Schedulers (`check`) use engines through this interface only.

use std::time::Duration;

use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::result::{Exploration, Outcome};
use crate::verdict::Verdict;
use cubicle_lang::model::System;

/// The question that an engine has to decide.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// The system. Its bad cubes are the states that must not be reachable; its axioms are assumed.
    pub system: &'a System,
    /// Whether to look for deadlocks, too.
    pub deadlock: bool,
    /// Whether the `invariant`s of the model are assumed instead of proved.
    pub trust_invariants: bool,
}

impl Problem<'_> {
    /// This problem without deadlocks.
    #[must_use]
    pub const fn without_deadlocks(self) -> Self {
        Self { deadlock: false, ..self }
    }
}

/// What an engine may use. An engine ignores limits that have no meaning for it.
#[derive(Clone, Copy, Debug)]
pub struct Budget<'a> {
    /// CPU time of each worker.
    pub time: Option<Duration>,
    /// Bytes that states may take, about.
    pub memory: Option<usize>,
    /// Work, in the engine's own unit: stored states, or
    /// [`BackwardOptions::max_effort`](crate::options::BackwardOptions::max_effort).
    pub effort: Option<u64>,
    /// Asks it to stop; has the deadline of the run.
    pub interrupt: &'a Interrupt,
}

/// The findings of an engine.
#[derive(Clone, Debug)]
pub struct EngineReport {
    /// The answer; `None` when only an instance was explored, and nothing bad was met.
    pub verdict: Option<Verdict>,
    /// Details and counters.
    pub figures: Figures,
}

/// Details and counters beside the verdict.
#[derive(Clone, Debug)]
pub enum Figures {
    /// Of an exploration.
    Forward(Exploration),
    /// Of a backward search.
    Backward(Outcome),
}

/// An engine: decides a problem, or explores towards a decision.
pub trait Engine {
    /// Works until there is an answer or the budget is used up. Silent, and deterministic unless time, memory or
    /// a signal ends it.
    fn run(
        &mut self,
        problem: &Problem<'_>,
        budget: &Budget<'_>,
        observer: &mut dyn Observer,
    ) -> EngineReport;
}
