//! What closes a proof that did not close: exact search alone, or with lemmas, which are candidates that no state refuted.

use std::time::{Duration, Instant};

use super::search::search;
use super::session::Session;
use super::tuning::{BOUND_PROCS, BOUND_STATES};
use cubicle_certificate::declaration;
use cubicle_forward::explore;
use cubicle_lang::model::semantics::admits;
use cubicle_lang::model::{Bad, BadKind, Forbidden, Literal, System, forbids_all_of};
use cubicle_run::interrupt::Interrupt;
use cubicle_run::observer::Silent;
use cubicle_run::options::{ForwardOptions, Options};
use cubicle_run::result::{Report, Try};
use cubicle_run::verdict::{Reason, Verdict};

/// At most this many candidates are looked at, the smallest ones.
const MOST_CANDIDATES: usize = 12;

/// At most this many lemmas are proposed together.
const MOST_LEMMAS: usize = 3;

/// Nodes of a search with lemmas: with the right ones few are needed.
const MOST_NODES: usize = 200;

/// After a limit on time or memory all of it takes no longer than this.
const TIME_AFTER_LIMIT: Duration = Duration::from_millis(300);

/// Otherwise the limits above end it, nearly always before this.
const TIME: Duration = Duration::from_secs(10);

/// Exact search alone, where a short one suffices; or the fewest candidates, as claims in the language, that no state of small instances violates
/// and with which it does if they hold.
pub fn closing(system: &System, report: &Report) -> Option<Try> {
    let outcome = report.backward.as_ref()?;
    // Where announcements were replaced, cubes are about another system.
    if !report.announcements.is_empty() || system.bad.is_empty() {
        return None;
    }
    let is_late = matches!(report.open(), Some(Reason::Time | Reason::Memory | Reason::Interrupted(_)));
    let time = if is_late { TIME_AFTER_LIMIT } else { TIME };
    let interrupt = Interrupt::default().until(Instant::now() + time);
    if closes(system, &[], &interrupt) {
        return Some(Try::Classic);
    }
    let own = |cube: &Forbidden| {
        let cells = cube.literals().flat_map(Literal::cells);
        cube.others.is_empty() && cells.into_iter().all(|cell| usize::from(cell.var.0) < system.vars.len())
    };
    let claimed: Vec<Forbidden> = system.bad.iter().map(Forbidden::from).collect();
    let is_new = |cube: &&Forbidden| own(cube) && !claimed.iter().any(|it| forbids_all_of(it, cube));
    let mut cubes: Vec<&Forbidden> = outcome.standing.iter().filter(is_new).collect();
    cubes.sort_by_key(|it| (it.cube.len(), it.params));
    cubes.truncate(MOST_CANDIDATES);
    let mut left: Vec<Bad> = cubes.into_iter().map(|cube| bad(system, cube)).collect();
    while let Some(at) = violated(system, &left, &interrupt) {
        left.remove(at);
    }
    if left.is_empty() || !closes(system, &left, &interrupt) {
        return None;
    }
    // Larger ones are left out first.
    for at in (0..left.len()).rev() {
        let mut fewer = left.clone();
        fewer.remove(at);
        if !fewer.is_empty() && closes(system, &fewer, &interrupt) {
            left = fewer;
        }
    }
    if left.len() > MOST_LEMMAS {
        return None;
    }
    let lines =
        left.iter().map(|it| declaration(system, &Forbidden::from(it))).collect::<Option<Vec<_>>>()?;
    Some(Try::Lemmas(lines))
}

/// The claim that no reachable state is in a cube.
fn bad(system: &System, cube: &Forbidden) -> Bad {
    let span = system.bad[0].span;
    Bad {
        name: String::new(),
        number: 0,
        kind: BadKind::Invariant,
        params: cube.params,
        cube: cube.cube.clone(),
        span,
        spans: vec![span; cube.cube.len()],
    }
}

/// A claim that a state of a small instance violates, as far as a few states show.
fn violated(system: &System, claims: &[Bad], interrupt: &Interrupt) -> Option<usize> {
    let asked = system.edited(|parts| {
        parts.bad = claims.to_vec();
        parts.temporal.clear();
        parts.fairness.clear();
    });
    let options = ForwardOptions::default().max_states(BOUND_STATES);
    (1..=BOUND_PROCS).filter(|procs| admits(system, *procs)).find_map(|procs| {
        let seen = explore(&asked, procs, &options, interrupt, &mut Silent).exploration;
        seen.unsafe_trace?.bad
    })
}

/// Whether exact search shows the system safe when these claims are taken for granted.
fn closes(system: &System, claims: &[Bad], interrupt: &Interrupt) -> bool {
    let helped = system.edited(|parts| {
        parts.bad.extend(claims.iter().cloned());
        parts.temporal.clear();
        parts.fairness.clear();
    });
    let mut options = Options::classic();
    options.backward.trust_invariants = true;
    options.backward.max_nodes = MOST_NODES;
    let mut silent = Silent;
    let mut session = Session::new(&helped, &options, interrupt, &mut silent, Report::none());
    search(&mut session);
    session.report.verdict == Some(Verdict::Safe)
}
