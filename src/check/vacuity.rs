//! A cheap search for reasons why an answer may be vacuous: no initial states, transitions that never fire,
//! nothing to be proved.
//!
//! Explorations that the run has made anyway are used first. Where they leave something open, instances
//! with two and three processes, and with two of each sort, are explored, within a fixed number of states and only until each transition
//! has fired. Reports rest on complete explorations only; where there are none, nothing is reported.
//! Sizes of instances that have no initial state are found by [`unpopulated`].

use super::populated::unpopulated;
use super::session::Session;
use super::size::{Purpose, oracle_size};
use super::tuning::{VACUITY_INSTANCES, VACUITY_STATES};
use cubicle_lang::list::add_new;
use cubicle_lang::model::semantics::{admits, choices_of_arguments};
use cubicle_lang::model::{BadKind, System, TemporalKind, TransitionId};
use cubicle_run::{
    Claim, Conclusion, Exploration, ForwardOptions, Lack, Options, Reason, Report, Stop, Strategy,
    Unpopulated, Vacuity, Vacuous, Verdict,
};

/// Examines `report`, notes what makes it doubtful in [`Report::vacuous`], and withdraws the answer
/// when the options ask for that.
pub fn look(session: &mut Session<'_>) {
    let Session { system, options, report, .. } = &*session;
    let (mut found, populated) = match report.conclusion() {
        _ if options.vacuity == Vacuity::Ignore => return,
        Conclusion::NothingFound => (of_explorations(system, options, report), populated(report)),
        _ if report.verdict == Some(Verdict::Safe) => of_proof(session),
        _ => return,
    };
    let unpopulated = of_sizes(session, populated, &mut found);
    let known = &options.known_vacuity;
    found.retain(|vacuous| match vacuous {
        Vacuous::NothingToProve => !known.nothing_to_prove,
        Vacuous::NoInitialState(_) => !known.no_initial_state,
        Vacuous::NeverFires(id, _) => !known.never_fires.contains(&system.transition(*id).origin),
        Vacuous::NeverApplies(claim, _) => {
            !known.no_initial_state && !known.never_applies.contains(&claim.span)
        }
    });
    if options.vacuity == Vacuity::Error && !found.is_empty() {
        session.report.verdict = Some(Verdict::Unknown(Reason::Vacuous(found.len())));
        session.report.decider = None;
    }
    session.report.vacuous = found;
    session.report.unpopulated = unpopulated.filter(|_| !known.no_initial_state);
}

/// The most processes with which an initial state was seen.
fn populated(report: &Report) -> Option<usize> {
    report.explorations.iter().filter(|it| it.states > 0).map(|it| it.procs).max()
}

/// Adds claims about sizes that have no initial state to the findings; returns what is known of these sizes, when
/// the findings do not say it already.
fn of_sizes(
    session: &Session<'_>,
    populated: Option<usize>,
    found: &mut Vec<Vacuous>,
) -> Option<Unpopulated> {
    let Session { system, options, .. } = session;
    let before = found.len();
    if let Some(most) = system.max_procs.map(|most| most as usize) {
        let larger = claims(system, options).into_iter().filter(|claim| claim.procs > most);
        found.extend(larger.map(|claim| Vacuous::NeverApplies(claim, Lack::NumberProcs(most))));
    }
    if found[..before].iter().any(|vacuous| matches!(vacuous, Vacuous::NoInitialState(_))) {
        return None;
    }
    let unpopulated = unpopulated(session, populated)?;
    let Unpopulated::From(size, why) = unpopulated else { return Some(unpopulated) };
    if size <= usize::from(system.proc_constants).max(1) {
        found.push(Vacuous::NoInitialState(vec![size]));
        return None;
    }
    let admitted = |claim: &Claim| admits(system, claim.procs) && claim.procs >= size;
    let lost: Vec<Claim> = claims(system, options).into_iter().filter(admitted).collect();
    if lost.is_empty() {
        return Some(unpopulated);
    }
    found.extend(lost.into_iter().map(|claim| Vacuous::NeverApplies(claim, Lack::States(size, why))));
    None
}

/// The claims that the run has to show, one for each declaration.
fn claims(system: &System, options: &Options) -> Vec<Claim> {
    let least = usize::from(system.proc_constants);
    let claim =
        |name: &str, span, procs: usize| Claim { name: name.to_owned(), span, procs: procs.max(least) };
    let bad = system.bad.iter().filter(|bad| is_to_prove(options, bad.kind));
    let mut claims: Vec<Claim> = bad.map(|bad| claim(&bad.name, bad.span, bad.params.into())).collect();
    let runs = system.temporal.iter().filter(|it| it.kind != TemporalKind::Cover);
    claims.extend(runs.map(|it| claim(&it.name, it.span, it.params.len())));
    // Of the cases of a declaration, the one that needs the fewest processes.
    claims.sort_by_key(|claim| (claim.span, claim.procs));
    claims.dedup_by_key(|claim| claim.span);
    claims
}

/// Whether a run with these options has to show that no state is bad in this way.
pub fn is_to_prove(options: &Options, kind: BadKind) -> bool {
    kind == BadKind::Unsafe || !options.backward.trust_invariants
}

/// Instances that were asked for show by themselves which transitions fire.
fn of_explorations(system: &System, options: &Options, report: &Report) -> Vec<Vacuous> {
    let mut found = Vec::new();
    if !options.forward.deadlock {
        found.extend(nothing_to_prove(system, options));
    }
    if let Some(seen) = report.coverage.as_ref().filter(|seen| seen.states == 0 && seen.cut.is_none()) {
        found.push(Vacuous::NoInitialState(seen.procs.clone()));
    }
    found
}

fn nothing_to_prove(system: &System, options: &Options) -> Option<Vacuous> {
    let promises = !system.temporal.is_empty() || system.bad.iter().any(|bad| is_to_prove(options, bad.kind));
    (!promises).then_some(Vacuous::NothingToProve)
}

/// What small instances show about a proof, and the most processes with which they have an initial state.
fn of_proof(session: &Session<'_>) -> (Vec<Vacuous>, Option<usize>) {
    let Session { system, options, report, .. } = session;
    let mut found: Vec<Vacuous> = nothing_to_prove(system, options).into_iter().collect();
    let mut look =
        Look { open: Vec::new(), initial: false, populated: None, complete: Vec::new(), cut: false };
    let least = usize::from(system.proc_constants);
    let sizes: Vec<usize> =
        [least.max(2), (least + 1).max(3)].into_iter().filter(|procs| admits(system, *procs)).collect();
    let most = sizes.last().copied().unwrap_or_else(|| system.max_procs.map_or(1, |most| most as usize));
    for transition in &system.transitions {
        if transition.arity() <= most && !system.is_watch(transition) {
            add_new(&mut look.open, transition.origin);
        }
    }
    for exploration in &report.explorations {
        look.take(system, exploration);
    }
    let sizes = if sizes.is_empty() { vec![most] } else { sizes };
    // Where there are several sorts, many steps need more than three processes: two of each sort.
    let of_sorts = Some((oracle_size(system, 2), Purpose::Oracle)).filter(|(procs, _)| *procs > most);
    for (procs, purpose) in sizes.iter().map(|procs| (*procs, Purpose::Answer)).chain(of_sorts) {
        if look.is_done() {
            break;
        }
        look.at(session, procs, purpose);
    }
    if !look.initial && !sizes.contains(&1) && admits(system, 1) {
        look.at(session, 1, Purpose::Answer);
    }
    look.complete.sort_unstable();
    if look.cut {
    } else if !look.initial {
        found.push(Vacuous::NoInitialState(look.complete));
    } else {
        for origin in look.open {
            let first = system.transitions.iter().position(|t| t.origin == origin);
            let first = TransitionId(first.expect("some transition has the origin") as u16);
            found.push(Vacuous::NeverFires(first, look.complete.clone()));
        }
    }
    (found, look.populated)
}

/// The observations so far.
struct Look {
    /// Declarations of transitions that have not fired, by [`Transition::origin`](cubicle_lang::model::Transition::origin).
    open: Vec<u16>,
    /// Whether some instance with a process has an initial state.
    initial: bool,
    /// The most processes with which an initial state was seen.
    populated: Option<usize>,
    /// Sizes of which all states were seen.
    complete: Vec<usize>,
    /// Whether some size could not be seen completely.
    cut: bool,
}

impl Look {
    fn is_done(&self) -> bool {
        self.initial && self.open.is_empty()
    }

    fn take(&mut self, system: &System, seen: &Exploration) {
        self.initial |= seen.procs > 0 && seen.states > 0;
        self.populated = self.populated.max((seen.states > 0).then_some(seen.procs));
        for (transition, &fired) in system.transitions.iter().zip(&seen.fired) {
            if fired > 0 {
                self.open.retain(|origin| *origin != transition.origin);
            }
        }
    }

    /// Explores one size, unless that was done. One division among sorts ([`Purpose::Oracle`]) may show that a transition fires, not that
    /// none does.
    fn at(&mut self, session: &Session<'_>, procs: usize, purpose: Purpose) {
        let Session { system, options, report, .. } = session;
        let whole = purpose == Purpose::Answer;
        match report.explorations.iter().find(|it| it.procs == procs && (!whole || it.sorts.is_empty())) {
            Some(known) if known.stop == Stop::Complete => {
                return self.complete.extend(whole.then_some(procs));
            }
            Some(known) if known.states >= VACUITY_STATES => return self.cut = true,
            _ if choices_of_arguments(system, procs) > VACUITY_INSTANCES => return self.cut = true,
            _ => {}
        }
        let limits = ForwardOptions {
            max_states: Some(VACUITY_STATES),
            memory: options.forward.memory,
            until_fired: Some(self.open.clone()),
            stop_at_unsafe: false,
            strategy: Strategy::Bfs,
            ..ForwardOptions::default()
        };
        let seen = session.explore_unseen(procs, &limits, purpose).exploration;
        self.take(system, &seen);
        match seen.stop {
            Stop::Complete => self.complete.extend(whole.then_some(procs)),
            Stop::Fired => {}
            _ => self.cut = true,
        }
    }
}
