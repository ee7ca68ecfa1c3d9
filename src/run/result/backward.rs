//! What a backward search returns.

use std::time::Duration;

use cubicle_lang::model::{Count, Equation, TransitionId, Var};

use super::Open;
use crate::verdict::{Forbidden, Reason, Verdict};

/// A candidate that the last run kept, as text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Its (negative) number.
    pub number: i32,
    /// Its literals.
    pub literals: Vec<String>,
}

/// How tests whether a cube is covered were settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tests {
    /// By one visited cube that contains it.
    pub subsumed: u64,
    /// By its literals, which contradict each other.
    pub empty: u64,
    /// By the finite-domain procedure.
    pub finite: u64,
    /// By Z3.
    pub solver: u64,
}

/// The fate of candidates, in all runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proposals {
    /// Lemmas that were proved together, and with which the search restarted.
    pub lemmas: u64,
    /// Questions to the oracle.
    pub asked: u64,
    /// Of these, refuted by a forward state.
    pub refuted: u64,
    /// Candidates that took the place of a node, or began the search; lemmas do not count.
    pub proposed: u64,
    /// Of these, dropped later: reachable, or not proved.
    pub bad: u64,
}

/// The calls and the time of a phase.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PhaseReport {
    /// Its name.
    pub name: &'static str,
    /// How often it was entered.
    pub calls: u64,
    /// Time in it, without phases inside of it.
    pub time: Duration,
}

/// Figures of a backward search.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Statistics {
    /// Nodes visited in the last run.
    pub nodes: usize,
    /// Effort of all runs, in the unit of [`BackwardOptions::max_effort`](crate::options::BackwardOptions::max_effort); of a search that went on,
    /// with what it took before.
    pub effort: u64,
    /// Nodes of each abandoned run, latest first.
    pub abandoned: Vec<usize>,
    /// Nodes found covered, in all runs.
    pub fixpoints: usize,
    /// Calls of Z3.
    pub solver_calls: usize,
    /// Most processes of a visited cube.
    pub max_procs: usize,
    /// Most literals of a visited cube.
    pub max_literals: usize,
    /// How tests whether a cube is covered were settled.
    pub tests: Tests,
    /// Candidates.
    pub proposals: Proposals,
    /// Visited nodes removed because a later one subsumes them.
    pub deleted: usize,
    /// Restarts of BRAB.
    pub restarts: usize,
    /// Further named counters, in print order.
    pub counters: Vec<(&'static str, u64)>,
    /// Calls and time per phase, in print order; empty unless
    /// [`BackwardOptions::profile`](crate::options::BackwardOptions::profile) asks for it.
    pub phases: Vec<PhaseReport>,
}

/// Result of a backward search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The answer.
    pub verdict: Verdict,
    /// Figures.
    pub statistics: Statistics,
    /// Candidates kept (proved unreachable when the verdict is safe), sorted; empty without BRAB.
    pub candidates: Vec<Candidate>,
    /// When the verdict is safe, an invariant that shows it: no reachable state is in any of these cubes. It
    /// is inductive, but may hold more than is needed.
    pub invariant: Vec<Forbidden>,
    /// Counts that the cubes of the invariant may mention besides those of the system, as its further variables.
    pub counts: Vec<(Var, Count)>,
    /// The equations that the search used: they hold in every reachable state.
    pub equations: Vec<Equation>,
    /// What a later search may [begin with](crate::options::BackwardOptions::proposed): the invariant, or lemmas and candidates that
    /// still stood.
    pub standing: Vec<Forbidden>,
    /// `t(#1) -> u(#1, #3) -> unsafe at line 12` of the trace that decided, or of the last spurious one.
    pub error_history: Option<String>,
    /// The work left, when the verdict is unknown and a search was under way.
    pub open: Option<Open>,
    /// The transitions whose universal guards its cubes remembered at the end, since paths were spurious without.
    pub remembered: Vec<TransitionId>,
    /// Whether candidates were used.
    pub approximated: bool,
}

impl Outcome {
    /// That of a search which found nothing, for this reason.
    pub fn undecided(reason: Reason) -> Self {
        Self {
            verdict: Verdict::Unknown(reason),
            statistics: Statistics::default(),
            candidates: Vec::new(),
            invariant: Vec::new(),
            counts: Vec::new(),
            equations: Vec::new(),
            standing: Vec::new(),
            error_history: None,
            open: None,
            remembered: Vec::new(),
            approximated: false,
        }
    }
}
