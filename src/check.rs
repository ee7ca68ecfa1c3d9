//! The pipeline of a run: forward explorations, then the backward search, to one report.
//!
//! ```text
//! --brab k            explore k processes -> unsafe state met? UNSAFE
//!                                         -> else: backward search with the states as oracle
//! --only-forward      explore, and say what was seen
//! --strategy classic  backward search without approximation
//! (none of these)     rounds of both kinds of backward search, see `auto`
//! ```

mod assumptions;
mod auto;
mod coverage;
mod sizes;
mod vacuity;

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

pub use self::assumptions::{Assumption, AssumptionKind, Refuted};
pub use self::auto::Stage;
pub use self::coverage::{Coverage, Deadlocks};
pub use self::sizes::Enough;
pub use self::vacuity::Vacuous;
use crate::backward::{self, Brab, Outcome};
use crate::forward::{self, Exploration, StateSpace, Stop};
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::model::semantics::{admits, replay};
use crate::observer::{Event, Observer};
use crate::options::{ForwardOptions, Options, Procs, Proof, Strategy};
use crate::verdict::{Reason, Trace, Verdict};

/// States that may be stored, over all instances, in the search for a real trace after spurious ones.
const SPURIOUS_STATES: usize = 300_000;

/// The largest instance of that search.
const SPURIOUS_PROCS: usize = 8;

/// The same for a look at whether trusted invariants hold.
const DOUBTING_STATES: usize = 20_000;

/// The largest instance of that look.
const DOUBTING_PROCS: usize = 3;

/// Processes of a forward exploration for which no number was given.
pub const DEFAULT_PROCS: usize = 3;

/// Everything that a run found out.
#[derive(Clone, Debug)]
pub struct Report {
    /// The answer to "is a bad state reachable?"; `None` when only instances were explored, as asked,
    /// and nothing bad was met in them.
    pub verdict: Option<Verdict>,
    /// The answer to "is there a deadlock?"; `None` when nobody asked.
    pub deadlocks: Option<Deadlocks>,
    /// What the explorations that the options ask for saw; `None` when they ask for none.
    pub coverage: Option<Coverage>,
    /// The forward explorations, in increasing order of processes.
    pub explorations: Vec<Exploration>,
    /// The last backward search, if the run came to one.
    pub backward: Option<Outcome>,
    /// The searches of [`Proof::Auto`], in order.
    pub stages: Vec<Stage>,
    /// What the answer rests on that was not shown.
    pub assumptions: Vec<Assumption>,
    /// When the verdict's run ends in a state that an `invariant` of the model excludes, and in no unsafe one: what
    /// it refutes.
    pub refuted: Option<Refuted>,
    /// Why the exploration of instances of increasing size ended, with [`Procs::Auto`].
    pub enough: Option<Enough>,
    /// Why the answer may be worth nothing.
    pub vacuous: Vec<Vacuous>,
    /// What settled the verdict, when it is not unknown.
    pub decider: Option<Decider>,
    /// Wall-clock time per phase, in order.
    pub times: Vec<(&'static str, Duration)>,
}

/// Which of the engines settled a verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decider {
    /// A forward exploration of the instance with this many processes.
    Forward(usize),
    /// A backward search of this kind.
    Stage(Proof),
}

/// What a run comes to, in one word: the exit code of the program follows from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Conclusion {
    /// Proved for any number of processes.
    Safe,
    /// A replayed run to an unsafe state.
    Unsafe,
    /// A replayed run to a state that an `invariant` of the model excludes. Whether an unsafe state is reachable
    /// is open.
    InvariantRefuted,
    /// The same, of an `invariant` that was taken for granted.
    AssumptionRefuted,
    /// A deadlock that the options asked to look for; no bad state is known.
    Deadlock,
    /// Only instances were explored, and nothing wrong was met.
    NothingFound,
    /// Not decided.
    Unknown,
}

impl Report {
    /// Sums the report up. A bad state counts more than a deadlock, a deadlock more than an open question,
    /// and that more than a proof.
    pub fn conclusion(&self) -> Conclusion {
        match (&self.verdict, &self.deadlocks) {
            (Some(Verdict::Unsafe(_)), _) => match self.refuted {
                None => Conclusion::Unsafe,
                Some(Refuted::Lemma) => Conclusion::InvariantRefuted,
                Some(Refuted::Assumption) => Conclusion::AssumptionRefuted,
            },
            (_, Some(Deadlocks::Found)) => Conclusion::Deadlock,
            (Some(Verdict::Unknown(_)), _) | (_, Some(Deadlocks::Open(_))) => Conclusion::Unknown,
            (Some(Verdict::Safe), _) => Conclusion::Safe,
            (None, _) => Conclusion::NothingFound,
        }
    }

    /// Why the run as a whole is open: the verdict's reason, else that of the answer about deadlocks.
    pub fn open(&self) -> Option<&Reason> {
        match (&self.verdict, &self.deadlocks) {
            (Some(Verdict::Unknown(why)), _) | (_, Some(Deadlocks::Open(why))) => Some(why),
            _ => None,
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
    fn spend(&mut self, phase: &'static str, time: Duration) {
        match self.times.iter_mut().find(|(name, _)| *name == phase) {
            Some((_, total)) => *total += time,
            None => self.times.push((phase, time)),
        }
    }

    /// A trace that the reference semantics does not execute is a bug of an engine: it must be loud, and
    /// it must not look like an answer.
    fn assert_replayed(&self, system: &System) {
        for trace in self.traces() {
            if let Err(error) = replay(system, trace) {
                panic!("an engine reports a trace that the model does not execute: {error}");
            }
        }
    }
}

/// Runs the engines that `options` ask for on `system`.
///
/// The run ends early when `interrupt` says so: its deadline has passed (also set here from
/// [`Options::time_limit`]) or a signal is pending. As in the original tool, the first SIGINT during
/// the exploration of a BRAB run only ends that exploration: the states seen so far are a valid oracle.
pub fn check(
    system: &System,
    options: &Options,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Report {
    if let Some(deadline) = options.time_limit.and_then(|limit| Instant::now().checked_add(limit)) {
        interrupt.set_deadline(deadline);
    }
    let mut report = Report {
        verdict: None,
        deadlocks: None,
        coverage: None,
        explorations: Vec::new(),
        backward: None,
        stages: Vec::new(),
        assumptions: assumptions::of(system, options.backward.trust_invariants),
        refuted: None,
        enough: None,
        vacuous: Vec::new(),
        decider: None,
        times: Vec::new(),
    };

    let start = Instant::now();
    report.verdict = explore(system, options, interrupt, observer, &mut report);
    coverage::sum_up(options, &mut report);
    if !report.explorations.is_empty() {
        report.spend("forward exploration", start.elapsed());
    }
    if report.verdict.is_none() && !options.only_forward {
        match options.proof {
            Proof::Auto => auto::decide(system, options, interrupt, observer, &mut report),
            Proof::Classic | Proof::Brab(_) => search(system, options, interrupt, observer, &mut report),
        }
    }
    if options.backward.trust_invariants && report.verdict == Some(Verdict::Safe) {
        doubt(system, options, interrupt, observer, &mut report);
    }
    assumptions::settle(system, options.backward.trust_invariants, &mut report);
    report.assert_replayed(system);
    let start = Instant::now();
    vacuity::look(system, options, interrupt, &mut report);
    report.spend("look for vacuity", start.elapsed());
    report
}

/// One backward search, with what was explored as oracle.
fn search(
    system: &System,
    options: &Options,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
    report: &mut Report,
) {
    let start = Instant::now();
    let mut space = StateSpace::new(std::mem::take(&mut report.explorations));
    space.most_procs = system.max_procs.map_or(SPURIOUS_PROCS, |most| SPURIOUS_PROCS.min(most as usize));
    let brab = match options.proof {
        Proof::Brab(procs) => Some(Brab { procs: oracle_procs(system, procs), oracle: &space }),
        Proof::Auto | Proof::Classic => None,
    };
    let outcome = backward::search(system, &options.backward, brab, interrupt, observer);
    report.spend("backward search", start.elapsed());
    report.explorations = space.explorations;
    report.verdict = Some(outcome.verdict.clone());
    if !matches!(outcome.verdict, Verdict::Unknown(_)) {
        report.decider = Some(Decider::Stage(options.proof));
    }
    if matches!(outcome.verdict, Verdict::Unknown(Reason::Spurious(_)))
        && let Some(trace) = look_forward(system, options, interrupt, observer, report)
    {
        report.verdict = Some(Verdict::Unsafe(Box::new(trace)));
    }
    report.backward = Some(outcome);
}

/// Backward search found only traces that no instance executes; a real one may hide behind them, on an
/// instance larger than the oracle's. Breadth first, smallest instances first, within a fixed number of
/// states so that the answer does not depend on the machine.
fn look_forward(
    system: &System,
    options: &Options,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Option<Trace> {
    observer.event(system, Event::Note("looking forward for a trace that an instance executes"));
    let start = Instant::now();
    let limits = Limits { states: SPURIOUS_STATES, procs: SPURIOUS_PROCS };
    let found = executable_trace(system, options, limits, interrupt, observer);
    report.spend("forward search for a real trace", start.elapsed());
    if let Some(trace) = &found {
        report.decider = Some(Decider::Forward(trace.initial.procs));
    }
    found
}

/// A proof that rests on trusted invariants: a look at small instances whether these are so.
fn doubt(
    system: &System,
    options: &Options,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
    report: &mut Report,
) {
    if !report.assumptions.iter().any(|it| it.kind == AssumptionKind::Trusted) {
        return;
    }
    let start = Instant::now();
    let limits = Limits { states: DOUBTING_STATES, procs: DOUBTING_PROCS };
    if let Some(trace) = executable_trace(system, options, limits, interrupt, observer) {
        report.decider = Some(Decider::Forward(trace.initial.procs));
        report.verdict = Some(Verdict::Unsafe(Box::new(trace)));
    }
    report.spend("forward search for what refutes the assumptions", start.elapsed());
}

/// Of a search through instances of increasing size.
#[derive(Clone, Copy)]
struct Limits {
    /// States that may be stored, over all instances.
    states: usize,
    /// The largest instance.
    procs: usize,
}

fn executable_trace(
    system: &System,
    options: &Options,
    limits: Limits,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Option<Trace> {
    let mut left = limits.states;
    for procs in usize::from(system.proc_constants)..=limits.procs {
        if left == 0 || interrupt.reason().is_some() {
            return None;
        }
        if !admits(system, procs) {
            continue;
        }
        let limits = ForwardOptions {
            strategy: Strategy::Bfs,
            depth: None,
            max_states: Some(left),
            stop_at_unsafe: true,
            deadlock: false,
            ..options.forward.clone()
        };
        let exploration = forward::explore(system, procs, &limits, interrupt, observer);
        left = left.saturating_sub(exploration.states);
        if exploration.unsafe_trace.is_some() {
            return exploration.unsafe_trace;
        }
    }
    None
}

/// Explores the instances; a verdict only when the run ends here.
fn explore(
    system: &System,
    options: &Options,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
    report: &mut Report,
) -> Option<Verdict> {
    if options.procs == Some(Procs::Auto) && !matches!(options.proof, Proof::Brab(_)) {
        return sizes::explore(system, options, interrupt, observer, report);
    }
    let explore = if serves_as_oracle(options) { forward::explore_oracle } else { forward::explore };
    for procs in instances(system, options, observer) {
        let exploration = explore(system, procs, &options.forward, interrupt, observer);
        match conclude_instance(system, options, interrupt, observer, report, exploration) {
            ControlFlow::Continue(()) => {}
            ControlFlow::Break(verdict) => return verdict,
        }
    }
    None
}

/// Whether the backward search needs the states.
fn serves_as_oracle(options: &Options) -> bool {
    matches!(options.proof, Proof::Brab(_)) && !options.only_forward
}

/// Reports an exploration; breaks when no further instance is to be explored, with a verdict when the run
/// ends here.
fn conclude_instance(
    system: &System,
    options: &Options,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
    report: &mut Report,
    exploration: Exploration,
) -> ControlFlow<Option<Verdict>> {
    observer.event(system, Event::ForwardEnd(&exploration));
    let (procs, found, stop) = (exploration.procs, exploration.unsafe_trace.clone(), exploration.stop);
    report.explorations.push(exploration);
    if let Some(trace) = found {
        report.decider = Some(Decider::Forward(procs));
        return ControlFlow::Break(Some(Verdict::Unsafe(Box::new(trace))));
    }
    if let Some(reason) = interrupt.reason() {
        if !serves_as_oracle(options) || !interrupt.consume() {
            return ControlFlow::Break(Some(Verdict::Unknown(reason)));
        }
        let note = "exploration interrupted; the backward search goes on with the states seen so far";
        observer.event(system, Event::Note(note));
        return ControlFlow::Break(None);
    }
    let too_much = matches!(stop, Stop::TooLarge | Stop::Wide | Stop::Memory);
    if options.only_forward && too_much { ControlFlow::Break(None) } else { ControlFlow::Continue(()) }
}

/// Sizes of the instances to explore, in increasing order.
fn instances(system: &System, options: &Options, observer: &mut dyn Observer) -> Vec<usize> {
    let (wanted, asked) = match (options.proof, options.procs) {
        (Proof::Brab(procs), _) | (_, Some(Procs::Exactly(procs))) => (procs, true),
        _ if options.only_forward => (DEFAULT_PROCS, false),
        _ => return Vec::new(),
    };
    let procs = oracle_procs(system, wanted);
    if procs != wanted && asked {
        let text =
            format!("the model has no instance with {wanted} processes; exploring the one with {procs}");
        observer.event(system, Event::Warning(&text));
    }
    let least = usize::from(system.proc_constants);
    if options.up_to { (least..=procs).collect() } else { vec![procs] }
}

/// The number nearest to `procs` of processes that an instance of `system` can have.
fn oracle_procs(system: &System, procs: usize) -> usize {
    let most = system.max_procs.map_or(usize::MAX, |most| most as usize);
    procs.min(most).max(usize::from(system.proc_constants))
}
