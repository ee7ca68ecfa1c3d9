//! What a backward search returns.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use cubicle_lang::model::{Count, Equation, TransitionId, Var};

use super::Open;
use crate::verdict::{Forbidden, Reason, Verdict};

/// A cube that was guessed to be unreachable.
#[derive(Clone, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "CandidateCube")]
pub struct Candidate {
    /// Its number, which is negative.
    pub number: i32,
    /// Its literals.
    pub literals: Vec<String>,
}

/// How the tests whether a node is covered were settled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
#[schemars(rename = "TestsSettled")]
pub struct Tests {
    /// One visited cube that contains it.
    pub subsumption: u64,
    /// Its literals, which contradict each other.
    pub contradiction: u64,
    /// The procedure for finite domains.
    pub finite_domains: u64,
    /// Z3.
    pub z3: u64,
}

/// The fate of candidates, in all runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct Proposals {
    /// Lemmas about numbers that were proved together.
    pub lemmas: u64,
    /// Candidates that were proposed, in all runs.
    #[serde(rename = "proposed_candidates")]
    pub proposed: u64,
    /// Of these, refuted later.
    #[serde(rename = "bad_candidates")]
    pub bad: u64,
    /// Questions to the oracle.
    #[serde(rename = "oracle_questions")]
    pub asked: u64,
    /// Of these, refuted by a state that was seen.
    #[serde(rename = "oracle_refutations")]
    pub refuted: u64,
}

/// How often a phase was entered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "PhaseCalls")]
pub struct PhaseReport {
    /// Its name.
    pub name: &'static str,
    /// How often.
    pub calls: u64,
    /// Time in it, without phases inside of it.
    #[serde(skip)]
    pub time: Duration,
}

/// Figures of a backward search.
#[derive(Clone, PartialEq, Eq, Debug, Default, JsonSchema, Serialize)]
pub struct Statistics {
    /// Nodes visited in the last run.
    pub nodes: usize,
    /// Restarts without candidates that were refuted.
    pub restarts: usize,
    /// Nodes of each run before a restart, latest first.
    pub abandoned: Vec<usize>,
    /// Nodes that others cover, in all runs.
    pub fixpoints: usize,
    /// Calls of Z3.
    pub solver_calls: usize,
    /// Most processes of a visited cube.
    #[serde(rename = "max_processes")]
    pub max_procs: usize,
    /// Most literals of a visited cube.
    pub max_literals: usize,
    /// Visited nodes that were removed because a later one subsumes them.
    pub deleted: usize,
    /// How the tests whether a node is covered were settled.
    pub tests: Tests,
    /// The fate of candidates.
    #[serde(flatten)]
    pub proposals: Proposals,
    /// Effort of all runs, in the unit of [`BackwardOptions::max_effort`](crate::options::BackwardOptions::max_effort); of a search that went on,
    /// with what it took before.
    #[serde(skip)]
    pub effort: u64,
    /// Further named counters, in print order.
    #[serde(skip)]
    pub counters: Vec<(&'static str, u64)>,
    /// Calls and time per phase, in print order; empty unless
    /// [`BackwardOptions::profile`](crate::options::BackwardOptions::profile) asks for it.
    #[serde(skip)]
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
