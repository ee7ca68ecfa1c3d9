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
use std::time::Instant;

use crate::backward::{self, Brab};
use crate::forward::{self, Explored, StateSpace};
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::model::semantics::{admits, replay};
use crate::observer::{Event, Observer};
use crate::options::{ForwardOptions, Options, Procs, Proof, Strategy};
use crate::result::{AssumptionKind, Decider, Exploration, Report, Stop};
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

    let mut explored = Vec::new();
    let start = Instant::now();
    report.verdict = explore(system, options, interrupt, observer, &mut report, &mut explored);
    report.explorations = data(&explored);
    coverage::sum_up(options, &mut report);
    if !report.explorations.is_empty() {
        report.spend("forward exploration", start.elapsed());
    }
    if report.verdict.is_none() && !options.only_forward {
        let decide = match options.proof {
            Proof::Auto => auto::decide,
            Proof::Classic | Proof::Brab(_) => search,
        };
        let explored = decide(system, options, interrupt, observer, &mut report, explored);
        report.explorations = data(&explored);
    }
    if options.backward.trust_invariants && report.verdict == Some(Verdict::Safe) {
        doubt(system, options, interrupt, observer, &mut report);
    }
    assumptions::settle(system, options.backward.trust_invariants, &mut report);
    assert_replayed(system, &report);
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
    explored: Vec<Explored>,
) -> Vec<Explored> {
    let start = Instant::now();
    let mut space = StateSpace::new(explored);
    space.most_procs = system.max_procs.map_or(SPURIOUS_PROCS, |most| SPURIOUS_PROCS.min(most as usize));
    let brab = match options.proof {
        Proof::Brab(procs) => Some(Brab { procs: oracle_procs(system, procs), oracle: &space }),
        Proof::Auto | Proof::Classic => None,
    };
    let outcome = backward::search(system, &options.backward, brab, interrupt, observer);
    report.spend("backward search", start.elapsed());
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
    space.explored
}

/// What is to be said of explored instances.
fn data(explored: &[Explored]) -> Vec<Exploration> {
    explored.iter().map(|it| it.exploration.clone()).collect()
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
        let exploration = forward::explore(system, procs, &limits, interrupt, observer).exploration;
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
    explored: &mut Vec<Explored>,
) -> Option<Verdict> {
    if options.procs == Some(Procs::Auto) && !matches!(options.proof, Proof::Brab(_)) {
        return sizes::explore(system, options, interrupt, observer, report, explored);
    }
    let explore = if serves_as_oracle(options) { forward::explore_oracle } else { forward::explore };
    for procs in instances(system, options, observer) {
        let found = explore(system, procs, &options.forward, interrupt, observer);
        let conclusion = conclude_instance(system, options, interrupt, observer, report, &found.exploration);
        explored.push(found);
        match conclusion {
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
    exploration: &Exploration,
) -> ControlFlow<Option<Verdict>> {
    observer.event(system, Event::ForwardEnd(exploration));
    let (procs, found, stop) = (exploration.procs, exploration.unsafe_trace.clone(), exploration.stop);
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

/// A trace that the reference semantics does not execute is a bug of an engine: it must be loud, and
/// it must not look like an answer.
fn assert_replayed(system: &System, report: &Report) {
    for trace in report.traces() {
        if let Err(error) = replay(system, trace) {
            panic!("an engine reports a trace that the model does not execute: {error}");
        }
    }
}
