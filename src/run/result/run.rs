//! What a whole run returns.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use super::{Exploration, Outcome, TemporalReport};
use crate::named;
use crate::options::{BackwardMode, SearchOrder};
use crate::verdict::{Cut, Reason, Stop, Trace, Verdict};
use cubicle_lang::diagnostic::Span;
use cubicle_lang::model::{Tail, TransitionId, VarId};

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The answer to "is a bad state reachable?"; `None` when only instances were explored, as asked,
    /// and nothing bad was met in them.
    pub verdict: Option<Verdict>,
    /// The answer to "is there a deadlock?"; `None` when the options do not ask.
    pub deadlocks: Option<Deadlocks>,
    /// What is known of each property of runs, in the order of [`System::temporal`](cubicle_lang::model::SystemParts::temporal).
    pub temporal: Vec<TemporalReport>,
    /// Why some property of runs is open; `None` when none is.
    pub unproved: Option<Reason>,
    /// How many processes of each sort the instances have that the options ask for; empty where that is open.
    pub of_sorts: Vec<(String, usize)>,
    /// What the explorations that the options ask for saw; `None` when they ask for none.
    pub coverage: Option<Coverage>,
    /// The forward explorations, in increasing order of processes.
    pub explorations: Vec<Exploration>,
    /// The last backward search, if the run came to one.
    pub backward: Option<Outcome>,
    /// The searches of [`BackwardMode::Auto`], in order.
    pub stages: Vec<Stage>,
    /// The announcements in place of which the searches had what their setters saw: arrays and variables of the model.
    pub announcements: Vec<VarId>,
    /// The ghost arrays that the searches had; their cubes may mention them.
    pub tails: Vec<Tail>,
    /// The assumptions that the answer rests on.
    pub assumptions: Vec<Assumption>,
    /// When the verdict's run ends in a state that an `invariant` of the model excludes, and in no unsafe one: what
    /// it refutes.
    pub refuted: Option<Refuted>,
    /// Why the exploration of instances of increasing size ended, with [`Procs::Auto`](crate::options::Procs::Auto).
    pub enough: Option<Enough>,
    /// The instances in which a real run was searched for, when a backward search was not to be trusted.
    pub looked_forward: Vec<Looked>,
    /// Why the answer may be vacuous.
    pub vacuous: Vec<Vacuous>,
    /// From which size on no instance has an initial state, as far as that was checked.
    pub unpopulated: Option<Unpopulated>,
    /// What settled the verdict, when it is not unknown.
    pub decider: Option<Decider>,
    /// How the proofs of the run were accepted; `None` when it has none.
    pub acceptance: Option<Acceptance>,
    /// The invariants that the checker refused, as the text of a certificate: for a report of the bug.
    pub refused: Vec<String>,
    /// Wall-clock time per phase, in order.
    pub times: Vec<(&'static str, Duration)>,
}

/// How proofs were accepted, of all bad states and properties of runs together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, JsonSchema, Serialize)]
#[schemars(rename = "ProofCheck")]
pub struct Acceptance {
    /// Whether they were checked, from the model alone; otherwise the answer is that of a search alone (`--unchecked`).
    pub checked: bool,
    /// Cubes that were shown unreachable.
    pub invariants: Option<usize>,
    /// Obligations that were shown.
    pub obligations: Option<usize>,
    /// Calls of Z3.
    pub solver_calls: Option<u64>,
}

impl Acceptance {
    /// They were not checked, as the options ask ([`Options::unchecked`](crate::options::Options::unchecked)).
    pub const UNCHECKED: Self =
        Self { checked: false, invariants: None, obligations: None, solver_calls: None };

    /// That of two proofs together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let sum = |a: Option<usize>, b: Option<usize>| Some(a? + b?);
        Self {
            checked: self.checked && other.checked,
            invariants: sum(self.invariants, other.invariants),
            obligations: sum(self.obligations, other.obligations),
            solver_calls: self.solver_calls.zip(other.solver_calls).map(|(a, b)| a + b),
        }
    }
}

/// Which of the engines settled a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decider {
    /// A forward exploration of the instance with this many processes.
    Forward(usize),
    /// Complete explorations of all instances that the model has, of which the largest has this many processes.
    AllInstances(usize),
    /// A backward search of this kind.
    Stage(BackwardMode),
}

named! {
    /// The conclusion of a run: it determines the exit code of the program. Exhaustive, so that every reader handles
    /// each case.
    pub enum Conclusion {
        /// No bad state is reachable, for any number of processes.
        Safe = "safe",
        /// A bad state is reachable: there is a run to it.
        Unsafe = "unsafe",
        /// A run reaches a state that an `invariant` excludes; whether an unsafe one is reachable is open.
        InvariantRefuted = "invariant_refuted",
        /// A run reaches a state that an assumed `invariant` excludes; whether an unsafe one is reachable is open.
        AssumptionRefuted = "assumption_refuted",
        /// A property of runs is broken: there is a run that does so. No bad state is known.
        Violated = "violated",
        /// A deadlock, and no bad state is known.
        Deadlock = "deadlock",
        /// Only instances were explored, and nothing wrong was found.
        NothingFound = "nothing_found",
        /// Not decided: `reason` says why.
        Unknown = "unknown",
    }
}

impl Report {
    /// Sums up the report. A bad state counts more than a deadlock, a deadlock more than an open question,
    /// and that more than a proof.
    pub fn conclusion(&self) -> Conclusion {
        match (&self.verdict, &self.deadlocks) {
            (Some(Verdict::Unsafe(_)), _) => match self.refuted {
                None => Conclusion::Unsafe,
                Some(Refuted::Lemma) => Conclusion::InvariantRefuted,
                Some(Refuted::Assumption) => Conclusion::AssumptionRefuted,
            },
            _ if self.temporal.iter().any(TemporalReport::is_violated) => Conclusion::Violated,
            (_, Some(Deadlocks::Found)) => Conclusion::Deadlock,
            (Some(Verdict::Unknown(_)), _) | (_, Some(Deadlocks::Open(_))) => Conclusion::Unknown,
            _ if self.unproved.is_some() => Conclusion::Unknown,
            (Some(Verdict::Safe), _) => Conclusion::Safe,
            (None, _) => Conclusion::NothingFound,
        }
    }

    /// Why the run as a whole is open: the verdict's reason, else that of the answer about deadlocks or about runs.
    pub fn open(&self) -> Option<&Reason> {
        match (&self.verdict, &self.deadlocks) {
            (Some(Verdict::Unknown(why)), _) | (_, Some(Deadlocks::Open(why))) => Some(why),
            _ => self.unproved.as_ref().filter(|_| self.conclusion() == Conclusion::Unknown),
        }
    }

    /// Runs to deadlocked states, smallest instance first. Those that only an outside value makes
    /// possible are not among them: nearly always the model does not mean them.
    pub fn deadlocked(&self) -> impl Iterator<Item = &Trace> {
        self.explorations.iter().flat_map(|exploration| &exploration.deadlocks)
    }

    /// Runs to further bad cubes, when [`ForwardOptions::stop_at_unsafe`] is off.
    ///
    /// [`ForwardOptions::stop_at_unsafe`]: crate::options::ForwardOptions::stop_at_unsafe
    pub fn more_bad(&self) -> impl Iterator<Item = &Trace> {
        self.explorations.iter().flat_map(|exploration| &exploration.more_unsafe_traces)
    }

    /// Whether the answer rests on a proof that was not checked.
    pub fn is_unchecked(&self) -> bool {
        self.acceptance.is_some_and(|it| !it.checked)
    }

    /// The run to a bad state that the verdict rests on.
    pub fn bad(&self) -> Option<&Trace> {
        match &self.verdict {
            Some(Verdict::Unsafe(trace)) => Some(trace),
            _ => None,
        }
    }

    /// All traces: to bad states first, then to deadlocks.
    pub fn traces(&self) -> impl Iterator<Item = &Trace> {
        self.bad().into_iter().chain(self.more_bad()).chain(self.deadlocked())
    }

    /// Adds to the time of a phase.
    pub fn spend(&mut self, phase: &'static str, time: Duration) {
        match self.times.iter_mut().find(|(name, _)| *name == phase) {
            Some((_, total)) => *total += time,
            None => self.times.push((phase, time)),
        }
    }
}

/// What the explorations that the options ask for saw, as it stood before any proof.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Coverage {
    /// Processes of the instances, in increasing order.
    pub procs: Vec<usize>,
    /// States stored, over all instances.
    pub states: usize,
    /// Whether `states` counts orbits, in some instance.
    pub symmetry: bool,
    /// The smallest instance of which not all states were seen; `None` when everything was.
    pub cut: Option<Cut>,
}

/// What a run says about deadlocks, when it was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deadlocks {
    /// There is one, and a run to it.
    Found,
    /// None in the states that were seen: see [`Coverage`].
    NoneSeen,
    /// Not decided.
    Open(Reason),
}

/// One search, in the order in which they were made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Stage {
    /// What was done.
    pub proof: BackwardMode,
    /// Which nodes were taken first.
    pub order: SearchOrder,
    /// Nodes, over all restarts.
    pub nodes: usize,
    /// Effort, as [`Statistics::effort`](super::Statistics::effort) counts it.
    pub effort: u64,
    /// Why it did not decide; `None` when it did.
    pub reason: Option<Reason>,
}

/// An instance that was searched, breadth first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Looked {
    /// Its processes.
    pub procs: usize,
    /// Why the search ended.
    pub stop: Stop,
}

/// A declaration that is taken for granted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assumption {
    /// Why.
    pub kind: AssumptionKind,
    /// The declaration.
    pub span: Span,
}

named! {
    /// Why a declaration is taken for granted.
    pub enum AssumptionKind {
        /// It restricts only what no transition changes.
        ///
        /// See [`cubicle_lang::model::Axiom`].
        Axiom = "axiom",
        /// `--trust-invariants` says so.
        Trusted = "trusted_invariant",
    }
}

/// What a run to a state that an `invariant` excludes has refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Refuted {
    /// A claim: an `invariant` that was to be proved.
    Lemma,
    /// An assumption: an `invariant` that was taken for granted.
    Assumption,
}

/// Why no larger instance was explored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Enough {
    /// The last three sizes have the same views of `of` processes: each combination of these
    /// processes' cells and the globals that occurs in one instance occurs in the others.
    Settled {
        /// Processes of a view.
        of: usize,
        /// Number of different views.
        views: usize,
    },
    /// The instance of this size was not explored completely, so that it cannot be compared.
    Cut(usize),
    /// The model has no larger instance.
    Largest,
    /// Larger instances are not tried.
    Limit,
    /// A bad state was found.
    Found,
}

/// Why an answer may be vacuous.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Vacuous {
    /// No bad state is declared, or only by `invariant`s that are taken for granted.
    NothingToProve,
    /// No instance with any of these numbers of processes has an initial state.
    NoInitialState(Vec<usize>),
    /// The transition (the first part of its declaration) never fires in the instances with these numbers of processes.
    NeverFires(TransitionId, Vec<usize>),
    /// What is claimed needs more processes than any instance with an initial state has.
    NeverApplies(Claim, Lack),
}

/// Something that a model claims about its instances with enough processes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Its name: `unsafe at line 12`, or the name of a property of runs.
    pub name: String,
    /// The declaration.
    pub span: Span,
    /// How many processes it needs.
    pub procs: usize,
}

/// Why there is no initial state with as many processes as something needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lack {
    /// `number_procs` allows fewer.
    NumberProcs(usize),
    /// No instance from this size on has one.
    States(usize, Emptying),
}

/// Sizes of instances that have no initial state, or for which that is open. Above a size without one there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unpopulated {
    /// None from this number of processes on.
    From(usize, Emptying),
    /// Not decided for this number of processes; smaller instances have an initial state.
    NotKnown(usize),
}

/// What excludes all initial states of a size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Emptying {
    /// Init.
    Init,
    /// An axiom of this declaration, which no state satisfies.
    Axiom(Span),
    /// Init and the axioms together.
    Together,
}
