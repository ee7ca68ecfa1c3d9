//! States and bad states: explorations of instances, and proofs for any number of processes.

use std::time::Duration;

use cubicle::model::System;
use cubicle::{
    BackwardMode, BackwardOptions, ForwardOptions, Interrupt, Options, Silent, Stop, Vacuity, Verdict, check,
    forward,
};

use super::ast::Kind;
use super::graph::Graph;
use super::instance::Failures;
use super::{Case, Checked, differ};

pub fn states(case: &Case<'_>) -> Checked {
    explorations_agree(case, &case.system()?, Failures::None)
}

pub fn proofs(case: &Case<'_>) -> Checked {
    proof_agrees(case, &case.system()?, Failures::None)
}

/// Whether the product finds exactly the states of each instance.
pub fn explorations_agree(case: &Case<'_>, system: &System, failures: Failures) -> Checked {
    let mut compared = false;
    for graph in case.graphs(failures) {
        if !graph.complete {
            continue;
        }
        let procs = graph.instance.procs;
        let symmetry = (case.seed / 2).is_multiple_of(2);
        let options = ForwardOptions::default()
            .symmetry(symmetry)
            .undefined_cells(false)
            .deadlock(true)
            .stop_at_unsafe(false)
            .max_states(4 * case.states);
        let interrupt = Interrupt::default();
        let found = forward::explore(system, procs, &options, &interrupt, &mut Silent).exploration;
        let of = |what: &str| {
            let product = (found.states, found.deadlock_states, found.unsafe_trace.is_some());
            let right = (graph.states.len(), graph.deadlocks(), graph.bad());
            format!(
                "{procs} processes, {failures:?}: {what}: states, deadlocks, bad: {product:?}, right is {right:?}"
            )
        };
        if found.stop != Stop::Complete {
            return differ("an exploration is cut", of(&format!("{:?}", found.stop)));
        }
        if found.unsafe_trace.is_some() != graph.bad() {
            return differ("bad states", of("bad states"));
        }
        if (found.deadlock_states == 0) != (graph.deadlocks() == 0) {
            return differ("deadlocks", of("deadlocks"));
        }
        // Names of values that are not processes differ.
        if !symmetry && !case.model.vars.iter().any(|var| var.kind.is_process()) {
            if found.states != graph.states.len() {
                return differ("number of states", of("states"));
            }
            if found.deadlock_states != graph.deadlocks() {
                return differ("number of deadlocks", of("deadlocks"));
            }
        }
        compared = true;
    }
    Ok(compared)
}

/// A search that takes longer has no verdict. Nearly all end by their effort limit long before.
const TIME: Duration = Duration::from_secs(10);

/// Small searches: they decide most of these systems, and their verdicts are compared. Those of the engines themselves: a check of their proofs
/// would hide what is wrong with them.
pub fn small(proof: BackwardMode) -> Options {
    let mut options = Options::default().rounds(Some(1)).only_states(true).vacuity(Vacuity::Ignore);
    options = options.time_limit(TIME);
    options.unchecked = true;
    options.proof = proof;
    // A fixpoint test may make exponentially many clauses where processes are alike.
    options.backward = BackwardOptions::default().max_nodes(150).max_effort(10_000);
    options
}

pub fn engine(seed: u64) -> BackwardMode {
    match seed / 4 % 5 {
        0 => BackwardMode::Classic,
        1 => BackwardMode::Brab(2),
        2 => BackwardMode::Pdr(2),
        _ => BackwardMode::Auto,
    }
}

/// Approximations that only see numbers within bounds.
pub fn numbers(case: &Case<'_>) -> Checked {
    if !case.model.has(Kind::Int) {
        return Ok(false);
    }
    let mut options = small(BackwardMode::Brab(2));
    options.forward.number_range = Some([(0, 1), (-1, 0), (0, 3)][(case.seed / 2 % 3) as usize]);
    options.backward = options.backward.numeric_candidates(true);
    proof_with(case, &case.system()?, Failures::None, &options)
}

/// There is no verdict about sizes without an initial state.
pub fn vacuity(case: &Case<'_>) -> Checked {
    let claims = &case.model.unsafes;
    let none = |params: usize| case.graph(params, Failures::None).is_some_and(|it| it.initial == 0);
    // An initial state of a larger instance contains one of a smaller instance.
    if claims.is_empty() || !claims.iter().all(|claim| none(claim.params)) {
        return Ok(false);
    }
    let system = case.system()?;
    // A formula that no state of any size satisfies is reported when the model is loaded.
    if system.bad.is_empty() {
        return Ok(false);
    }
    let options = small(BackwardMode::Classic).vacuity(Vacuity::Error);
    let report = check(&system, &options, &Interrupt::default(), &mut Silent);
    match report.map(|it| it.verdict) {
        Ok(Some(Verdict::Safe)) => {
            differ("vacuous", "no instance with this many processes has an initial state".to_owned())
        }
        Ok(_) => Ok(true),
        Err(why) => differ("internal error", why.to_string()),
    }
}

/// Whether a verdict for any number of processes agrees with small instances.
pub fn proof_agrees(case: &Case<'_>, system: &System, failures: Failures) -> Checked {
    proof_with(case, system, failures, &small(engine(case.seed)))
}

pub fn proof_with(case: &Case<'_>, system: &System, failures: Failures, options: &Options) -> Checked {
    let report = check(system, options, &Interrupt::default(), &mut Silent);
    let report = match report {
        Ok(report) => report,
        Err(why) => return differ("internal error", why.to_string()),
    };
    let engine = format!("{:?}, {failures:?}", options.proof);
    match &report.verdict {
        Some(Verdict::Safe) => {
            let bad: Option<_> = case.graphs(failures).find(|graph| graph.bad());
            match bad {
                Some(graph) => differ("safe", format!("{engine}: safe, but {}", shown(&graph))),
                None => Ok(true),
            }
        }
        Some(Verdict::Unsafe(trace)) => {
            let graph = case.graph(trace.initial.procs, failures);
            match graph.filter(|graph| graph.complete) {
                Some(graph) if !graph.bad() => {
                    differ("unsafe", format!("{engine}: unsafe, but {}", shown(&graph)))
                }
                graph => Ok(graph.is_some()),
            }
        }
        _ => Ok(false),
    }
}

fn shown(graph: &Graph<'_>) -> String {
    let (procs, bad, states) = (graph.instance.procs, graph.bad(), graph.states.len());
    format!("with {procs} processes, of {states} states some are bad: {bad}")
}
