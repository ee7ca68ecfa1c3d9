//! The loop around runs: BRAB's restarts, and exactness raised when only spurious paths were found.
//!
//! Each restart removes at least one candidate for good, so the loop ends. What is proved at the end is
//! proved in the last run alone; only candidates and their fate live longer.

use super::candidates::opposites_of_init;
use super::export::text;
use super::fixpoint::Context;
use super::instance::prepare;
use super::outcome::{Candidate, Outcome, Proposals, Statistics, Tests};
use super::preimage::PreOptions;
use super::run::{End, Pool, Run, Setting};
use super::slot::Shape;
use super::{Brab, export};
use crate::interrupt::Interrupt;
use crate::model::System;
use crate::model::semantics;
use crate::observer::{Event, Observer};
use crate::options::BackwardOptions;
use crate::oracle::{Answer, Growth};
use crate::verdict::{Reason, Trace, Verdict};

/// Restarts between two requests for more forward states.
const RESTARTS_PER_GROWTH: usize = 4;

/// Candidates get no more processes than this by looking at larger instances.
const WIDER_CANDIDATES: usize = 3;

/// See [`super::search`].
pub fn search(
    system: &System,
    options: &BackwardOptions,
    brab: Option<Brab<'_>>,
    interrupt: &Interrupt,
    observer: &mut dyn Observer,
) -> Outcome {
    let unranged;
    let system = if options.ranges {
        system
    } else {
        unranged = system.without_ranges();
        &unranged
    };
    let shape = Shape::new(system, options.ranges, interrupt);
    let transitions = prepare(system);
    let mut context = Context::new(system, &shape, options);
    let mut pool = Pool::default();
    let mut statistics = Statistics::default();
    let mut setting = Setting {
        system,
        shape: &shape,
        transitions: &transitions,
        options,
        brab,
        pre: PreOptions {
            keep_unused: false,
            eliminate_constants: options.eliminate_constants,
            join: brab.is_none(),
        },
        interrupt,
    };
    if let Some(brab) = brab {
        propose_bounds(&setting, brab, &mut pool);
    }
    let mut invariant = Vec::new();
    let (mut untouched, mut instances, mut postponed) = (0, 0, 0);
    let (verdict, error_history) = loop {
        let (end, counts) = match Run::new(&setting, &mut context, &mut pool) {
            Ok(mut run) => {
                let end = run.run(observer);
                if matches!(end, End::Safe) {
                    invariant = export::invariant(system, &shape, run.visited.cubes());
                }
                (end, run.counts)
            }
            Err(halt) => (End::Unknown(halt.into(), None), super::run::RunCounts::default()),
        };
        statistics.nodes = counts.nodes;
        statistics.fixpoints += counts.fixpoints;
        statistics.max_procs = statistics.max_procs.max(counts.max_procs);
        statistics.max_literals = statistics.max_literals.max(counts.max_literals);
        statistics.deleted += counts.deleted;
        untouched += counts.pre.untouched;
        instances += counts.pre.instances;
        postponed += counts.postponed as u64;
        match end {
            End::Safe => break (Verdict::Safe, None),
            End::Unsafe(trace, history) => break (Verdict::Unsafe(trace), history),
            End::Bad(number, trace) => {
                statistics.abandoned.insert(0, counts.nodes);
                statistics.restarts += 1;
                if let Some(trace) = demote(&setting, &mut pool, number, trace, &statistics, observer) {
                    break (Verdict::Unsafe(trace), None);
                }
            }
            End::Wiser => {
                statistics.abandoned.insert(0, counts.nodes);
                statistics.restarts += 1;
                observer.event(system, Event::Restart(statistics.restarts));
                heed(&mut setting, &mut pool);
            }
            End::Unknown(Reason::Spurious(history), _) if !setting.pre.keep_unused => {
                // Unnamed processes and constants were forgotten; keep them and look again.
                setting.pre = PreOptions { keep_unused: true, eliminate_constants: false, ..setting.pre };
                statistics.abandoned.insert(0, counts.nodes);
                observer.event(system, Event::Note(&format!("no instance executes {history}: searching again, keeping every process and constant that a path needs")));
            }
            End::Unknown(reason, history) => break (Verdict::Unknown(reason), history),
        }
    };
    let counts = context.counts;
    statistics.solver_calls = counts.solver_calls as usize;
    statistics.tests = Tests {
        subsumed: counts.subsumed,
        empty: counts.empty,
        finite: counts.hard - counts.left_to_solver,
        solver: counts.left_to_solver,
    };
    let proposed = u64::from(pool.made.unsigned_abs());
    let bad = proposed - pool.kept.len() as u64;
    statistics.proposals = Proposals { asked: pool.asked, refuted: pool.refuted, proposed, bad };
    statistics.counters = vec![
        ("Transition instances", instances),
        ("Untouched instances", untouched),
        ("Postponed nodes", postponed),
        ("Hard tests covered", counts.hard_covered),
        ("Clauses", counts.clauses),
        ("Solver unknowns", counts.solver_unknown),
    ];
    statistics.phases = context.meter.report();
    let mut candidates: Vec<Candidate> = pool
        .kept
        .iter()
        .map(|(number, cube)| Candidate { number: *number, literals: text(system, &shape, cube) })
        .collect();
    candidates.sort_by_key(|c| (c.literals.len(), -c.number));
    Outcome { verdict, statistics, candidates, invariant, error_history, approximated: brab.is_some() }
}

/// Takes a reachable candidate out of the pool, learns from its run, and drops the other candidates that
/// the run reaches. Returns a run to a bad state when there turns out to be one.
fn demote(
    setting: &Setting<'_>,
    pool: &mut Pool,
    number: i32,
    trace: Option<Box<Trace>>,
    statistics: &Statistics,
    observer: &mut dyn Observer,
) -> Option<Box<Trace>> {
    let (system, shape) = (setting.system, setting.shape);
    if let Some(at) = pool.kept.iter().position(|c| c.0 == number) {
        let (_, cube) = pool.kept.remove(at);
        observer.event(system, Event::BadCandidate { number, cube: &text(system, shape, &cube) });
        pool.bad.push(cube);
    }
    observer.event(system, Event::Restart(statistics.restarts));
    let brab = setting.brab?;
    if let Some(mut trace) = trace {
        if let Some(found) = meets_bad(setting, &mut trace) {
            return Some(found);
        }
        brab.oracle.learn(&trace);
    }
    if statistics.restarts.is_multiple_of(RESTARTS_PER_GROWTH)
        && let Growth::Unsafe(trace) = brab.oracle.grow()
    {
        return Some(trace);
    }
    drop_reached(setting, pool, brab);
    None
}

/// Begins again with an oracle that has seen larger instances.
fn heed(setting: &mut Setting<'_>, pool: &mut Pool) {
    let Some(brab) = setting.brab else { return };
    let procs = brab.procs.max(WIDER_CANDIDATES.min(brab.procs + 1));
    setting.brab = Some(Brab { procs, ..brab });
    drop_reached(setting, pool, brab);
    // What contains one of these was thought to be reachable as well; now the states say.
    pool.bad.clear();
}

/// Drops the candidates that a forward state satisfies.
fn drop_reached(setting: &Setting<'_>, pool: &mut Pool, brab: Brab<'_>) {
    let kept = std::mem::take(&mut pool.kept);
    for (n, c) in kept {
        let reached = export::oracle_literals(setting.shape, &c)
            .is_some_and(|(procs, literals)| brab.oracle.ask(procs, &literals) == Answer::Reached);
        if reached { pool.bad.push(c) } else { pool.kept.push((n, c)) }
    }
}

/// A run to a candidate may pass a bad state: the shortest such prefix.
fn meets_bad(setting: &Setting<'_>, trace: &mut Trace) -> Option<Box<Trace>> {
    let system = setting.system;
    let states = std::iter::once(&trace.initial).chain(trace.steps.iter().map(|s| &s.after));
    for (i, state) in states.enumerate() {
        // Trusted invariants, too: a run into one refutes what is assumed.
        for k in 0..system.bad.len() {
            if semantics::satisfies(system, state, k).is_some() {
                let mut prefix = trace.clone();
                prefix.steps.truncate(i);
                prefix.bad = Some(k);
                if semantics::replay(system, &prefix).is_ok() {
                    return Some(Box::new(prefix));
                }
            }
        }
    }
    None
}

/// Starts the pool with the opposites of init's inequalities, as far as no forward state refutes them.
fn propose_bounds(setting: &Setting<'_>, brab: Brab<'_>, pool: &mut Pool) {
    let (shape, init) = (setting.shape, &setting.system.init);
    for cube in opposites_of_init(shape, init, brab.procs).unwrap_or_default() {
        pool.asked += 1;
        let reached = export::oracle_literals(shape, &cube)
            .is_some_and(|(procs, literals)| brab.oracle.ask(procs, &literals) == Answer::Reached);
        if reached {
            pool.refuted += 1;
        } else {
            pool.made -= 1;
            pool.kept.push((pool.made, cube));
        }
    }
}
