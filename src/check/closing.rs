//! What closes a proof that did not close: exact search alone, or with lemmas, which are candidates that no state refuted.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::session::Session;
use super::tuning::{BOUND_PROCS, BOUND_STATES};
use cubicle_certificate::declaration;
use cubicle_forward::explore;
use cubicle_lang::model::semantics::admits;
use cubicle_lang::model::{Bad, BadKind, Forbidden, Literal, ProcRef, System, forbids_all_of};
use cubicle_run::{
    BackwardEngine, BackwardMode, ForwardOptions, Interrupt, Options, Reason, Report, SearchOrder, Silent,
    Stage, Try, Verdict,
};
use cubicle_transform::strengthen::{PropertyOperator, StrongerClaim, stronger};

/// At most this many candidates are looked at, the smallest ones.
const MOST_CANDIDATES: usize = 12;

/// Cubes with more processes are left out: whether one contains another is asked of all orders of them.
const MOST_PROCESSES: u8 = 4;

/// At most this many lemmas are proposed together.
const MOST_LEMMAS: usize = 3;

/// Nodes of a search with lemmas: with the right ones few are needed.
const MOST_NODES: usize = 200;

/// Effort of such a search, in the unit of [`max_effort`](field@cubicle_run::BackwardOptions::max_effort).
const MOST_EFFORT: u64 = 3_000;

/// After a limit on memory or a signal all of it takes no longer than this. Otherwise the limits above end it.
const TIME_AFTER_LIMIT: Duration = Duration::from_millis(300);

/// After a limit on time it takes no longer than the N-th part of that, at least the time above and at most this.
const PART_OF_LIMIT: u32 = 10;
const MOST_AFTER_LIMIT: Duration = Duration::from_secs(3);

/// After any of these, nothing is tried for a system with more transitions: what comes before a search takes most of that time there.
const MOST_TRANSITIONS_AFTER_LIMIT: usize = 200;

/// Exact search alone, where a short one suffices; or the fewest claims in the language that no state of small instances violates and with which it
/// does if they hold: candidates that no state refuted, or what cubes of nodes that wait have in common with no state; or the one of these that
/// has most of those cubes.
pub fn closing(engine: BackwardEngine, system: &System, options: &Options, report: &Report) -> Option<Try> {
    let outcome = report.backward.as_ref()?;
    // Where announcements were replaced, cubes are about another system.
    if !report.announcements.is_empty() || system.bad.is_empty() {
        return None;
    }
    let late = match report.open() {
        Some(Reason::Time) => {
            let part = options.time_limit.map(|limit| limit / PART_OF_LIMIT);
            Some(part.unwrap_or_default().clamp(TIME_AFTER_LIMIT, MOST_AFTER_LIMIT))
        }
        Some(Reason::Memory | Reason::Interrupted(_)) => Some(TIME_AFTER_LIMIT),
        _ => None,
    };
    if late.is_some() && system.transitions.len() > MOST_TRANSITIONS_AFTER_LIMIT {
        return None;
    }
    let mut interrupt = Interrupt::default();
    if let Some(time) = late {
        interrupt = interrupt.until(Instant::now() + time);
    }
    let closes = |claims: &[Forbidden]| closes(engine, system, claims, &interrupt);
    let is_exact = |it: &Stage| it.proof == BackwardMode::Classic && it.nodes >= MOST_NODES;
    if !report.stages.iter().any(is_exact) && closes(&[]) {
        return Some(Try::Classic);
    }
    let own = |cube: &&Forbidden| {
        let cells = cube.literals().flat_map(Literal::cells);
        cube.params <= MOST_PROCESSES
            && cube.others.is_empty()
            && cells.into_iter().all(|cell| usize::from(cell.var.0) < system.vars.len())
    };
    let claimed: Vec<Forbidden> = system.bad.iter().map(Forbidden::from).collect();
    let is_new = |cube: &&Forbidden| !claimed.iter().any(|it| forbids_all_of(it, cube));
    let mut standing: Vec<Forbidden> = outcome.standing.iter().filter(own).filter(is_new).cloned().collect();
    standing.sort_by_key(|it| (it.cube.len(), it.params));
    standing.truncate(MOST_CANDIDATES);
    unviolated(system, &mut standing, &interrupt);
    if let Some(lines) = enough(system, standing, &closes) {
        return Some(Try::Lemmas(lines));
    }
    // A few states say nothing of how far numbers come.
    let has_number = |it: &&Forbidden| it.cube.iter().any(|it| matches!(it, Literal::Linear { .. }));
    let all = outcome.open.iter().flat_map(|open| &open.cubes);
    let waiting: Vec<&Forbidden> = all.filter(own).filter(|it| !has_number(it)).collect();
    let wide = widened(system, &waiting, &interrupt);
    if interrupt.reason().is_some() {
        return None;
    }
    let best = wide
        .iter()
        .map(|it| (waiting.iter().filter(|cube| forbids_all_of(it, cube)).count(), it))
        .max_by_key(|(closed, it)| (*closed, Reverse(it.cube.len())))
        .and_then(|(closed, it)| Some((closed, declaration(system, it)?)));
    match enough(system, wide.iter().filter(is_new).cloned().collect(), &closes) {
        Some(lines) => Some(Try::Lemmas(lines)),
        None => best.map(|(closed, line)| Try::Lemma { line, nodes: (closed, waiting.len()) }),
    }
}

/// The fewest of these claims with which exact search closes, as text.
fn enough(
    system: &System,
    mut left: Vec<Forbidden>,
    closes: &dyn Fn(&[Forbidden]) -> bool,
) -> Option<Vec<String>> {
    if left.is_empty() || !closes(&left) {
        return None;
    }
    // Larger ones are left out first.
    for at in (0..left.len()).rev() {
        let mut fewer = left.clone();
        fewer.remove(at);
        if !fewer.is_empty() && closes(&fewer) {
            left = fewer;
        }
    }
    let lines = left.iter().map(|it| declaration(system, it)).collect::<Option<Vec<_>>>()?;
    (lines.len() <= MOST_LEMMAS).then_some(lines)
}

/// The cubes with as few literals and processes as no state of small instances violates: of each the first way to leave them out.
fn widened(system: &System, cubes: &[&Forbidden], interrupt: &Interrupt) -> Vec<Forbidden> {
    let mut growing: Vec<Forbidden> = cubes.iter().copied().cloned().collect();
    unviolated(system, &mut growing, interrupt);
    let mut found: Vec<Forbidden> = Vec::new();
    while !growing.is_empty() && interrupt.reason().is_none() {
        let less = |it: &StrongerClaim| {
            let named = |p| it.claim.cube.iter().any(|literal| literal.procs().contains(&ProcRef::Var(p)));
            matches!(it.operator, PropertyOperator::DropParameter | PropertyOperator::DropLiteral)
                && (0..it.claim.params).all(named)
        };
        let wider: Vec<Vec<Forbidden>> = growing
            .iter()
            .map(|cube| stronger(system, cube).into_iter().filter(less).map(|it| it.claim).collect())
            .collect();
        let mut left: Vec<Forbidden> = wider.concat();
        unviolated(system, &mut left, interrupt);
        let mut next: Vec<Forbidden> = Vec::new();
        for (cube, wider) in growing.into_iter().zip(wider) {
            let (to, it) = match wider.into_iter().find(|it| left.contains(it)) {
                Some(wider) => (&mut next, wider),
                None => (&mut found, cube),
            };
            if !to.iter().any(|known| forbids_all_of(known, &it)) {
                to.push(it);
            }
        }
        growing = next;
    }
    found.truncate(MOST_CANDIDATES);
    found
}

/// The claim that no reachable state is in a cube.
fn bad(system: &System, cube: &Forbidden) -> Bad {
    let span = system.bad[0].span;
    Bad { kind: BadKind::Invariant, ..Bad::derived("", 0, cube.params, cube.cube.clone(), span) }
}

/// Leaves out the claims that a state of a small instance violates, as far as a few states show.
fn unviolated(system: &System, claims: &mut Vec<Forbidden>, interrupt: &Interrupt) {
    let options = ForwardOptions::default().max_states(BOUND_STATES).stop_at_unsafe(false);
    for procs in (1..=BOUND_PROCS).filter(|procs| admits(system, *procs)) {
        // A run is shown for one of the claims that its last state violates.
        loop {
            let claimed = claims.iter().map(|cube| bad(system, cube)).collect();
            let asked = system.edited(|parts| parts.ask(claimed));
            let seen = explore(&asked, procs, &options, interrupt, &mut Silent).exploration;
            let runs = seen.unsafe_trace.iter().chain(&seen.more_unsafe_traces);
            let violated: BTreeSet<usize> = runs.filter_map(|run| run.bad).collect();
            if violated.is_empty() {
                break;
            }
            violated.into_iter().rev().for_each(|at| drop(claims.remove(at)));
        }
    }
}

/// Whether exact search shows the system safe when these claims are taken for granted.
fn closes(engine: BackwardEngine, system: &System, claims: &[Forbidden], interrupt: &Interrupt) -> bool {
    // Those of the model are to be proved.
    let own = system.bad.iter().map(|it| Bad { kind: BadKind::Unsafe, ..it.clone() });
    let all = own.chain(claims.iter().map(|cube| bad(system, cube))).collect();
    let helped = system.edited(|parts| parts.ask(all));
    let mut options = Options::classic();
    options.backward.trust_invariants = true;
    options.backward.max_nodes = MOST_NODES;
    let mut silent = Silent;
    let mut session = Session::new(&helped, &options, interrupt, &mut silent, engine, Report::default());
    // A trace that is spurious here may stand for any run: to look for one has no limit in work, and would close nothing.
    session.search(options.proof, SearchOrder::default(), [Some(MOST_EFFORT); 2]).verdict == Verdict::Safe
}
